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
  if (last === undefined) factor = actual < estimate ? clamp(actual / estimate) : moved(actual / estimate)
  // One odd reading (a provider's retry, another tokenizer behind a router) may not move the factor by more than a fifth of the range.
  else if (estimate - last.estimate >= smallestStep && actual > last.actual) factor = moved(clamp((actual - last.actual) / (estimate - last.estimate)))
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

/** Whether what is known was learned from this model: from the same place, or before places were noted. One whose name is not known yet may be any. */
export function isOf(known: ServedModel, served: ServedModel): boolean {
  return (known.model ?? served.model) === (served.model ?? known.model) && (known.endpoint ?? served.endpoint) === served.endpoint
}

/** What a refusal says about the window. Counts in Tokens, as the provider counts. */
export interface RefusedWindow extends ServedModel {
  /** The number in its message, where there was one. */
  readonly limit?: Tokens
  /** The prompt that was refused. */
  readonly requested: Tokens
  /** The reply that was asked for, where the limit was stated for prompt and reply together. */
  readonly reply?: Tokens | undefined
  /** Largest prompt by the published limits; absent: nothing is published. */
  readonly published?: Tokens
  /** Largest prompt that the same model accepted. */
  readonly accepted?: Tokens
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A refusal without a number says only that the prompt was too large. Source: kimi-code asks for 0.85 × of what it sent. */
const guessed = 0.85

/** Of what was accepted, a window may have shrunk to one in so many: a smaller number is about something else. */
const mostShrunk = 8

/**
 * A provider refused a prompt. The number in its message is believed at once where no limits are published. Where it contradicts them, or where there is
 * no number, a second refusal has to say so: then the larger of both is taken. Never below what was accepted, unless two in a row state the same: then the
 * window is smaller than it was.
 */
export function learnWindow(calibration: Calibration, refused: RefusedWindow): Calibration {
  const { limit, requested, published = Infinity, accepted = 0, reply, model, endpoint, at } = refused
  const learnedOf = { model, endpoint, at }
  const window = limit ?? Math.floor(requested * guessed)
  // As large as what is published, or larger: nothing new.
  if (!(window > 0) || window - (reply ?? 0) >= published) return calibration
  const { learnedWindow = Infinity, learnedShared: _before, suspectedWindow, ...rest } = calibration
  const isSure = limit !== undefined && published === Infinity
  if (!isSure && suspectedWindow === undefined) return { ...calibration, suspectedWindow: window, learnedOf }
  const stated = isSure ? window : Math.max(window, suspectedWindow ?? 0)
  const { accepted: _larger, ...since } = rest
  const isSmaller = limit !== undefined && limit < accepted && limit * mostShrunk > accepted
  const isAgain = isSmaller && limit === suspectedWindow
  return {
    ...(isAgain ? since : rest),
    learnedWindow: Math.max(isAgain ? 0 : accepted, Math.min(learnedWindow, stated)),
    learnedOf,
    ...(reply !== undefined && { learnedShared: true }),
    ...(isSmaller && !isAgain && { suspectedWindow: limit }),
  }
}

/** A smaller attempt at a request was refused without a number too: three guesses at one request are one guess, the smallest. */
export function suspectLess(calibration: Calibration, { requested, published = Infinity, model, endpoint, at }: RefusedWindow): Calibration {
  const window = Math.floor(requested * guessed)
  if (!(window > 0) || window >= Math.min(published, calibration.suspectedWindow ?? Infinity)) return calibration
  return { ...calibration, suspectedWindow: window, learnedOf: { model, endpoint, at } }
}

/** Share of a refused request's bytes that the next ones may have at most, and bytes below which no conversation is at fault. */
const mostOfRefused = 0.9
const leastBytes = 100_000

/**
 * A provider refused a request for its attachments or its bytes: the next ones hold as many as it stated, else half of the attachments, or nine tenths of the
 * bytes. To be believed once one of these is accepted.
 */
export function learnRequest(
  calibration: Calibration,
  unit: 'media' | 'bytes',
  limit: number | undefined,
  { holds, model, endpoint, at }: ServedModel & { readonly holds: { readonly media: number; readonly bytes: number }; readonly at: number },
): Calibration {
  const { media, bytes } = holds
  if (unit === 'media' && media < 2) return calibration
  const most = unit === 'bytes' ? Math.max(leastBytes, Math.floor(bytes * mostOfRefused)) : Math.max(1, limit && limit < media ? limit : media >> 1)
  return { ...calibration, learnedRequest: { ...calibration.learnedRequest, model, endpoint, at, [unit]: most } }
}

/** A still smaller one was accepted: what was suspected is so. Never below what was accepted before. */
export function believeSuspected({ suspectedWindow = Infinity, learnedWindow = Infinity, ...rest }: Calibration, accepted: Tokens): Calibration {
  return { ...rest, learnedWindow: Math.max(accepted, Math.min(learnedWindow, suspectedWindow)) }
}

/** A guess is disproved by a prompt as large as the one that was refused: between the two, the window is somewhere. */
const isDisproved = (suspected: Tokens, accepted: Tokens): boolean => accepted * guessed >= suspected

/** A provider accepted a prompt: no window below it is believed any more, nor suspected, unless it is below by a sixth at most. */
export function noteAccepted(calibration: Calibration, tokens: Tokens, served: ServedModel): Calibration {
  const { accepted, suspectedWindow = Infinity, learnedWindow = Infinity } = calibration
  const before = accepted !== undefined && isOf(accepted, served) ? accepted.tokens : 0
  const isGone = isDisproved(suspectedWindow, tokens)
  if (before >= tokens && !isGone) return calibration
  const { suspectedWindow: _suspected, learnedOf, ...rest } = calibration
  const kept = !isGone ? calibration : learnedWindow === Infinity ? rest : { ...rest, ...(learnedOf !== undefined && { learnedOf }) }
  return { ...kept, accepted: { tokens: Math.max(before, tokens), ...served }, ...(learnedWindow < tokens && { learnedWindow: tokens }) }
}

/** Milliseconds after which a learned window is forgotten: providers change their models without a word. */
const learnedFor = 86_400_000

/** The calibration for the next call: what was learned of another model, or elsewhere, or more than a day ago, is nothing. */
export function currentCalibration(calibration: Calibration, served: ServedModel, now: number): Calibration {
  const isOld = (of: Calibration['learnedOf']): boolean => of !== undefined && !(isOf(of, served) && now - of.at < learnedFor)
  if (isOld(calibration.learnedRequest)) return currentCalibration({ ...calibration, learnedRequest: undefined }, served, now)
  if (!isOld(calibration.learnedOf)) return calibration
  const { learnedWindow: _window, learnedShared: _shared, suspectedWindow: _suspected, learnedOf: _of, ...rest } = calibration
  return rest
}

/** What others taught of the same model: its window, or what is suspected of it, what a request may hold, and how it counts where this conversation has measured nothing yet. */
export function seededCalibration(own: Calibration, model: Calibration | undefined): Calibration {
  const { learnedRequest = own.learnedRequest } = model ?? {}
  const seeded = seededWindow(own, model)
  return learnedRequest ? { ...seeded, learnedRequest } : seeded
}

function seededWindow(own: Calibration, model: Calibration | undefined): Calibration {
  if (model === undefined || own.learnedWindow !== undefined) return own
  const { last: _last, accepted: _accepted, overhead: _overhead, attached: _attached, ...learned } = model
  if (own.last === undefined) return { ...own, ...learned }
  const { factor: _factor, learnedOf, learnedWindow, suspectedWindow = 0, ...window } = learned
  if (learnedOf === undefined) return own
  const accepted = own.accepted !== undefined && isOf(own.accepted, learnedOf) ? own.accepted.tokens : 0
  if (learnedWindow !== undefined) return { ...own, ...window, learnedOf, learnedWindow: Math.max(learnedWindow, accepted) }
  return !isDisproved(suspectedWindow, accepted) && own.suspectedWindow === undefined ? { ...own, suspectedWindow, learnedOf } : own
}

/** The largest prompt that a learned window leaves; `Infinity` while none is learned. */
export function learnedInput({ learnedWindow, learnedShared }: Calibration, reserve: (window: Tokens) => Tokens): Tokens {
  if (learnedWindow === undefined) return Infinity
  const reply = reserve(learnedWindow)
  const quarter = Math.floor(learnedWindow / 4)
  // A provider's number may or may not include the reply: unless it says so, leave room for one, but never more than a quarter.
  return learnedWindow - (learnedShared === true && reply < learnedWindow ? reply : Math.min(reply, quarter))
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
  const before = last !== undefined && estimate - last.estimate >= smallestStep && actual > last.actual ? last : { estimate: 0, actual: 0 }
  const ratio = clamp((actual - before.actual) / (estimate - before.estimate))
  const learned = last === undefined ? ratio : Math.max(ratio, calibrate(calibration, estimate, actual).factor)
  // What came new may be denser than all the rest: the factor of all is no more than the whole comes to.
  const factor = clamp(Math.min(actual / estimate, learned))
  const residue = Math.max(0, Math.round(actual - estimate * factor))
  // What a prompt carries beside the messages was in the one that was accepted too.
  return { ...calibration, factor, overhead: Math.min(residue, last?.actual ?? residue), last: { estimate, actual, media } }
}

function clamp(factor: number): number {
  return Math.min(factorRange[1], Math.max(factorRange[0], factor))
}
