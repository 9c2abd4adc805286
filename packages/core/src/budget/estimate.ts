import { memoized } from '../history/memoize.ts'
import { type Message, mediaIn, type Part, type Tokens, type ToolResultPart } from '../history/message.ts'
import { inStretches, type Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import { attachmentTokens, defaultMediaCost, type MediaCost } from './attachment-cost.ts'
import { firstDigits, secondDigits, tailWeights } from './estimate-weights.ts'

/** Counts the tokens of a text. Must be total, deterministic and linear in the length of the text. */
export interface TokenEstimator {
  readonly name: string
  /** Whole Tokens ≥ 0 of one text; 0 for an empty one. */
  count(text: string): Tokens
}

const contexts = 5

const longestRun = 16

const unit = 50 // weights are stored in fiftieths of a token

/** Class of each UTF-16 code unit: 0 space, 1 break, 2 lower, 3 upper, 4 digit, 5 punctuation, 6–11 scripts, 12 control and symbols, 13–14 scripts of many tokens. */
const classOf = /* @__PURE__ */ classesOf(
  'c0 19 5e 0w 5x 41c 51m 31t 52j 22p 53f 63k 7gg d13l 7154 d18r 719c d2o0 e2v4 d35s a3cw e3k0 d4n4 e4qo 65xc c6bk d6bv c6c0 e6ww c7b4 e7wg 896o 99j4 89og evls axz4 716ls b16o0 e188w 81d6o 71dkw 81edc',
)

/** The context that a run of each class makes for the next one. */
const contextAfter = '001123114444400'

const weightOfRun = /* @__PURE__ */ weightsOf(firstDigits, secondDigits)

/** What follows from a state and the class of the next character: the weight that is then due (upper half) and the next state (lower half). */
const steps = /* @__PURE__ */ stepsOf()

/**
 * The built-in estimator: splits a text into runs of one character class and adds a fitted weight per run.
 * Linear, no allocation, one table look-up per character. Within about 3 % of o200k_base on prose, code and logs, near its size on scripts without spaces
 * (see docs/evidence.md for the measured errors); other vocabularies differ more, which is what calibration is for.
 *
 * @returns Whole tokens ≥ 0; 0 only for an empty text.
 */
export const builtInEstimator: TokenEstimator = {
  name: 'precis-runs',
  count(text) {
    const length = text.length
    if (length === 0) return 0
    let total = 0
    let step = stateOf(classOf[text.charCodeAt(0)] as number, 0, 1)
    for (let index = 1; index < length; index++) {
      step = steps[(step & 0xffff) + (classOf[text.charCodeAt(index)] as number)] as number
      total += step >>> 16
    }
    total += weightOfRun[(step & 0xffff) >> 4] as number
    return Math.max(1, Math.ceil(total / unit))
  },
}

/** A run of a class after a context, and how long it is (at most `longestRun`): where its sixteen steps begin. */
function stateOf(kind: number, context: number, run: number): number {
  return ((kind * contexts + context) * longestRun + run - 1) << 4
}

function stepsOf(): Uint32Array {
  const table = new Uint32Array(weightOfRun.length << 4)
  for (const [kind, weightOfTail] of tailWeights.entries()) {
    for (let context = 0; context < contexts; context++) {
      for (let run = 1; run <= longestRun; run++) {
        const state = stateOf(kind, context, run)
        for (let next = 0; next < tailWeights.length; next++) {
          const goesOn = next === kind || (kind === 3 && run === 1 && next === 2) // a capital that begins a word belongs to it
          const after = goesOn ? stateOf(next, context, Math.min(run + 1, longestRun)) : stateOf(next, Number(contextAfter[kind]), 1)
          const weight = goesOn ? (run === longestRun ? weightOfTail : 0) : weightOfRun[state >> 4]
          table[state + next] = ((weight as number) << 16) | after
        }
      }
    }
  }
  return table
}

/** @param starts - Class and first code unit of each stretch, in base 36; a stretch ends where the next begins. */
function classesOf(starts: string): Uint8Array {
  const classes = new Uint8Array(65_536)
  for (const start of starts.split(' ')) {
    classes.fill(Number.parseInt(start.charAt(0), 36), Number.parseInt(start.slice(1), 36))
  }
  return classes
}

/** @param first - First digit of each difference, as `estimate-weights.ts` describes; @param second - Second digits, row by row. */
function weightsOf(first: string, second: string): Uint16Array {
  let read = 0
  const rows = second.split(' ').map((row) => {
    let [weight, more] = [0, 0]
    return Array.from({ length: longestRun }, (_, at) => {
      if (at < row.length) more = Number.parseInt(first.charAt(read++) + row.charAt(at), 36) - 469
      weight += more
      return weight
    })
  })
  return Uint16Array.from(rows.flat())
}

/** Tokens of a text; one of millions of characters is counted in pieces, as far as it has lines. */
export const countInPieces = (text: string, estimator: TokenEstimator): Pieces<Tokens> => inStretches(text, 0, (lines) => estimator.count(lines))

/** Tokens that a message costs beyond its texts: role, separators; as counted by tiktoken’s chat examples. */
export const perMessage = 4

/** Tokens that a call or a result costs beyond its texts: name, id, wrapping. Same source. */
export const perCall = 8

/** Bytes of a seal that are no reasoning: keys, signature, header. Source: openai/codex, `estimate_reasoning_length`. */
const sealBytes = 650

/**
 * Tokens of reasoning that is sent back encrypted or signed: providers bill the reasoning inside, of which only the length can be seen.
 *
 *     tokens = max(0, characters × 3 / 4 − 650) / 4
 */
export function sealedTokens(characters: number): Tokens {
  return Math.ceil(Math.max(0, (characters * 3) / 4 - sealBytes) / 4)
}

/**
 * Tokens of one message as it is sent: texts, reasoning, arguments, outputs, media and their wrapping.
 * @param known - Of outputs that were counted before.
 * @returns Whole tokens ≥ 4, uncalibrated.
 */
export function estimateMessage(
  message: Message,
  estimator: TokenEstimator,
  media: MediaCost = defaultMediaCost,
  known?: WeakMap<ToolResultPart, Tokens>,
): Tokens {
  const partTokens = (part: Part): Tokens => {
    switch (part.type) {
      case 'text':
        return estimator.count(part.text)
      case 'reasoning':
        return Math.max(estimator.count(part.text), sealedTokens(part.sealedSize ?? 0))
      case 'tool-call':
        return perCall + estimator.count(part.tool) + estimator.count(part.input)
      case 'tool-result':
        return perCall + (known?.get(part) ?? estimator.count(part.output))
      case 'approval':
        return perCall
      case 'opaque':
        return Math.ceil(part.size / 4)
      case 'media':
      case 'marker':
        return 0
    }
  }
  return perMessage + sumOf(message.parts, (part) => partTokens(part) + attachmentTokens(mediaIn(part), media))
}

/** The text in which an output is shown, and the uncalibrated Tokens that it frees; none where it is shown as it is. */
export interface ArrivalView {
  readonly tool: string
  readonly text: string
  readonly freed: Tokens
}

/** Tokens of messages and of tool outputs, counted once per object; and the views that outputs get on arrival, made once. */
export interface TokenMemo {
  of(message: Message): Tokens
  /** Of the output's text alone. @param of - The message that it is a part of: where it is all of that, nothing more is remembered. */
  ofOutput(part: ToolResultPart, of?: Message): Tokens
  /** Counts what takes a while, in pieces: `of` and `ofOutput` know it then. */
  ahead(messages: readonly Message[]): Pieces<void>
  /** What an output is shown as from its arrival on; `make` is called once per output and kind of view. */
  viewOf(part: ToolResultPart, kind: 'plain' | 'referenced', make: () => Pieces<ArrivalView>): Pieces<ArrivalView>
  readonly media: MediaCost
}

/** Tokens of a message up to which it takes no time to count. */
const small = 64
/** Characters of an output that are counted in one piece. */
const atOnce = 65_536

/** Counts each message and output once, by object identity, in uncalibrated Tokens; forgets them when nobody else holds them. */
export function createTokenMemo(estimator: TokenEstimator, media: MediaCost = defaultMediaCost): TokenMemo {
  const messages = new WeakMap<Message, Tokens>()
  const outputs = new WeakMap<ToolResultPart, Tokens>()
  const views = { plain: new WeakMap<ToolResultPart, ArrivalView>(), referenced: new WeakMap<ToolResultPart, ArrivalView>() }
  const of = (message: Message): Tokens => memoized(messages, message, () => estimateMessage(message, estimator, media, outputs))
  const ofOutput = (part: ToolResultPart, whole?: Message): Tokens =>
    !whole || whole.parts.length > 1
      ? memoized(outputs, part, () => estimator.count(part.output))
      : of(whole) - perMessage - perCall - attachmentTokens(mediaIn(part), media)
  return {
    media,
    ofOutput,
    of,
    *ahead(all) {
      for (const message of all) {
        if (messages.has(message)) continue
        for (const part of message.parts)
          if (part.type === 'tool-result' && (message.parts.length > 1 || part.output.length > atOnce))
            outputs.set(part, yield* countInPieces(part.output, estimator))
        if (of(message) > small) yield
      }
    },
    *viewOf(part, kind, make) {
      const view = views[kind].get(part) ?? (yield* make())
      views[kind].set(part, view)
      return view
    },
  }
}

/** Tokens of a whole history, uncalibrated. @returns 0 for no messages. */
export function estimateHistory(messages: readonly Message[], estimator: TokenEstimator = builtInEstimator): Tokens {
  return sumOf(messages, (message) => estimateMessage(message, estimator))
}
