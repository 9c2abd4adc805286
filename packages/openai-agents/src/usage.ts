import { normalizeUsage, type TokenUsage } from '@precis/core'

interface SdkUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly inputTokensDetails?: unknown
}

/** What one call was billed, as the SDK states it: input includes cached tokens, details come as a record or a list of them. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const { inputTokens: input, outputTokens: output, inputTokensDetails } = usage as SdkUsage
  const details = (Array.isArray(inputTokensDetails) ? inputTokensDetails[0] : inputTokensDetails) as { readonly cached_tokens?: number } | undefined
  return normalizeUsage({ input, output, cacheRead: details?.cached_tokens }, 'inclusive')
}
