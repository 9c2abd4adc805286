import { normalizeUsage, type TokenUsage } from '@precis/core'

type Counts = Readonly<Record<string, unknown>>

/**
 * Usage as the AI SDK states it, in any major and on either side of the provider interface: flat numbers with details beside them,
 * or `{ total, cacheRead, cacheWrite }`. Input includes cached tokens.
 *
 * @returns undefined when nothing was measured (some servers send no usage or zeros).
 */
export function readUsage(usage: unknown): TokenUsage | undefined {
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
  return normalizeUsage(
    {
      input: number(inputTokens),
      cacheRead: number(details['cacheReadTokens'] ?? cachedInputTokens),
      cacheWrite: number(details['cacheWriteTokens']),
      output: number(outputTokens),
    },
    'inclusive',
  )
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
