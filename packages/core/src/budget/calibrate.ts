import type { Tokens } from '../history/message.ts'

/** A model where it is served: under the same name another place may have another window. */
export interface ServedModel {
  readonly model: string | null
  /** 16 hexadecimal digits that tell places apart; absent: nobody said where. */
  readonly endpoint?: string | undefined
}

/**
 * How the estimate relates to what the provider counts: `tokens ≈ estimate × factor + overhead`, the estimate with its attachments taken `attached` times.
 * `overhead` is what the request carries beyond the messages and beyond what the host declared. `last` is the newest observation, as it is estimated since.
 */
export interface Calibration {
  readonly factor: number
  readonly overhead: Tokens
  /** The window that a provider's refusals stated; never below the largest prompt that was accepted. */
  readonly learnedWindow?: Tokens
  /** The refusal counted the reply too: prompt and reply share `learnedWindow`. */
  readonly learnedShared?: true
  /** A window that one refusal stated against the published limits or against what was accepted, or that was guessed from a refusal without a number: believed once another one says so. */
  readonly suspectedWindow?: Tokens
  /** Model that the learned or suspected window belongs to, and when its refusal came (milliseconds since 1970). */
  readonly learnedOf?: ServedModel & { readonly at: number }
  /** Largest prompt that a provider accepted, and the model it was for. */
  readonly accepted?: ServedModel & { readonly tokens: Tokens }
  /** What one request may hold, as refusals said or half of what was refused: most attachments, most bytes. Of which model, and since when (milliseconds since 1970). */
  readonly learnedRequest?: (ServedModel & { readonly at: number; readonly media?: number; readonly bytes?: number }) | undefined
  /** How many times their estimate the provider billed for the attachments of this conversation. Default 1. */
  readonly attached?: number
  /** `media`: of the estimate, the attachments, taken once. */
  readonly last?: { readonly estimate: Tokens; readonly actual: Tokens; readonly media?: Tokens }
}

/** Before the first measurement: the estimate as it is. */
export const uncalibrated: Calibration = { factor: 1, overhead: 0 }

const weight = 0.2 // EMA weight of one observation; docs/systems.md, "calibrated" 1
const factorRange = [0.5, 3] as const // the same row
const smallestStep = 100 // Tokens of growth below which a difference quotient is noise

/**
 * Folds one measurement in. Two consecutive prompts of one session give the factor free of any constant:
 *
 *     ratio    = Δactual ÷ Δestimate                        (when the prompt grew by ≥ 100 estimated tokens)
 *     factor   = clamp(0.8 × factor + 0.2 × ratio, 0.5, 3)
 *     overhead = max(0, 0.8 × overhead + 0.2 × (actual − estimate × factor))
 *
 * Where it already makes more of the whole prompt than the provider did, it is not raised: then the list of tools grew, say, and not the text.
 * A first measurement has nothing to be compared with: it sets the overhead when the prompt came out larger,
 * and the factor when it came out smaller. Readings ≤ 0 are ignored.
 *
 * What attachments are at fault for is theirs, and leaves with them (`learnAttached`).
 *
 * @param estimate Uncalibrated Tokens of everything we know of the request, declared overhead included.
 * @param actual Prompt Tokens that the provider reported.
 * @param media Of the estimate, the attachments, taken once.
 */
export function calibrate(calibration: Calibration, estimate: Tokens, actual: Tokens, media: Tokens = 0): Calibration {
  if (!(actual > 0) || !(estimate > 0)) return calibration
  const learned = learnAttached(calibration, estimate, actual, media)
  if (learned) return learned
  const { last } = calibration
  let { factor } = calibration
  const moved = (ratio: number): number => clamp((1 - weight) * factor + weight * ratio)
  if (!last) factor = actual < estimate ? clamp(actual / estimate) : moved(actual / estimate)
  // One odd reading (a provider's retry, another tokenizer behind a router) may not move the factor by more than a fifth of the range.
  else if (estimate - last.estimate >= smallestStep && actual > last.actual) {
    const ratio = clamp((actual - last.actual) / (estimate - last.estimate))
    if (ratio < factor || actual > estimate * factor) factor = moved(ratio)
  }
  const residue = actual - estimate * factor
  // Never below what was just measured: an underestimate is the dangerous side. And never more than all of it.
  const overhead = Math.min(actual, Math.round(Math.max(0, residue, (1 - weight) * calibration.overhead + weight * residue)))
  return { ...calibration, factor, overhead, last: { estimate, actual, media } }
}

/**
 * What a prompt with attachments was billed beside what was expected is theirs where the text that came since the last measurement does not account for it:
 * where it is more than that text, or half of it too little.
 *
 *     more     = actual − overhead − estimate × factor
 *     attached = attached + more ÷ (media × factor)
 *
 * @returns undefined where they are not at fault, or not alone.
 */
export function learnAttached(calibration: Calibration, estimate: Tokens, actual: Tokens, media: Tokens): Calibration | undefined {
  const { factor, overhead, attached = 1, last } = calibration
  const more = (actual - overhead) / factor - estimate
  const text = estimate - media * attached - (last ? last.estimate - (last.media ?? 0) * attached : 0)
  const times = attached + more / media
  if (!media || Math.max(more, -2 * more) <= text || times < 0) return undefined
  return { ...calibration, attached: times, last: { estimate: Math.round(estimate + more), actual, media } }
}

/**
 * The simpler rule, for policies that estimate the whole prompt each time:
 *
 *     ratio  = actual ÷ (estimate + overhead)
 *     factor = clamp(0.8 × factor + 0.2 × ratio, 0.5, 3)
 *
 * @param estimate Uncalibrated Tokens of the whole request, declared overhead included.
 * @see docs/systems.md, "calibrated" 1
 */
export function calibrateByRatio(calibration: Calibration, estimate: Tokens, actual: Tokens): Calibration {
  if (!(actual > 0) || !(estimate > 0)) return calibration
  return { ...calibration, factor: clamp((1 - weight) * calibration.factor + weight * (actual / estimate)), last: { estimate, actual } }
}

/**
 * A measurement taken from a refusal: a prompt that fills a window is nearly all messages, so what it counts more than was estimated is the factor's, at once.
 *
 * @param actual Prompt Tokens that the refusal stated, the reply's left out.
 */
export function calibrateRefused(calibration: Calibration, estimate: Tokens, actual: Tokens, media: Tokens = 0): Calibration {
  if (!(actual > 0) || !(estimate > 0)) return calibration
  const attached = learnAttached(calibration, estimate, actual, media)
  if (attached) return attached
  const { last } = calibration
  const before = last && estimate - last.estimate >= smallestStep && actual > last.actual ? last : { estimate: 0, actual: 0 }
  const ratio = clamp((actual - before.actual) / (estimate - before.estimate))
  const learned = last ? Math.max(ratio, calibrate(calibration, estimate, actual).factor) : ratio
  // What came new may be denser than all the rest: the factor of all is no more than the whole comes to.
  const factor = clamp(Math.min(actual / estimate, learned))
  const residue = Math.max(0, Math.round(actual - estimate * factor))
  // What a prompt carries beside the messages was in the one that was accepted too.
  return { ...calibration, factor, overhead: Math.min(residue, last?.actual ?? residue), last: { estimate, actual, media } }
}

function clamp(factor: number): number {
  return Math.min(factorRange[1], Math.max(factorRange[0], factor))
}
