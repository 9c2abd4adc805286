import type { RecordedRequest } from '@precis/testkit'

/** What one run sent. */
export interface Cost {
  /** Prompts as they were sent, in Tokens. */
  readonly prompt: number
  /**
   * What a provider with a prompt cache bills for it, in Tokens of a new prompt:
   *
   *     cached × 0.1 + new × 1.25 + replies × 5
   */
  readonly billed: number
}

export function costOf(requests: readonly RecordedRequest[]): Cost {
  let [prompt, billed] = [0, 0]
  for (const { status, inputTokens, cachedTokens, outputTokens } of requests) {
    if (status !== 200) continue
    prompt += inputTokens
    billed +=
      cachedTokens * 0.1 +
      (inputTokens - cachedTokens) * 1.25 +
      outputTokens * 5
  }
  return { prompt, billed: Math.round(billed) }
}

/** `a → b, 12.0 % more`. */
export const change = (before: number, after: number): string =>
  `${count(before)} → ${count(after)}, ${more([[before, after]])}`

/** By how much the second of each pair is more than the first, on average. */
export const meanMore = (pairs: readonly (readonly [number, number])[]) =>
  pairs.reduce((sum, [before, after]) => sum + after / before - 1, 0) /
  pairs.length

export function more(pairs: readonly (readonly [number, number])[]): string {
  const mean = meanMore(pairs) * 100
  return `${Math.abs(mean).toFixed(1)} % ${mean < 0 ? 'less' : 'more'}`
}

export const count = (tokens: number): string => tokens.toLocaleString('en-US')
