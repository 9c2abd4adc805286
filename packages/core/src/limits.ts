import { InvalidConfigurationError } from './errors.ts'
import type { Tokens } from './message.ts'

/** Published limits of one model, in Tokens. `contextWindow` counts input + output; 0 means unlimited. */
export interface ModelLimits {
  readonly contextWindow: Tokens
  readonly maxInput?: Tokens
  readonly maxOutput?: Tokens
}

/** A level of the usable input: a fraction of it (0–1), absolute Tokens, or Tokens that must stay free. */
export type Threshold = { readonly fraction: number } | { readonly tokens: Tokens } | { readonly free: Tokens }

/** A size: a fraction of the usable input (0–1), or absolute Tokens. */
export type Amount = { readonly fraction: number } | { readonly tokens: Tokens }

/**
 * Largest prompt that still leaves room for the reply:
 *
 *     usable = min(maxInput ?? ∞, contextWindow − min(requested ?? maxOutput ?? outputCap, outputCap))
 *
 * A published `maxInput` alone is taken as it is: such models count their output elsewhere.
 *
 * @param outputCap Most Tokens we ever reserve for the reply; > 0.
 * @param requested Output Tokens that this very call asks for, where known: what is requested is what the provider reserves.
 * @returns Whole Tokens > 0, or `Infinity` when the window is unlimited.
 * @throws InvalidConfigurationError if the reply reserve swallows the whole window.
 * @see docs/budget.md (system "pivot", row 1)
 */
export function usableInput(limits: ModelLimits, outputCap: Tokens, requested?: Tokens): Tokens {
  if (!(limits.contextWindow >= 0)) {
    throw new InvalidConfigurationError('limits.contextWindow', limits.contextWindow, 'expected tokens ≥ 0 (0: unlimited)')
  }
  if (limits.maxInput !== undefined) {
    if (!(limits.maxInput > 0)) throw new InvalidConfigurationError('limits.maxInput', limits.maxInput, 'expected tokens > 0')
    return limits.maxInput
  }
  if (limits.contextWindow === 0) return Infinity
  const usable = limits.contextWindow - replyReserve(limits, outputCap, requested)
  if (!(usable > 0)) {
    throw new InvalidConfigurationError(
      'trigger.outputCap',
      outputCap,
      `the reply takes all of the window of ${limits.contextWindow} tokens; lower it or the requested output`,
    )
  }
  return usable
}

/** Tokens that stay free for the reply. A request for none, or for −1 (some servers' word for as much as there is), says nothing. */
export function replyReserve(limits: Partial<ModelLimits>, outputCap: Tokens, requested: Tokens = 0): Tokens {
  return Math.min(requested > 0 ? requested : (limits.maxOutput ?? outputCap), outputCap)
}

/** A threshold in Tokens of `usable`, at least 1 and at most `usable`. */
export function resolveThreshold(threshold: Threshold, usable: Tokens): Tokens {
  const tokens = 'fraction' in threshold ? usable * threshold.fraction : 'tokens' in threshold ? threshold.tokens : usable - threshold.free
  return Math.max(1, Math.min(usable, Math.floor(tokens)))
}

/** An amount in Tokens of `usable`; an unlimited window makes a fraction unlimited too. */
export function resolveAmount(amount: Amount, usable: Tokens): Tokens {
  return 'fraction' in amount ? Math.floor(usable * amount.fraction) : amount.tokens
}
