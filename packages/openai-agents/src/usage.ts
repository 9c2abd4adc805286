// Where this framework puts its counts, and nothing else: what they mean, cached tokens inside or beside them, is core's `normalizeUsage`.
import { normalizeUsage, type TokenUsage } from '@precis/core'

interface SdkUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly inputTokensDetails?: unknown
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
  const details = (Array.isArray(inputTokensDetails) ? inputTokensDetails[0] : inputTokensDetails) as { readonly cached_tokens?: number } | undefined
  return normalizeUsage({ input, output, cacheRead: details?.cached_tokens }, 'inclusive')
}

/** What summaries cost, as a request of its own; undefined when none was asked for. */
export function summaryUsage({ prompt, reply }: { readonly prompt: number; readonly reply: number }): RequestUsage | undefined {
  if (prompt + reply === 0) return undefined
  return { inputTokens: prompt, outputTokens: reply, totalTokens: prompt + reply, endpoint: 'compaction.summary' }
}
