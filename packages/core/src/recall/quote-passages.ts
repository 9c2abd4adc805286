import type { TokenEstimator } from '../budget/estimate.ts'
import { cutBefore } from '../history/cut-before.ts'
import type { Message, Tokens } from '../history/message.ts'
import { grownInBlock } from './blocks.ts'
import { type Found, overlap, type Place } from './found.ts'
import { type Segment, segmentsOf } from './segments.ts'
import { isUnspaced } from './words.ts'

/** Characters around a passage that are shown with it: what is shown stays in the context until the next compaction, and the model can read on. */
export const around = 100
const aroundUnspaced = 30
/** The share of the best one's score that each passage has. */
export const worthShowing = 0.4
/** The same of an output, where what stands near counts as well. */
const outputWorthShowing = 0.7

/** What a word counts of which a passage is known only by its call. */
const asAsked = 0.5

/** Characters of a passage that is made of several: as many as four have that stand apart. */
const longestTogether = 2_400

/** What one look-up found, as text for the model. */
export interface LookedUp {
  readonly text: string
  readonly tokens: Tokens
  /** Passages or pages shown. */
  readonly shown: number
}

/** Bounds of what is quoted. */
export interface QuoteOptions {
  /** The line on top. */
  readonly preface: string
  /** Most passages, and most Tokens, > 0. */
  readonly most: number
  readonly tokens: Tokens
  readonly estimator: TokenEstimator
}

/** A passage to quote. `isNamed`: it is there also where a better one has all its words. */
interface Quoted extends Found {
  readonly isNamed?: boolean
  /** Of an output: the passage of its call that has words of the query. */
  readonly asked?: Found
}

/**
 * Passages of a history as text for a model, in the order in which they were said: each with its number, its author and what stands beside it. The first ones
 * given go first where not all fit; the very first is cut to fit.
 */
export function quotePassages(history: readonly Message[], found: readonly Quoted[], { preface, most, tokens, estimator }: QuoteOptions): LookedUp {
  let shown: readonly Shown[] = []
  let calls = 0
  const quoted = (some: readonly Shown[]): string =>
    [preface, ...some.map((one) => passageText(segmentsOf(history[one.number] as Message)[one.segment] as Segment, one))].join('\n\n')
  const fits = (...some: readonly Shown[]): boolean => estimator.count(quoted(some)) <= tokens
  const best = found[0]?.score ?? 0
  const [least, leastOfOutput] = [worthShowing * best, outputWorthShowing * best]
  for (const one of found) {
    const { number, segment, start, end, score, counts, isNamed, beside, about, output } = one
    if (score < least || shown.length - calls === most) break
    if (beside !== undefined && score < leastOfOutput) continue
    const { text } = segmentsOf(history[number] as Message)[segment] as Segment
    const own = text.slice(start, end)
    if (shown.some((better) => wordsIn(history, better).includes(own))) continue
    let passage: Shown = { number, segment, counts, output, ...widened(text, start, end) }
    if (beside !== undefined) {
      passage = { ...passage, ...grownInBlock(text, one, passage, beside) }
      // What it has grown to is shown with it, and what it was asked for is known of it.
      const held = beside.filter((other) => other.start >= passage.start && other.end <= passage.end)
      passage = {
        ...passage,
        counts: new Map([...[...(about ?? [])].map((term) => [term, asAsked] as const), ...held.flatMap((other) => [...other.counts]), ...counts]),
      }
    }
    if (!isNamed && shown.some((better) => saysLess(passage, better))) continue
    // What overlaps is quoted once: as one, or, where that is too long, each up to the other.
    const apart = shown.filter((other) => {
      const both = together(other, passage)
      if (!overlap(other, passage) || both.end - both.start > longestTogether) return true
      passage = both
      return false
    })
    for (const other of apart)
      if (overlap(other, passage)) passage = { ...passage, ...(other.start <= passage.start ? { start: other.end } : { end: other.start }) }
    if (passage.start >= passage.end) continue
    if (!fits(...apart, passage)) {
      if (shown.length > 0) break
      passage = { ...passage, start: cutBefore(text, start), end: cutBefore(text, end) }
      while (passage.end > passage.start + 1 && !fits(passage)) passage = { ...passage, end: cutBefore(text, (passage.start + passage.end) >> 1) }
    }
    const call = callBeside(history, one, passage)
    const isBeside = call !== undefined && !apart.some((other) => overlap(other, call)) && fits(...apart, call, passage)
    if (isBeside) calls++
    shown = isBeside ? [...apart, call, passage] : [...apart, passage]
  }
  // What was said last stands last.
  const inOrder = shown.toSorted((a, b) => a.number - b.number || a.segment - b.segment || a.start - b.start)
  const text = quoted(fits(...inOrder) ? inOrder : shown)
  return { text, tokens: estimator.count(text), shown: shown.length }
}

/** The call of an output, where it has words of the query that the passage has not. */
function callBeside(history: readonly Message[], { asked, about }: Quoted, passage: Shown): Shown | undefined {
  if (asked === undefined || [...(about ?? [])].every((term) => (passage.counts.get(term) ?? 0) > asAsked)) return undefined
  const { number, segment, counts } = asked
  const { text } = segmentsOf(history[number] as Message)[segment] as Segment
  return { number, segment, counts, output: undefined, ...widened(text, asked.start, asked.end) }
}

const together = (one: Shown, other: Shown): Shown => ({
  ...one,
  start: Math.min(one.start, other.start),
  end: Math.max(one.end, other.end),
  counts: new Map([...other.counts, ...one.counts]),
})

type Shown = Pick<Found, 'number' | 'segment' | 'start' | 'end' | 'counts'> & { readonly output: Found['output'] }

/** The words of a passage alone. */
export const wordsIn = (history: readonly Message[], { number, segment, start, end }: Place): string =>
  segmentsOf(history[number] as Message)[segment]?.text.slice(start, end) ?? ''

/** Whether a passage has only some of the words of a better one, and no other; a word and another form of it are two. */
const saysLess = ({ counts, output }: Shown, better: Shown): boolean =>
  (output === undefined || (better.output !== undefined && !(output.isTitle && better.output.leads))) &&
  counts.size < better.counts.size &&
  [...counts].every(([word, count]) => (better.counts.get(word) ?? 0) >= Math.min(1, count))

/** A passage with what stands around it, from line to line where a line ends near. */
function widened(text: string, start: number, end: number): { readonly start: number; readonly end: number } {
  const beside = isUnspaced(text.slice(start, end)) ? aroundUnspaced : around
  const from = Math.max(0, start - beside)
  const to = Math.min(text.length, end + beside)
  const lineStart = from === 0 ? 0 : text.indexOf('\n', from) + 1
  const lineEnd = to === text.length ? to : text.lastIndexOf('\n', to)
  return { start: cutBefore(text, lineStart > 0 && lineStart <= start ? lineStart : from), end: cutBefore(text, lineEnd >= end ? lineEnd : to) }
}

function passageText({ author, text }: Segment, { number, start, end }: Shown): string {
  const place = start === 0 && end === text.length ? '' : `, characters ${start + 1}–${end} of ${text.length}`
  return `[message ${number}, ${oneLineOf(author)}${place}]\n${asQuote(text.slice(start, end))}`
}

/** A name from a history, in one line of ours. */
export function oneLineOf(author: string): string {
  const line = author.replace(/[\s\u0085\u2028\u2029[\]]+/g, ' ')
  return line.slice(0, cutBefore(line, 120))
}

/** Each line marked as quoted, whatever ends it. */
export function asQuote(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join('\n')
}
