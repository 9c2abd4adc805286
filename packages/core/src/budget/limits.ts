import { InvalidConfigurationError } from '../errors.ts'
import { isRecord } from '../history/json.ts'
import type { Tokens } from '../history/message.ts'

/** Published limits of one model, in Tokens. `contextWindow` counts input + output; 0 means unlimited. `maxMedia`: most attachments in a request. */
export interface ModelLimits {
  readonly contextWindow: Tokens
  readonly maxInput?: Tokens | undefined
  readonly maxOutput?: Tokens | undefined
  readonly maxMedia?: number | undefined
}

/** A level of the usable input: a fraction of it (0–1), absolute Tokens, or Tokens that must stay free. */
export type Threshold = { readonly fraction: number } | { readonly tokens: Tokens } | { readonly free: Tokens }

/** A size: a fraction of the usable input (0–1), or absolute Tokens. */
export type Amount = { readonly fraction: number } | { readonly tokens: Tokens }

/** Tokens below which no exchange fits: a smaller number is in another unit. */
export const leastWindow = 256

/**
 * Largest prompt that still leaves room for the reply:
 *
 *     usable  = min(maxInput ?? ∞, contextWindow − reserve)
 *     reserve = requested, in full; where nobody says: min(maxOutput ?? ∞, outputCap, contextWindow / 4)
 *
 * A `maxInput` is the provider's own limit of the prompt; where prompt and reply share a window the reply must fit too.
 * A reply that takes the whole window cannot be reserved: the provider has to shorten it, and the reserve is what it would be if nobody had said.
 *
 * @param outputCap Most Tokens reserved for a reply of unknown size; > 0.
 * @param requested Output Tokens that the request's body asks for, by the caller or by the provider's client: what providers count.
 * @returns Whole Tokens > 0, or `Infinity` when the window is unlimited.
 * @throws InvalidConfigurationError for limits that are no numbers of tokens.
 * @see docs/budget.md (docs/systems.md, "pivot" 1)
 */
export function usableInput(limits: ModelLimits, outputCap: Tokens, requested?: Tokens): Tokens {
  const { contextWindow, maxInput = Infinity, maxOutput = Infinity } = limits
  if (!(contextWindow === 0 || (Number.isFinite(contextWindow) && contextWindow >= leastWindow)))
    throw new InvalidConfigurationError('limits.contextWindow', contextWindow, `expected at least ${leastWindow} tokens, or 0 for unlimited`)
  if (!(maxInput > 0)) throw new InvalidConfigurationError('limits.maxInput', maxInput, 'expected tokens > 0')
  if (!(maxOutput > 0)) throw new InvalidConfigurationError('limits.maxOutput', maxOutput, 'expected tokens > 0')
  const window = contextWindow || Infinity
  const shared = window - replyReserve(limits, outputCap, requested)
  return Math.max(1, Math.floor(Math.min(maxInput, shared > 0 ? shared : window - replyReserve(limits, outputCap))))
}

/** Tokens that stay free for the reply. A request for none, or for −1 (some servers' word for as much as there is), says nothing. */
export function replyReserve({ contextWindow, maxOutput = Infinity }: Partial<ModelLimits>, outputCap: Tokens, requested: Tokens = 0): Tokens {
  if (requested > 0) return requested
  return Math.floor(Math.min(maxOutput, outputCap, (contextWindow || Infinity) / 4))
}

/**
 * Reply Tokens that a request's body asks for, in the words of any provider: `max_tokens`, `max_completion_tokens`, `max_output_tokens`, `maxOutputTokens`,
 * `maxTokens`, also inside `generationConfig`, `generation_config` or `inferenceConfig`. undefined where it names none.
 */
export function requestedReply(body: unknown): Tokens | undefined {
  if (!isRecord(body)) return undefined
  for (const name of ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens']) {
    const value = body[name]
    if (typeof value === 'number' && value > 0) return value
  }
  return requestedReply(body['generationConfig'] ?? body['generation_config'] ?? body['inferenceConfig'])
}

/** A threshold in Tokens of `usable`, at least 1 and at most `usable`. */
export function resolveThreshold(threshold: Threshold, usable: Tokens): Tokens {
  const tokens = 'fraction' in threshold ? usable * threshold.fraction : 'tokens' in threshold ? threshold.tokens : usable - threshold.free
  return Math.max(1, Math.min(usable, Math.floor(tokens)))
}

/** An amount in Tokens of `usable`; an unlimited window makes a fraction unlimited too, but for a fraction of 0. */
export function resolveAmount(amount: Amount, usable: Tokens): Tokens {
  return 'fraction' in amount ? Math.floor(usable * amount.fraction) || 0 : amount.tokens
}
