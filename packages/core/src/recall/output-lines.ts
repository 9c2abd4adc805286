import { isTitle, leadsElsewhere, likeness } from './blocks.ts'
import type { Found, OutputLine } from './found.ts'
import { plain } from './spelling.ts'
import type { WordScan } from './word-scan.ts'

/** Characters that are near a line of an output, and lines with words of the query on either side. */
const nearby = 600
const mostBeside = 8
/** A line that more outputs have says nothing of any; a link that two have. Longer ones, and those of numbers, are no items of a menu. */
const mostAlike = 8
const longestItem = 80

const plainLine: OutputLine = { isTitle: false, leads: false }

type Unit = Pick<Found, 'number' | 'segment' | 'start' | 'end' | 'counts'> & { readonly output?: OutputLine }

/** One output of a message. */
type Output = Pick<Found, 'number' | 'segment'>

/** What lines of outputs are about, beside their own words: what stands near them, and what the output was asked for. */
export interface OutputLines {
  /** Notes what an output was asked for. */
  ask(output: Output, about: string): void
  /** Notes a line of it. @param text What its place is in. */
  note(text: string, unit: Unit): OutputLine
  /** Whether outputs that were asked for otherwise have the same line. */
  isEverywhere(unit: Unit): boolean
  /** Lines near one, and words of what its output was asked for; undefined where that says nothing of it. */
  contextOf(units: readonly Unit[], at: number): OutputContext | undefined
}

export type OutputContext = Required<Pick<Found, 'beside' | 'about'>>

const keyOf = ({ number, segment }: Output): string => `${number} ${segment}`

/** @param isName Whether a term is a name: another form of it is another name. */
export function createOutputLines(scan: WordScan, isName: (term: number) => boolean): OutputLines {
  const asked = new Map<string, { readonly about: string; readonly words: ReadonlySet<number> }>()
  const askers = new Map<string, { readonly about: string; readonly others: number }>()
  const isEverywhere = ({ output }: Unit): boolean => output?.line !== undefined && (askers.get(output.line)?.others ?? 0) > (output.leads ? 0 : mostAlike)
  return {
    ask(output, about) {
      const text = plain(about)
      const words = new Set<number>()
      scan(text, text.toLowerCase(), (term, _, isForm) => (isForm && isName(term)) || words.add(term))
      asked.set(keyOf(output), { about, words })
    },
    note(text, unit) {
      const about = asked.get(keyOf(unit))?.about ?? ''
      const own = text.slice(unit.start, unit.end)
      const [leads, isHead] = [leadsElsewhere(own), isTitle(text, unit)]
      if (!leads && !isHead && (own.length > longestItem || /\d/.test(own))) return plainLine
      const line = likeness(own)
      const before = askers.get(line)
      if (before?.about !== about) askers.set(line, { about, others: before === undefined ? 0 : before.others + 1 })
      return { line, leads, isTitle: isHead }
    },
    isEverywhere,
    contextOf(units, at) {
      const unit = units[at] as Unit
      const about = asked.get(keyOf(unit))?.words
      return about === undefined || unit.output === undefined || isEverywhere(unit) ? undefined : { beside: besideOf(units, at, isEverywhere), about }
    },
  }
}

/** Lines near one that have words of the query which it has not, those with most of them first, of equals the nearest; each has another. */
function besideOf(units: readonly Unit[], at: number, isEverywhere: (unit: Unit) => boolean): readonly Unit[] {
  const unit = units[at] as Unit
  const near: Unit[] = []
  for (const step of [1, -1]) {
    for (let other = at + step; Math.abs(other - at) <= mostBeside; other += step) {
      const one = units[other]
      if (one === undefined || one.number !== unit.number || one.segment !== unit.segment || Math.abs(one.start - unit.start) > nearby) break
      if (!isEverywhere(one)) near.push(one)
    }
  }
  const held = new Set(unit.counts.keys())
  const beside: Unit[] = []
  for (;;) {
    let [best, most]: [Unit | undefined, number] = [undefined, 0]
    for (const one of near) {
      let more = 0
      for (const term of one.counts.keys()) if (!held.has(term)) more++
      if (more > most) [best, most] = [one, more]
    }
    if (best === undefined) return beside
    beside.push(best)
    for (const term of best.counts.keys()) held.add(term)
  }
}
