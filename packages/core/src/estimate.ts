import { runWeights, tailWeights } from './estimate-weights.ts'
import type { Message, Part, Tokens, ToolResultPart } from './message.ts'

/** Counts the tokens of a text. Must be total, deterministic and linear in the length of the text. */
export interface TokenEstimator {
  readonly name: string
  count(text: string): Tokens
}

const contexts = 5
const longestRun = 16
const unit = 50 // weights are stored in fiftieths of a token

/** Class of each ASCII character: 0 space, 1 break, 2 lower, 3 upper, 4 digit, 5 punctuation, 12 control. */
const asciiClass = /* @__PURE__ */ classesOfAscii()
/** The context that a run of each class makes for the next one. */
const contextAfter = /* @__PURE__ */ Uint8Array.of(0, 0, 1, 1, 2, 3, 1, 1, 4, 4, 4, 4, 4)
const weightOfRun = /* @__PURE__ */ decodeRuns(runWeights)
const weightOfTail = /* @__PURE__ */ decode(tailWeights)

/**
 * The built-in estimator: splits a text into runs of one character class and adds a fitted weight per run.
 * Linear, no allocation. Within about 3 % of o200k_base on prose, code, logs and most scripts (see docs/budget.md for the measured errors);
 * other vocabularies differ more, which is what calibration is for.
 *
 * @returns Whole tokens ≥ 0; 0 only for an empty text.
 */
export const builtInEstimator: TokenEstimator = {
  name: 'precis-runs',
  count(text) {
    const length = text.length
    if (length === 0) return 0
    let total = 0
    let context = 0
    let index = 0
    let next = classOf(text.charCodeAt(0))
    while (index < length) {
      const start = index
      let kind = next
      next = ++index < length ? classOf(text.charCodeAt(index)) : -1
      if (kind === 3 && next === 2) kind = 2 // a capital that begins a word belongs to it
      while (next === kind) next = ++index < length ? classOf(text.charCodeAt(index)) : -1
      const run = index - start
      const row = (kind * contexts + context) * longestRun
      if (run <= longestRun) total += weightOfRun[row + run - 1] as number
      else total += (weightOfRun[row + longestRun - 1] as number) + (run - longestRun) * (weightOfTail[kind] as number)
      context = contextAfter[kind] as number
    }
    return Math.max(1, Math.ceil(total))
  },
}

function classOf(code: number): number {
  return code < 128 ? (asciiClass[code] as number) : wideClass(code)
}

function wideClass(code: number): number {
  if (code < 0x250) return 6
  if (code < 0x1100) return 7
  if (code < 0x1200) return 10
  if (code < 0x2000) return 7
  if (code < 0x2e80) return 12
  if (code >= 0x3040 && code < 0x3100) return 9
  if (code < 0xa000) return 8
  if (code >= 0xac00 && code < 0xd7b0) return 10
  if (code >= 0xd800 && code < 0xe000) return 11
  return code >= 0xf900 && code < 0xfb00 ? 8 : code >= 0xff00 ? 8 : 7
}

function classesOfAscii(): Uint8Array {
  const classes = new Uint8Array(128).fill(5)
  classes.fill(12, 0, 9)
  classes.fill(1, 9, 14)
  classes[32] = 0
  classes.fill(4, 48, 58)
  classes.fill(3, 65, 91)
  classes.fill(2, 97, 123)
  return classes
}

function decodeRuns(rows: readonly string[]): Float64Array {
  return decode(rows.join(''))
}

function decode(digits: string): Float64Array {
  return Float64Array.from({ length: digits.length / 2 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 36) / unit)
}

/** Tokens that a message costs beyond its texts: role, separators. Source: shipping-agents.md §5.1. */
const perMessage = 4
/** Tokens that a call or a result costs beyond its texts: name, id, wrapping. Same source. */
const perCall = 8

/** Tokens that one attachment costs, by its kind. Never by payload length: providers bill pixels, pages and seconds. */
export interface MediaCost {
  readonly image: Tokens
  readonly document: Tokens
  /** Audio and video. */
  readonly recording: Tokens
  readonly other: Tokens
}

/** Source: shipping-agents §5.1 (1,200–5,000 an image, 2,000 a page of an unknown document, taken three times). */
export const defaultMediaCost: MediaCost = { image: 1_600, document: 6_000, recording: 4_000, other: 1_000 }

/** Tokens of one attachment with this media type. */
export function mediaTokens(mediaType: string, cost: MediaCost = defaultMediaCost): Tokens {
  if (mediaType.startsWith('image/')) return cost.image
  if (mediaType === 'application/pdf') return cost.document
  return mediaType.startsWith('audio/') || mediaType.startsWith('video/') ? cost.recording : cost.other
}

/**
 * Tokens of one message as it is sent: texts, reasoning, arguments, outputs, media and their wrapping.
 * @returns Whole tokens ≥ 4, uncalibrated.
 */
export function estimateMessage(message: Message, estimator: TokenEstimator, media: MediaCost = defaultMediaCost): Tokens {
  return messageTokens(message, estimator, media, (part) => estimator.count(part.output))
}

function messageTokens(message: Message, estimator: TokenEstimator, media: MediaCost, outputTokens: (part: ToolResultPart) => Tokens): Tokens {
  let total = perMessage
  for (const part of message.parts) total += partTokens(part, estimator, media, outputTokens)
  return total
}

function partTokens(part: Part, estimator: TokenEstimator, media: MediaCost, outputTokens: (part: ToolResultPart) => Tokens): Tokens {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return estimator.count(part.text)
    case 'media':
      return mediaTokens(part.mediaType, media)
    case 'tool-call':
      return perCall + estimator.count(part.tool) + estimator.count(part.input)
    case 'tool-result':
      return perCall + outputTokens(part) + (part.media ?? 0) * media.image
    case 'approval':
      return perCall
    case 'marker':
      return 0
    case 'opaque':
      return Math.ceil(part.size / 4)
  }
}

/** Tokens of messages and of tool outputs, counted once per object; and the views that outputs get on arrival, made once. */
export interface TokenMemo {
  of(message: Message): Tokens
  /** Of the output's text alone. */
  ofOutput(part: ToolResultPart): Tokens
  /** The text in which an output is shown from its arrival on; `make` is called once per output and kind of view. */
  viewOf(part: ToolResultPart, kind: 'plain' | 'referenced', make: () => string): string
  readonly media: MediaCost
}

/** A memo that lives as long as the messages do. */
export function createTokenMemo(estimator: TokenEstimator, media: MediaCost = defaultMediaCost): TokenMemo {
  const messages = new WeakMap<Message, Tokens>()
  const outputs = new WeakMap<ToolResultPart, Tokens>()
  const views = { plain: new WeakMap<ToolResultPart, string>(), referenced: new WeakMap<ToolResultPart, string>() }
  const ofOutput = (part: ToolResultPart): Tokens => remembered(outputs, part, () => estimator.count(part.output))
  return {
    media,
    ofOutput,
    of: (message) => remembered(messages, message, () => messageTokens(message, estimator, media, ofOutput)),
    viewOf: (part, kind, make) => remembered(views[kind], part, make),
  }
}

function remembered<K extends object, V>(known: WeakMap<K, V>, key: K, count: () => V): V {
  const before = known.get(key)
  if (before !== undefined) return before
  const tokens = count()
  known.set(key, tokens)
  return tokens
}

/** Sum over a whole history, uncalibrated. */
export function estimateHistory(messages: readonly Message[], estimator: TokenEstimator = builtInEstimator): Tokens {
  let total = 0
  for (const message of messages) total += estimateMessage(message, estimator)
  return total
}
