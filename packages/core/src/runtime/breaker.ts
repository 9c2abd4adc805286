import type { Summarizer } from '../summary/summarizer.ts'
import type { Clock } from './platform/clock.ts'

/** Which models are left alone for a while because they failed: per process and per model where it is served, never stored. */
export interface Breakers {
  /** Whether to go on without this model for now. */
  isOpen(model: Summarizer): boolean
  /** A request begins: while it is under way the others go on without, if this one is the trial after a minute. */
  begun(model: Summarizer): void
  ended(model: Summarizer, failed: boolean): void
}

/** Failures in a row after which a model is left alone, as in Qwen Code. */
const mostFailures = 3
/** Milliseconds until one request tries again. */
const pause = 60_000

export function createBreakers(clock: Clock): Breakers {
  const known = new Map<Summarizer, { readonly failures: number; readonly at: number }>()
  const failuresOf = (model: Summarizer): number => known.get(model)?.failures ?? 0
  return {
    isOpen(model) {
      const { failures, at } = known.get(model) ?? { failures: 0, at: 0 }
      return failures >= mostFailures && clock.now() - at < pause
    },
    begun(model) {
      if (failuresOf(model) >= mostFailures) known.set(model, { failures: failuresOf(model), at: clock.now() })
    },
    ended(model, failed) {
      if (failed) known.set(model, { failures: failuresOf(model) + 1, at: clock.now() })
      else known.delete(model)
    },
  }
}
