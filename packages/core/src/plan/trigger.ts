import { resolveAmount, resolveThreshold, type Threshold } from '../budget/limits.ts'
import type { Infeasible } from '../errors.ts'
import type { Tokens } from '../history/message.ts'
import type { TriggerPolicy } from '../policy/policy.ts'
import type { Asked, TriggerReason } from '../state/reason.ts'
import type { ProviderSide } from './provider-side.ts'

/** What is done before the next request, why, and the numbers that decided it (calibrated Tokens). */
export interface TriggerDecision {
  /** `prune` shortens only, `compact` may ask a model for a summary, `emergency` may not, `infeasible` names its culprit. */
  readonly action: 'none' | 'prune' | 'compact' | 'emergency' | 'infeasible'
  readonly reason: TriggerReason
  readonly used: Tokens
  /** Largest prompt that still leaves room for the reply; null: unlimited or unknown. */
  readonly usable: Tokens | null
  readonly target: Tokens
  readonly culprit?: Infeasible
}

/** What the decision depends on besides the policy. */
export interface TriggerInput {
  /** Calibrated Tokens of the next request, everything included. */
  readonly used: Tokens
  /** From `usableInput`, or `Infinity`. */
  readonly usable: Tokens
  /** The whole window, where fractions are of it. */
  readonly window?: Tokens
  readonly asked?: Asked | undefined
  /** The provider keeps or compacts the conversation by itself: only what is asked for is done. */
  readonly provider?: ProviderSide | undefined
  /** Size after the last compaction; keeps an ineffective one from being repeated at once. */
  readonly sizeAfter?: Tokens | undefined
  /** Of `used`, what goes with the next compaction whatever it does, by estimate: a little of it does not bring that forward. */
  readonly passing?: Tokens | undefined
}

/** Share (0–1) of the budget up to which what passes is not counted: a compaction that comes sooner for the sake of a few look-ups costs more than they do. */
const mostPassing = 0.05

/** The levels of a policy for one window, in Tokens; `window`: the whole of it, where fractions are of that. */
export function levels(
  trigger: TriggerPolicy,
  usable: Tokens,
  window: Tokens = usable,
): { readonly soft: Tokens; readonly hard: Tokens; readonly emergency: Tokens; readonly target: Tokens } {
  const level = (threshold: Threshold): Tokens =>
    Math.min(usable, resolveThreshold(threshold, trigger.of === 'window' && 'fraction' in threshold ? window : usable))
  const reserve = resolveAmount(trigger.reserve, usable)
  // The reserve may not push the trigger below a tenth: source "calibrated", row 2.
  const hard = Math.max(Math.floor(usable * 0.1), level(trigger.hard) - reserve)
  const target = Math.min(level(trigger.target), hard)
  return {
    soft: trigger.soft ? Math.min(hard, level(trigger.soft)) : hard,
    hard,
    emergency: trigger.emergency ? Math.max(hard, level(trigger.emergency)) : Infinity,
    target,
  }
}

/**
 * Decides whether the next request is compacted first.
 *
 *     hard      when used ≥ max(hard, min(max(hard, sizeAfter + hard − target) + min(passing, 0.05 × usable), latest))
 *     emergency when used ≥ emergency
 *     latest    = min(emergency, 0.95 × usable)
 *
 * `sizeAfter` is the hysteresis: after a compaction that could not reach its target, the next one waits until
 * as much has grown as a good one would have freed. What passes with it, such as look-ups, does not make it come sooner.
 * An unlimited window never triggers; a request always does.
 */
export function decideTrigger(trigger: TriggerPolicy, input: TriggerInput): TriggerDecision {
  const { used, usable, asked } = input
  const decided = (action: TriggerDecision['action'], reason: TriggerReason, target: Tokens): TriggerDecision => ({
    action,
    reason,
    used,
    usable: usable === Infinity ? null : usable,
    target,
  })
  // Without a window the only measure is the context itself: half of it is a compaction worth its name.
  if (usable === Infinity) return decided(asked ? 'compact' : 'none', asked ?? 'none', Math.floor(used / 2))
  const { soft, hard, emergency, target } = levels(trigger, usable, input.window)
  // What was refused is halved: nobody knows how far it is over where the refusal has no number.
  if (asked) return decided('compact', asked, Math.min(target, Math.floor(used * (asked === 'overflow' ? 0.5 : 0.6))))
  if (!trigger.auto || input.provider) return decided('none', 'none', target)
  const latest = Math.min(emergency, usable * 0.95)
  const regrown = Math.max(hard, (input.sizeAfter ?? 0) + Math.max(1, hard - target))
  const rearmed = Math.max(hard, Math.min(regrown + Math.min(input.passing ?? 0, usable * mostPassing), latest))
  if (used >= emergency) return decided('emergency', 'emergency', target)
  // A window that is exactly full is not over it.
  if (rearmed >= usable ? used > usable : used >= rearmed) return decided('compact', 'hard', target)
  return decided('none', used >= soft ? 'soft' : 'none', target)
}
