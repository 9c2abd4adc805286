import type { Tokens } from '../history/message.ts'
import { sumOf } from '../history/sum-of.ts'

/** What a provider billed for one call. `input` is the uncached part: the prompt is `input + cacheRead + cacheWrite`. */
export interface TokenUsage {
  readonly input: Tokens
  readonly cacheRead: Tokens
  readonly cacheWrite: Tokens
  readonly output: Tokens
}

/** Token counts as a provider states them; a missing or non-finite count is 0. */
export interface ReportedUsage {
  readonly input?: Tokens | undefined
  readonly cacheRead?: Tokens | undefined
  readonly cacheWrite?: Tokens | undefined
  readonly output?: Tokens | undefined
}

/**
 * Brings both provider conventions to one shape. Declare the convention, never guess it:
 * `inclusive` (OpenAI, Google, AI SDK 6+): `input` already holds the cached tokens; `exclusive` (Anthropic's own API): it does not.
 *
 * @returns undefined when the provider reported no input at all: some servers send zeros, and a zero is no measurement.
 */
export function normalizeUsage(reported: ReportedUsage, convention: 'inclusive' | 'exclusive'): TokenUsage | undefined {
  const input = count(reported.input)
  const cacheRead = count(reported.cacheRead)
  const cacheWrite = count(reported.cacheWrite)
  const uncached = convention === 'inclusive' ? Math.max(0, input - cacheRead - cacheWrite) : input
  if (uncached + cacheRead + cacheWrite === 0) return undefined
  return { input: uncached, cacheRead, cacheWrite, output: count(reported.output) }
}

/** Tokens of the prompt that was sent, `input + cacheRead + cacheWrite`: cached tokens were sent too. */
export function promptTokens(usage: TokenUsage): Tokens {
  return usage.input + usage.cacheRead + usage.cacheWrite
}

/** Tokens of the billed counts named in `counts`; `output` is left out, as it is no part of the prompt. */
export function countedPrompt(usage: TokenUsage, counts: readonly (keyof TokenUsage)[]): Tokens {
  return sumOf(counts, (name) => (name === 'output' ? 0 : usage[name]))
}

function count(value: Tokens | undefined): Tokens {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0
}
