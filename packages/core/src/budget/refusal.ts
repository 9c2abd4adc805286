import type { Tokens } from '../history/message.ts'
import { omitUndefined } from '../history/omit-undefined.ts'
import { type Calibration, calibrateRefused, learnAttached, type ServedModel } from './calibrate.ts'
import { believeSuspected, isSameModel, learnRequest, learnWindow, type RefusedWindow, suspectLess } from './learned-window.ts'
import type { ErrorClass } from './overflow.ts'

/** A refusal for size. */
export type Overflow = Extract<ErrorClass, { readonly kind: 'overflow' }>

/** What is known of the request that a provider refused for its size. */
export interface RefusedRequest extends ServedModel {
  /** Uncalibrated Tokens of the prompt, and calibrated ones as they were believed. */
  readonly estimate: Tokens
  readonly total: Tokens
  /** Of the estimate, its attachments. */
  readonly media?: Tokens | undefined
  /** What it held beside its tokens: how many attachments, and about how many bytes. */
  readonly holds: { readonly media: number; readonly bytes: number }
  /** Milliseconds since 1970. */
  readonly at: number
  /** Refusals of this request so far, from 1 on. */
  readonly attempt: number
  /** Largest prompt by the published limits; `Infinity`: none are. */
  readonly published: Tokens
  /** Tokens of the reply that a window of this size leaves free. */
  readonly reserve: (window: Tokens) => Tokens
}

export interface RefusalAnswer {
  readonly calibration: Calibration
  /** Most calibrated Tokens of the next attempt, the best guess first; a later one counts where the one before it cannot be met. None: tokens are not at fault. */
  readonly ceilings: readonly Tokens[]
  /** What is known once a smaller attempt at the same request is accepted, where that says more. */
  readonly believed?: Calibration | undefined
}

/** Further attempts leave more room for a count that is off: 5 % each. */
const stricter = 0.95
/** How many times what we sent a stated prompt may be where it holds no attachments: what is more is no reading of it. */
const believable = 10
/** Share of the refused prompt that a next attempt may have at most, when nothing else is known or possible. */
const almostAll = 0.9
/** The same where no number says how far it is over: nine tenths once, as it may be a little, then seven, then half each time. */
const leastOfAll = 0.5
const lessEachTime = 0.2

/**
 * What a refusal teaches, and how small the next attempt has to be:
 *
 *     with a number     ceiling = (limit − reply) × 0.95 ^ (attempt − 1), and below what was refused
 *     without a number  ceiling = max(0.5, 0.9 − 0.2 × (attempt − 1)) × what was refused, and no more than an earlier refusal leaves;
 *                       the compaction aims at half of it (`decideTrigger`)
 *
 * The prompt that a refusal states is a measurement; the sum of prompt and reply is none. Where it states nothing, attachments are taken to be what fills
 * the published window, if anything that we sent does.
 */
export function answerRefusal(calibration: Calibration, refusal: Overflow, refused: RefusedRequest): RefusalAnswer {
  const { unit, limit, reply } = refusal
  const { estimate, media = 0, attempt, published, reserve, model, endpoint, at } = refused
  const smaller = unit === 'tokens' ? undefined : learnRequest(calibration, unit, limit, refused)
  if (unit === 'media') return { calibration, ceilings: [], believed: smaller }
  const input = refusal.input !== undefined && (media > 0 || refusal.input <= believable * Math.max(refused.total, 500)) ? refusal.input : undefined
  const most = limit ?? published
  const isUntold = input === undefined && unit === 'tokens' && refused.total < most && most < Infinity
  const filled = isUntold ? learnAttached(calibration, estimate, most, media) : undefined
  const counted = filled ?? (input === undefined ? calibration : calibrateRefused(calibration, estimate, input, media))
  const { factor, overhead, last } = counted
  const size = counted === calibration ? refused.total : Math.max(input ?? 0, Math.ceil((last?.estimate ?? estimate) * factor + overhead))
  const accepted = calibration.accepted !== undefined && isSameModel(calibration.accepted, refused) ? calibration.accepted.tokens : 0
  const requested = input ?? size
  const window: RefusedWindow = { requested, reply, published, accepted, model, endpoint, at, ...omitUndefined({ limit }) }
  // Bytes say nothing of tokens.
  const learn = unit === 'bytes' || (limit === undefined && filled) ? undefined : limit === undefined && attempt > 1 ? suspectLess : learnWindow
  const learned = learn?.(counted, window) ?? counted
  if (limit === undefined) {
    const below = Math.floor(size * Math.max(leastOfAll, almostAll - lessEachTime * (attempt - 1)))
    const isRepeated = learn === suspectLess && learned !== counted && (published === Infinity || learned.learnedWindow !== undefined)
    return {
      calibration: learned,
      ceilings: [Math.min(below, calibration.suspectedWindow ?? below)],
      believed: isRepeated ? believeSuspected(learned, accepted) : smaller,
    }
  }
  const below = Math.floor(size * almostAll)
  const own = reply ?? Math.min(reserve(limit), Math.floor(limit / 4))
  const room = Math.floor((limit - own) * stricter ** (attempt - 1))
  const first = Math.min(published, room, input === undefined ? below : Math.floor(size * stricter))
  return { calibration: learned, ceilings: first < 1 ? [below] : [first, ...(below > first ? [below] : [])] }
}
