import { memoized } from '../history/memoize.ts'
import type { Pieces } from '../history/pieces.ts'
import type { Found } from './found.ts'
import { createOutputLines, type OutputContext } from './output-lines.ts'
import type { Segment } from './segments.ts'
import { plainWithPlaces } from './spelling.ts'
import { createWordScan, type WordScan } from './word-scan.ts'
import { folded, isUnspaced, termsOf } from './words.ts'

/** A message by its number. */
export interface Numbered {
  readonly number: number
  readonly segments: readonly Segment[]
  /** Of segments that are outputs: what they were asked for. Words there, and in lines near, tell what a line is about. */
  readonly about?: readonly (string | undefined)[]
}

/** Characters of a line that are one passage; a longer line is several. In scripts without spaces they say more. */
const longestSpaced = 400
const longestUnspaced = 120
/** How soon another mention of the same word counts less (BM25's k1), and what a neighboring passage adds. */
const saturation = 1.2
const neighborly = 0.3
/** Passages that a search ranks at most, and those that it looks at in one piece. */
const mostFound = 200
const unitsAtOnce = 1_000
const linesAtOnce = 100
/** What a word counts where only other forms of it stand, however many. */
const asForm = 0.5
/** What a word counts that stands near a line of an output, or in what the output was asked for. */
const asContext = 0.7
/** What a line counts that stands in many outputs alike, and one that is the title of what stands below it. */
const linking = 0.3
const titled = 1.3

interface Unit extends Omit<Found, 'score' | 'share' | 'rarity'> {
  readonly counts: Map<number, number>
}

export interface RankOptions {
  /** Whether a word of the query lowers the share of a passage that has it not. Default: each does. */
  readonly isMissed?: (stem: string) => boolean
  /** Whether other forms of a word count, half: `Rechnungen` where `Rechnung` is looked for. Default true. */
  readonly withForms?: boolean
  /** Whether values that a word asks for count, half: `€69.90` where `price` is looked for. Default false. */
  readonly withValues?: boolean
}

/**
 * Passages in which the words of a query stand, best first: BM25 over lines, with names as they are written worth twice,
 *
 *     score = Σ idf(word) · tf ÷ (tf + k1) · (idf of the words found ÷ idf of all words) + 0.3 · score of the better neighbor
 *
 * and as much again where the query stands there word for word. A word that stands in other forms alone counts half of one that stands once. Of an output, a word
 * counts 0.7 that stands near a line or in what the output was asked for. Equal ones: the newest first. Linear in the texts.
 */
export function* rankPassages(
  messages: readonly Numbered[],
  query: string,
  { isMissed = () => true, withForms = true, withValues = false }: RankOptions = {},
): Pieces<readonly Found[]> {
  const terms = termsOf(query)
  const phrase = folded(query.trim())
  if (phrase === '') return []
  const scan = createWordScan(terms, withForms, withValues)
  const longestPassage = isUnspaced(query) ? longestUnspaced : longestSpaced
  const units: Unit[] = []
  const holding = new Map<number, number>()
  let characters = 0
  const outputs = createOutputLines(scan, (term) => terms[term]?.isName === true)
  for (const { number, segments, about } of messages) {
    for (const [segment, { text }] of segments.entries()) {
      const request = about?.[segment]
      const isOutput = request !== undefined
      if (isOutput) outputs.ask({ number, segment }, request)
      characters += text.length
      for (let from = 0, to = 0; from < text.length; from = to, yield) {
        to = from + charactersAtOnce
        // Behind a line, or else a word, where one ends in it.
        if (to < text.length) to = ['\n', ' '].map((mark) => text.lastIndexOf(mark, to) + 1).find((end) => end > from) ?? to
        for (const unit of unitsOf(text.slice(from, to), { scan, phrase, longestPassage }, { number, segment, from })) {
          const output = isOutput ? outputs.note(text, unit) : undefined
          units.push(output === undefined ? unit : { ...unit, output })
          for (const term of unit.counts.keys()) holding.set(term, (holding.get(term) ?? 0) + 1)
        }
      }
    }
  }
  const passages = Math.max(units.length, characters / longestPassage)
  const telling = (held: number): number => Math.log(1 + (passages - held + 0.5) / (held + 0.5))
  const rarities = terms.map(({ isName }, term) => telling(holding.get(term) ?? 0) * (isName ? 2 : 1))
  const rarity = (term: number, count: number): number => (rarities[term] ?? 0) * Math.min(1, count)
  const all = rarities.reduce((sum, one) => sum + one, 0) || 1
  const own = new Float64Array(units.length)
  // A title is what is looked for where no line of its output has more of the words; one that leads elsewhere has none of its own.
  const heldBy = ({ counts }: Unit): number => [...counts].reduce((sum, [term, count]) => sum + rarity(term, count), 0)
  const mostHeld = new Map<number, number>()
  for (const [at, unit] of units.entries()) {
    if (unit.output?.leads === false) mostHeld.set(unit.number, Math.max(mostHeld.get(unit.number) ?? 0, heldBy(unit)))
    if (at % unitsAtOnce === 0) yield
  }
  const worthOf = (unit: Unit): number =>
    outputs.isEverywhere(unit) ? linking : unit.output?.isTitle && heldBy(unit) >= (mostHeld.get(unit.number) ?? 0) ? titled : 1
  const contexts: (OutputContext | undefined)[] = []
  for (const [at, unit] of units.entries()) {
    const { counts } = unit
    let [score, found] = [0, 0]
    const add = (term: number, count: number): void => {
      found += rarity(term, count)
      score += (rarity(term, count) * Math.max(1, count)) / (Math.max(1, count) + saturation)
    }
    for (const [term, count] of counts) add(term, count)
    const context = outputs.contextOf(units, at)
    contexts.push(context)
    for (const term of termsOfContext(context)) if ((counts.get(term) ?? 0) < asContext) add(term, asContext - (counts.get(term) ?? 0))
    own[at] = ((score * found) / all + (counts.has(whole) ? all : 0)) * worthOf(unit)
    if (at % (context === undefined ? unitsAtOnce : linesAtOnce) === 0) yield
  }
  const near = (unit: Unit, other: number): number => {
    const next = units[other]
    if (next === undefined || unit.number !== next.number || unit.segment !== next.segment) return 0
    return Math.abs(unit.start - next.start) <= longestPassage * 2 ? (own[other] as number) : 0
  }
  let best: readonly (Unit & { readonly score: number })[] = []
  for (let from = 0; from < units.length; from += unitsAtOnce, yield) {
    const last = best.length < mostFound ? 0 : (best.at(-1)?.score ?? 0)
    const more = units.slice(from, from + unitsAtOnce).flatMap((unit, place) => {
      const at = from + place
      const score = (own[at] as number) + neighborly * Math.max(near(unit, at - 1), near(unit, at + 1))
      return score < last ? [] : [{ ...unit, score, ...contexts[at] }]
    })
    best = [...best, ...more].sort((a, b) => b.score - a.score || b.number - a.number || a.segment - b.segment || a.start - b.start).slice(0, mostFound)
  }
  return best.map((unit): Found => {
    const context = termsOfContext(unit)
    const held = (term: number): number => rarity(term, Math.max(unit.counts.get(term) ?? 0, context.has(term) ? asContext : 0))
    const found = terms.reduce((sum, _, term) => sum + held(term), 0)
    const missed = terms.reduce((sum, { stem }, term) => (isMissed(stem) ? sum + (rarities[term] as number) - held(term) : sum), 0)
    return { ...unit, share: found / (found + missed || 1), rarity: found / telling(1) }
  })
}

/** The words of a query that stand near a line of an output, or in what it was asked for. */
function termsOfContext({ about, beside = [] }: Partial<OutputContext> = {}): ReadonlySet<number> {
  const terms = new Set(about)
  for (const { counts } of beside) for (const term of counts.keys()) if (term !== whole) terms.add(term)
  return terms
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

/** A stretch of a segment, by the character with which it begins. */
interface Stretch extends Pick<Found, 'number' | 'segment'> {
  readonly from: number
}

/** The lines, or pieces of long ones, in which something stands, in order. */
function unitsOf(stretch: string, { scan, phrase, longestPassage }: UnitSearch, { number, segment, from }: Stretch): readonly Unit[] {
  const { text, placeOf } = plainWithPlaces(stretch)
  const units = new Map<number, { readonly end: number; readonly counts: Map<number, number> }>()
  let [lineStart, lineEnd] = [0, -1]
  const count = (term: number, at: number, isForm: boolean): void => {
    if (at < lineStart || at > lineEnd) {
      lineStart = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
      lineEnd = text.indexOf('\n', at)
      if (lineEnd < 0) lineEnd = text.length
    }
    const start = lineStart + Math.floor((at - lineStart) / longestPassage) * longestPassage
    const { counts } = memoized(units, start, () => ({ end: Math.min(lineEnd, start + longestPassage), counts: new Map<number, number>() }))
    const before = counts.get(term) ?? 0
    counts.set(term, isForm ? before || asForm : Math.floor(before) + 1)
  }
  const lower = text.toLowerCase()
  scan(text, lower, count)
  for (let at = lower.indexOf(phrase); at >= 0; at = lower.indexOf(phrase, at + phrase.length)) count(whole, at, false)
  return [...units]
    .sort(([a], [b]) => a - b)
    .map(([start, { end, counts }]) => ({ number, segment, start: from + placeOf(start), end: from + placeOf(end), counts }))
}
