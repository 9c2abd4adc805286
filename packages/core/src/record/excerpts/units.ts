import { cutBefore } from '../../history/cut-before.ts'
import type { Pieces } from '../../history/pieces.ts'
import { type NameIndex, type PassageSource, stretchesOf } from '../names/name-index.ts'

/** Longest line (characters) that is one unit; a longer one, and any that a user wrote, falls into its sentences, and a sentence as long as that into stretches of words. Source: npm run evals, 80 to 160 and 32 to 120 tried. */
const longestLine = 120
const longestStretch = 48
/** Characters to the end of a call's answer from which on it is shown to its end. */
const answerReach = 80

/** What excerpts are made of: the lines of some texts, in order, and the sentences of long ones. Blanks between two belong to neither. */
export interface Units {
  readonly start: readonly number[]
  readonly end: readonly number[]
  /** Characters as they are shown: a run of blanks is one. */
  readonly size: readonly number[]
  /** Its text. */
  readonly source: readonly number[]
  /** First occurrence of a name in each, and one beyond the last. */
  readonly names: readonly number[]
  /** First unit of each text, and one beyond the last. */
  readonly first: Uint32Array
  /** Its stretch: the units of one stand one behind another. */
  readonly stretch: readonly number[]
  readonly stretches: readonly Stretch[]
}

/** Units from one up to, but not with, another. */
export interface Stretch {
  readonly from: number
  readonly to: number
  /** Whether it begins and ends with its text. */
  readonly opens: boolean
  readonly closes: boolean
}

/** Characters that are cut in one piece. */
const charactersAtOnce = 65_536

/** Cuts texts into units, and says which names begin in each. */
export function* unitsOf(sources: readonly PassageSource[], index: NameIndex): Pieces<Units> {
  const [start, end, size, source, names, stretch]: [number[], number[], number[], number[], number[], number[]] = [[], [], [], [], [], []]
  const stretches: Stretch[] = []
  const first = new Uint32Array(sources.length + 1)
  let read = 0
  for (const [at, entry] of sources.entries()) {
    const { text, kind, inputsFrom = Infinity } = entry
    first[at] = start.length
    let name = index.first[at] as number
    const last = index.first[at + 1] as number
    // A call is shown with its answer.
    const whole = Math.max(inputsFrom, text.length - answerReach)
    const add = (from: number, to: number): void => {
      const begin = skipBlanks(text, from, to, 1)
      const stop = skipBlanks(text, to, begin, -1)
      if (stop <= begin) return
      const before = start.length - 1
      if (before >= (first[at] as number) && (end[before] as number) > whole) {
        end[before] = stop
        size[before] = (size[before] as number) + 1 + shownSize(text, begin, stop)
        return
      }
      while (name < last && (index.start[name] as number) < begin) name++
      start.push(begin)
      end.push(stop)
      size.push(shownSize(text, begin, stop))
      source.push(at)
      names.push(name)
      stretch.push(stretches.length)
    }
    for (const { start: begin, end: beyond } of stretchesOf(entry)) {
      const firstUnit = start.length
      for (let from = begin; from < beyond; ) {
        const stop = text.indexOf('\n', from)
        const border = stop < 0 ? beyond : Math.min(stop, beyond)
        if (border - from <= longestLine && kind !== 'user') add(from, border)
        else yield* addSentences(text, from, border, add)
        read += border + 1 - from
        from = border + 1
        if (read >= charactersAtOnce) {
          read = 0
          yield
        }
      }
      stretches.push({ from: firstUnit, to: start.length, opens: begin === 0, closes: beyond === text.length })
    }
  }
  first[sources.length] = start.length
  names.push(index.start.length)
  return { start, end, size, source, names, first, stretch, stretches }
}

/** Characters of the shortest sentence that stands alone. */
const leastSentence = 20

/** Sentences of a long line; what is longer than a line in stretches that end at blanks. */
function* addSentences(text: string, from: number, to: number, add: (from: number, to: number) => void): Pieces<void> {
  let [sentence, begin, rested] = [from, from, from]
  for (let at = from; at < to; at++) {
    if (at + 1 - begin > longestLine) {
      const cut = stretchEnd(text, begin)
      add(begin, cut)
      begin = cut
    }
    if (at + 1 === to || (at - sentence > leastSentence && endsSentence(text, at))) {
      add(begin, at + 1)
      begin = sentence = at + 1
    }
    if (at - rested < charactersAtOnce) continue
    rested = at
    yield
  }
}

/** Whether a blank behind the end of a sentence stands there, or the end of one in a script without blanks. */
function endsSentence(text: string, at: number): boolean {
  return text.charCodeAt(at) === 32 ? '.!?।؟'.includes(text.charAt(at - 1)) : '。！？'.includes(text.charAt(at))
}

/** Where a stretch of a long sentence ends: where a clause does, not far from its end (behind a comma, a semicolon, a colon or a bracket), or at its last blank; in a long word where no character is cut in two. */
function stretchEnd(text: string, from: number): number {
  const most = from + longestStretch
  let blank = 0
  for (let at = most; at > most - longestStretch / 2; at--) {
    if (!isBlank(text.charCodeAt(at))) continue
    if (',;:)'.includes(text.charAt(at - 1))) return at
    blank ||= at
  }
  return blank || cutBefore(text, most)
}

function skipBlanks(text: string, from: number, to: number, direction: 1 | -1): number {
  let at = from
  while (at !== to && isBlank(text.charCodeAt(direction > 0 ? at : at - 1))) at += direction
  return at
}

function shownSize(text: string, from: number, to: number): number {
  let size = 0
  let blank = false
  for (let at = from; at < to; at++) {
    const white = isBlank(text.charCodeAt(at))
    if (!white || !blank) size++
    blank = white
  }
  return size
}

function isBlank(code: number): boolean {
  return code <= 32
}
