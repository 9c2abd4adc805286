/** What a line of an output is, as far as it is known by itself. */
export interface OutputLine {
  /** Whether it is the title of what stands below it, and whether it leads elsewhere. */
  readonly isTitle: boolean
  readonly leads: boolean
  /** What it is known again by, where it may stand on other pages too. */
  readonly line?: string
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
  /** How often each word of the query stands in it, by the word's number; a half where only other forms of it do. */
  readonly counts: ReadonlyMap<number, number>
  /** Of an output: lines near it that have other words of the query, the best first. */
  readonly beside?: readonly Pick<Found, 'start' | 'end' | 'counts'>[]
  /** The words of the query that it was asked for with. */
  readonly about?: ReadonlySet<number>
  readonly output?: OutputLine
}

/** Characters of one segment of a message. */
export type Place = Pick<Found, 'number' | 'segment' | 'start' | 'end'>

export const overlap = (one: Place, other: Place): boolean =>
  one.number === other.number && one.segment === other.segment && one.start < other.end && other.start < one.end
