import type { Tokens } from '../history/message.ts'
import type { Calibration, ServedModel } from './calibrate.ts'

// What providers’ refusals and answers teach of a window, and of what one request may hold.

/** Whether what is known was learned from this model: from the same place, or before places were noted. One whose name is not known yet may be any. */
export function isSameModel(known: ServedModel, served: ServedModel): boolean {
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
  const before = accepted !== undefined && isSameModel(accepted, served) ? accepted.tokens : 0
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
  const isOld = (of: Calibration['learnedOf']): boolean => of !== undefined && !(isSameModel(of, served) && now - of.at < learnedFor)
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
  if (!model || own.learnedWindow !== undefined) return own
  const { last: _last, accepted: _accepted, overhead: _overhead, attached: _attached, ...learned } = model
  if (!own.last) return { ...own, ...learned }
  const { factor: _factor, learnedOf, learnedWindow, suspectedWindow = 0, ...window } = learned
  if (learnedOf === undefined) return own
  const accepted = own.accepted !== undefined && isSameModel(own.accepted, learnedOf) ? own.accepted.tokens : 0
  if (learnedWindow !== undefined) return { ...own, ...window, learnedOf, learnedWindow: Math.max(learnedWindow, accepted) }
  return !isDisproved(suspectedWindow, accepted) && own.suspectedWindow === undefined ? { ...own, suspectedWindow, learnedOf } : own
}

/** The largest prompt that a learned window leaves; `Infinity` while none is learned. */
export function learnedInput({ learnedWindow, learnedShared }: Calibration, reserve: (window: Tokens) => Tokens): Tokens {
  if (learnedWindow === undefined) return Infinity
  const reply = reserve(learnedWindow)
  const quarter = Math.floor(learnedWindow / 4)
  // A provider's number may or may not include the reply: unless it says so, leave room for one, but never more than a quarter.
  return learnedWindow - (learnedShared && reply < learnedWindow ? reply : Math.min(reply, quarter))
}
