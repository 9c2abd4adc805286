// Reads token counts from where this framework puts them. What they mean (whether input includes cached tokens, say) is left to core's `normalizeUsage`.
import { normalizeUsage, type TokenUsage } from '@precis/core'

type Counts = Readonly<Record<string, unknown>>

/**
 * Usage as the AI SDK states it, in any major and on either side of the provider interface: flat numbers with details beside them,
 * or `{ total, cacheRead, cacheWrite }`. Input includes cached tokens, with two exceptions that only `providerMetadata` tells:
 * AI SDK 5 leaves Anthropic's and Bedrock's cached tokens out of it, and an Anthropic call that compacted on the server states the sum of its parts.
 *
 * @returns The size of the newest prompt; undefined when nothing was measured (some servers send no usage or zeros).
 */
export function readUsage(usage: unknown, providerMetadata?: unknown): TokenUsage | undefined {
  const { anthropic, bedrock, precis } = (providerMetadata ?? {}) as {
    readonly anthropic?: Counts
    readonly bedrock?: { readonly usage?: Counts }
    readonly precis?: { readonly prompt?: TokenUsage }
  }
  // The call was several requests, and its usage their bill.
  if (precis?.prompt !== undefined) return precis.prompt
  const last = lastIteration(anthropic)
  if (last !== undefined) return last
  if (typeof usage !== 'object' || usage === null) return undefined
  const { inputTokens, outputTokens, inputTokenDetails, cachedInputTokens } = usage as Counts
  if (typeof inputTokens === 'object' && inputTokens !== null) {
    const input = inputTokens as Counts
    return normalizeUsage(
      {
        input: number(input['total']),
        cacheRead: number(input['cacheRead']),
        cacheWrite: number(input['cacheWrite']),
        output: number((outputTokens as Counts | undefined)?.['total']),
      },
      'inclusive',
    )
  }
  const details = (inputTokenDetails ?? {}) as Counts
  const beside = anthropic ?? bedrock
  return normalizeUsage(
    {
      input: number(inputTokens),
      cacheRead: number(details['cacheReadTokens'] ?? cachedInputTokens),
      cacheWrite: number(details['cacheWriteTokens'] ?? anthropic?.['cacheCreationInputTokens'] ?? bedrock?.usage?.['cacheWriteInputTokens']),
      output: number(outputTokens),
    },
    beside !== undefined && inputTokenDetails === undefined ? 'exclusive' : 'inclusive',
  )
}

/** The last answer of a call that Anthropic's server compacted in between: what came before it is no longer in the context. */
function lastIteration(anthropic: Counts | undefined): TokenUsage | undefined {
  const { iterations, usage } = (anthropic ?? {}) as { readonly iterations?: unknown; readonly usage?: { readonly iterations?: readonly Counts[] } }
  if (!Array.isArray(iterations)) return undefined
  const at = (iterations as readonly Counts[]).findLastIndex((one) => one['type'] === 'message')
  if (at < 0 || !iterations.some((one: Counts) => one['type'] === 'compaction')) return undefined
  const { inputTokens, outputTokens } = iterations[at] as Counts
  const raw = usage?.iterations?.[at]
  return normalizeUsage(
    {
      input: number(inputTokens),
      cacheRead: number(raw?.['cache_read_input_tokens']),
      cacheWrite: number(raw?.['cache_creation_input_tokens']),
      output: number(outputTokens),
    },
    'exclusive',
  )
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
