// Reads token counts from where this framework puts them. What they mean (whether input includes cached tokens, say) is left to core's `normalizeUsage`.
import { normalizeUsage, type TokenUsage } from '@precis/core'

/** What an answer says of its cost, as every LangChain provider package states it. */
interface UsageMetadata {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly input_token_details?: { readonly cache_read?: number; readonly cache_creation?: number }
}

/** What the provider counted for the call that gave this message. Input includes cached tokens, for every provider package. */
export function readUsage(message: unknown): TokenUsage | undefined {
  const usage = (message as { readonly usage_metadata?: UsageMetadata } | undefined)?.usage_metadata
  if (usage === undefined) return undefined
  const { cache_read: cacheRead, cache_creation: cacheWrite } = usage.input_token_details ?? {}
  return normalizeUsage({ input: usage.input_tokens, cacheRead, cacheWrite, output: usage.output_tokens }, 'inclusive')
}
