import { memoized } from '../history/memoize.ts'
import type { Pieces } from '../history/pieces.ts'
import type { Segment } from './segments.ts'
import { createWordScan, folded, isUnspaced, termsOf, type WordScan } from './words.ts'

/** A message by its number. */
export interface Numbered {
  readonly number: number
  readonly segments: readonly Segment[]
}

/** A passage that answers a query: characters of one segment, from 0 on. */
export interface Found {
  readonly number: number
  readonly segment: number
  readonly start: number
  readonly end: number
  /** > 0; comparable within one search. */
  readonly score: number
  /** How much of the query stands in it, by how rare its words are: 0 to 1. Words that count only where they stand are not missed. */
  readonly share: number
  /** The same in words that stand once: 2 is as telling as two of those. */
  readonly rarity: number
  /** How often each word of the query stands in it, by the word's number. */
  readonly counts: ReadonlyMap<number, number>
}

/** Characters of one segment of a message. */
export type Place = Pick<Found, 'number' | 'segment' | 'start' | 'end'>

export const overlap = (one: Place, other: Place): boolean =>
  one.number === other.number && one.segment === other.segment && one.start < other.end && other.start < one.end

/** Characters of a line that are one passage; a longer line is several. In scripts without spaces they say more. */
const longestSpaced = 400
const longestUnspaced = 120
/** How soon another mention of the same word counts less (BM25's k1), and what a neighboring passage adds. */
const saturation = 1.2
const neighborly = 0.3
/** Passages that a search ranks at most. */
const mostFound = 200

interface Unit extends Omit<Found, 'score' | 'share' | 'rarity'> {
  readonly counts: Map<number, number>
}

/**
 * Passages in which the words of a query stand, best first: BM25 over lines, with names as they are written worth twice,
 *
 *     score = Σ idf(word) · tf ÷ (tf + k1) · (idf of the words found ÷ idf of all words) + 0.3 · score of the better neighbor
 *
 * and as much again where the query stands there word for word. Equal ones: the newest first. Linear in the texts.
 *
 * @param isMissed Whether a word of the query lowers the share of a passage that has it not.
 */
export function* rankPassages(messages: readonly Numbered[], query: string, isMissed: (stem: string) => boolean = () => true): Pieces<readonly Found[]> {
  const terms = termsOf(query)
  const phrase = folded(query.trim())
  if (phrase === '') return []
  const scan = createWordScan(terms)
  const longestPassage = isUnspaced(query) ? longestUnspaced : longestSpaced
  const units: Unit[] = []
  let characters = 0
  for (const { number, segments } of messages) {
    for (const [segment, { text }] of segments.entries()) {
      characters += text.length
      for (let from = 0, to = 0; from < text.length; from = to, yield) {
        to = from + charactersAtOnce
        // Behind a line, or else a word, where one ends in it.
        if (to < text.length) to = ['\n', ' '].map((mark) => text.lastIndexOf(mark, to) + 1).find((end) => end > from) ?? to
        for (const unit of unitsOf(text.slice(from, to), { scan, phrase, longestPassage }, { number, segment }))
          units.push({ ...unit, start: unit.start + from, end: unit.end + from })
      }
    }
  }
  const passages = Math.max(units.length, characters / longestPassage)
  const holding = new Map<number, number>()
  for (const { counts } of units) for (const term of counts.keys()) holding.set(term, (holding.get(term) ?? 0) + 1)
  const telling = (held: number): number => Math.log(1 + (passages - held + 0.5) / (held + 0.5))
  const rarity = (term: number): number => telling(holding.get(term) ?? 0) * (terms[term]?.isName === true ? 2 : 1)
  const all = terms.reduce((sum, _, term) => sum + rarity(term), 0) || 1
  const own = units.map((unit): Found => {
    const { counts } = unit
    let [score, found] = [0, 0]
    for (const [term, count] of counts) {
      if (term === whole) continue
      found += rarity(term)
      score += (rarity(term) * count) / (count + saturation)
    }
    const missed = terms.reduce((sum, { stem }, term) => (counts.has(term) || !isMissed(stem) ? sum : sum + rarity(term)), 0)
    return { ...unit, score: (score * found) / all + (counts.has(whole) ? all : 0), share: found / (found + missed || 1), rarity: found / telling(1) }
  })
  const near = (at: number, other: number): number => {
    const [unit, next] = [own[at], own[other]]
    if (unit === undefined || next === undefined || unit.number !== next.number || unit.segment !== next.segment) return 0
    return Math.abs(unit.start - next.start) <= longestPassage * 2 ? next.score : 0
  }
  return own
    .map((unit, at) => ({ ...unit, score: unit.score + neighborly * Math.max(near(at, at - 1), near(at, at + 1)) }))
    .sort((a, b) => b.score - a.score || b.number - a.number || a.segment - b.segment || a.start - b.start)
    .slice(0, mostFound)
}

/** Characters that are searched in one piece. */
const charactersAtOnce = 65_536

/** Counts of the query as a whole stand under this number. */
export const whole = -1

interface UnitSearch {
  readonly scan: WordScan
  readonly phrase: string
  readonly longestPassage: number
}

/** The lines, or pieces of long ones, in which something stands, in order. */
function unitsOf(text: string, { scan, phrase, longestPassage }: UnitSearch, place: Pick<Found, 'number' | 'segment'>): readonly Unit[] {
  const units = new Map<number, Unit>()
  let [lineStart, lineEnd] = [0, -1]
  const count = (term: number, at: number): void => {
    if (at < lineStart || at > lineEnd) {
      lineStart = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
      lineEnd = text.indexOf('\n', at)
      if (lineEnd < 0) lineEnd = text.length
    }
    const start = lineStart + Math.floor((at - lineStart) / longestPassage) * longestPassage
    const { counts } = memoized(units, start, () => ({ ...place, start, end: Math.min(lineEnd, start + longestPassage), counts: new Map<number, number>() }))
    counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  const lower = folded(text)
  scan(text, lower, count)
  for (let at = lower.indexOf(phrase); at >= 0; at = lower.indexOf(phrase, at + phrase.length)) count(whole, at)
  return [...units.values()].sort((a, b) => a.start - b.start)
}
