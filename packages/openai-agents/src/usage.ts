// Reads token counts from where this framework puts them. What they mean (whether input includes cached tokens, say) is left to core's `normalizeUsage`.
import { normalizeUsage, type Spent, type TokenUsage } from '@precis/core'

interface SdkUsage {
  readonly requests?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  readonly inputTokensDetails?: unknown
  readonly outputTokensDetails?: unknown
  readonly requestUsageEntries?: readonly RequestUsage[]
}

/** One request in a run's usage, as the SDK lists it. */
export interface RequestUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** `compaction.summary` for what our summaries cost. */
  readonly endpoint?: string
}

/** What one call was billed, as the SDK states it: input includes cached tokens, details come as a record or a list of them. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const { inputTokens: input, outputTokens: output, inputTokensDetails } = usage as SdkUsage
  const details = firstOf(inputTokensDetails) as { readonly cached_tokens?: number } | undefined
  return normalizeUsage({ input, output, cacheRead: details?.cached_tokens }, 'inclusive')
}

/** What summaries cost, as a request of its own; undefined when none was asked for. */
export function summaryUsage({ prompt, reply }: Spent): RequestUsage | undefined {
  if (prompt + reply === 0) return undefined
  return { inputTokens: prompt, outputTokens: reply, totalTokens: prompt + reply, endpoint: 'compaction.summary' }
}

/**
 * All requests of one call as one bill, in the SDK's shape: sums, and one entry for each request, so that the newest prompt can be told from the bill.
 * @param usages - Of each round, in order; a call of one request that paid for no summary keeps what it has.
 */
export function billOf(usages: readonly unknown[], spent: Spent): unknown {
  const summary = summaryUsage(spent)
  if (summary === undefined && usages.length === 1) return usages[0]
  const all = [...(summary === undefined ? [] : [summary]), ...usages.filter((usage) => typeof usage === 'object' && usage !== null)] as readonly SdkUsage[]
  const sum = (count: (usage: SdkUsage) => number | undefined): number => all.reduce((total, usage) => total + (count(usage) ?? 0), 0)
  const details = (name: 'inputTokensDetails' | 'outputTokensDetails'): readonly unknown[] => all.flatMap((usage) => usage[name] ?? [])
  const bill = {
    requests: sum(({ requests = 1 }) => requests) + Math.max(0, spent.calls - 1),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    totalTokens: sum(({ totalTokens }) => totalTokens),
    inputTokensDetails: details('inputTokensDetails'),
    outputTokensDetails: details('outputTokensDetails'),
    requestUsageEntries: all.flatMap(entriesOf),
  }
  // The SDK adds up instances of its own class; we have no other way to it.
  const own = usages.at(-1) as { readonly add?: unknown; readonly constructor: new (bill: object) => unknown } | undefined
  return typeof own?.add === 'function' ? new own.constructor(bill) : bill
}

function entriesOf(usage: SdkUsage & { readonly endpoint?: string }): readonly RequestUsage[] {
  if (usage.requestUsageEntries !== undefined && usage.requestUsageEntries.length > 0) return usage.requestUsageEntries
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens, endpoint } = usage
  const [input, output] = [firstOf(usage.inputTokensDetails), firstOf(usage.outputTokensDetails)]
  return [
    {
      inputTokens,
      outputTokens,
      totalTokens,
      ...(input !== undefined && { inputTokensDetails: input }),
      ...(output !== undefined && { outputTokensDetails: output }),
      ...(endpoint !== undefined && { endpoint }),
    },
  ]
}

/** Details come as a record, or as a list of them. */
const firstOf = (details: unknown): object | undefined => (Array.isArray(details) ? details[0] : details) as object | undefined
