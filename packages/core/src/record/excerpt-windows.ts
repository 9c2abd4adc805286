import { firstFrom, type NameIndex, type Passage, type PassageSource } from './name-index.ts'
import { cutBefore } from './truncate.ts'

/** Longest line that is shown whole (characters); of a longer one a sentence, or what stands around the name. */
const longestLine = 80
/** Least characters of surroundings on each side of a name: enough to say what it is about, or what its own line says. Source: npm run evals. */
const wide = 40
const narrow = 6

/** Names of the passages beside a window matter only as near to it as this (characters). */
export const seam = 80

/** A stretch of one source around a name. */
export interface Window extends Passage {
  readonly source: number
  /** The first occurrence of a name that can matter to it. */
  readonly first: number
}

/**
 * Around one occurrence of a name. Ends where words, and lines that are near, end.
 * @param part Share of what narrow surroundings and the way to the border of a line ordinarily are.
 */
export function windowAt(index: NameIndex, sources: readonly PassageSource[], place: number, isWide: boolean, part: number): Window {
  const width = isWide ? wide : narrow * part
  const source = index.source[place] as number
  const { text, inputsFrom = Infinity } = sources[source] as PassageSource
  const start = toUnit(text, reach(text, index.start[place] as number, -1, width), -1)
  const end = toUnit(text, reach(text, index.end[place] as number, 1, width), 1)
  // A call is shown with its answer.
  const answered = end > inputsFrom && text.length - end <= answerReach
  return { source, start, end: answered ? text.length : end, first: firstFrom(index, source, start - seam) }
}

/** The border of the line or the sentence that a place stands in, or of the word where both are far. */
function toUnit(text: string, border: number, direction: -1 | 1): number {
  for (let at = border, step = 0; step <= longestLine; step++, at += direction) {
    if (at <= 0 || at >= text.length) return Math.max(0, Math.min(text.length, at))
    if (text.charCodeAt(direction < 0 ? at - 1 : at) === newline) return at
    if (step > 0 && endsSentence(text, at)) return at
  }
  return snap(text, border, direction)
}

/** Whether a sentence ends just before this place. */
function endsSentence(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1)
  if (code !== 32) return false
  const mark = text.charCodeAt(at - 2)
  return mark === 46 || mark === 33 || mark === 63
}

const newline = 10

/** Characters to the end of a call's answer up to which it is shown to its end. */
const answerReach = 80

/** Farthest that surroundings reach in the text itself, white space included (characters). */
const farthest = 160

/** Goes out from a border until `surroundings` characters are passed; a run of white space counts as one, as it will be shown. */
function reach(text: string, border: number, direction: -1 | 1, surroundings: number): number {
  let at = border
  let blank = false
  for (let passed = 0; passed < surroundings && Math.abs(at - border) < farthest; at += direction) {
    const next = direction < 0 ? at - 1 : at
    if (next < 0 || next >= text.length) break
    const white = text.charCodeAt(next) <= 32
    if (!white || !blank) passed++
    blank = white
  }
  return at
}

/** Moves a border outwards to the next white space, at most 16 characters, so that no word is cut. */
export function snap(text: string, border: number, direction: -1 | 1): number {
  let at = border
  for (let step = 0; step < 16 && at > 0 && at < text.length; step++) {
    const code = text.charCodeAt(direction < 0 ? at - 1 : at)
    if (code === 32 || code === 10 || code === 9 || code === 13) return at
    at += direction
  }
  return cutBefore(text, at) === at ? at : at + direction
}

/** White space as a reader needs it: one break, one blank. Saves up to a fifth of the tokens of indented code. */
function collapse(text: string): string {
  return text
    .replace(/[ \t]*[\r\n\v\f\x85\u2028\u2029]\s*/g, '\n')
    .replace(/[ \t]{2,}/g, ' ')
    .trim()
}

/** The chosen passages of one text in order, gaps marked with an ellipsis. */
export function joinPassages(text: string, passages: readonly Passage[]): string {
  let joined = ''
  let end = 0
  for (const { start, end: next } of passages) {
    if (start > end) joined += text.slice(end, start).includes('\n') && joined !== '' ? '…\n' : '…'
    joined += collapse(text.slice(start, next))
    end = next
  }
  return end < text.length && joined !== '' ? `${joined}…` : joined
}
