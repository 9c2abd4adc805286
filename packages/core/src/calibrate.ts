import type { Tokens } from './message.ts'

/**
 * How the estimate relates to what the provider counts: `tokens ≈ estimate × factor + overhead`.
 * `overhead` is what the request carries beyond the messages and beyond what the host declared.
 * `last` is the newest observation; `learnedWindow` the largest prompt that a provider's refusal let us infer.
 */
export interface Calibration {
  readonly factor: number
  readonly overhead: Tokens
  readonly learnedWindow?: Tokens
  readonly last?: { readonly estimate: Tokens; readonly actual: Tokens }
}

export const uncalibrated: Calibration = { factor: 1, overhead: 0 }

const weight = 0.2 // EMA weight of one observation; source: systems.md, "calibrated" row 1
const factorRange = [0.5, 3] as const // source: the same row
const smallestStep = 100 // Tokens of growth below which a difference quotient is noise

/**
 * Folds one measurement in. Two consecutive prompts of one session give the factor free of any constant:
 *
 *     ratio    = Δactual ÷ Δestimate                        (when the prompt grew by ≥ 100 estimated tokens)
 *     factor   = clamp(0.8 × factor + 0.2 × ratio, 0.5, 3)
 *     overhead = max(0, 0.8 × overhead + 0.2 × (actual − estimate × factor))
 *
 * A first measurement has nothing to be compared with: it sets the overhead when the prompt came out larger,
 * and the factor when it came out smaller. Readings ≤ 0 are ignored.
 *
 * @param estimate Uncalibrated Tokens of everything we know of the request, declared overhead included.
 * @param actual Prompt Tokens that the provider reported.
 */
export function calibrate(calibration: Calibration, estimate: Tokens, actual: Tokens): Calibration {
  if (!(actual > 0) || !(estimate > 0)) return calibration
  const { last } = calibration
  let factor = calibration.factor
  if (last === undefined) {
    const ratio = actual / estimate
    factor = clamp(ratio < 1 ? ratio : 0.8 * factor + weight * ratio)
    return { ...calibration, factor, overhead: Math.max(0, Math.round(actual - estimate * factor)), last: { estimate, actual } }
  }
  if (estimate - last.estimate >= smallestStep && actual > last.actual) {
    const ratio = (actual - last.actual) / (estimate - last.estimate)
    // One odd reading (a provider's retry, another tokenizer behind a router) may not move the factor by more than a fifth of the range.
    factor = clamp((1 - weight) * factor + weight * clamp(ratio))
  }
  const residue = actual - estimate * factor
  const overhead = Math.max(0, Math.round((1 - weight) * calibration.overhead + weight * residue))
  // Never below what was just measured: an underestimate is the dangerous side.
  return { ...calibration, factor, overhead: Math.max(overhead, Math.round(Math.max(0, residue))), last: { estimate, actual } }
}

/**
 * The simpler rule, for policies that estimate the whole prompt each time:
 *
 *     ratio  = actual ÷ (estimate + overhead)
 *     factor = clamp(0.8 × factor + 0.2 × ratio, 0.5, 3)
 *
 * @param estimate Uncalibrated Tokens of the whole request, declared overhead included.
 * @see systems.md, "calibrated" row 1
 */
export function calibrateByRatio(calibration: Calibration, estimate: Tokens, actual: Tokens): Calibration {
  if (!(actual > 0) || !(estimate > 0)) return calibration
  return { ...calibration, factor: clamp((1 - weight) * calibration.factor + weight * (actual / estimate)), last: { estimate, actual } }
}

/** A provider refused `requested` Tokens; `limit` is the number in its message, where there was one. */
export function learnWindow(calibration: Calibration, refused: { readonly limit?: Tokens; readonly requested: Tokens }): Calibration {
  // Without a number: 0.85 × what we believed we sent (source: shipping-agents.md, kimi-code).
  const window = refused.limit ?? Math.floor(refused.requested * 0.85)
  const learnedWindow = Math.min(window, calibration.learnedWindow ?? Infinity)
  return learnedWindow > 0 ? { ...calibration, learnedWindow } : calibration
}

function clamp(factor: number): number {
  return Math.min(factorRange[1], Math.max(factorRange[0], factor))
}
