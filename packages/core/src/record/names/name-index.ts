import type { Pieces } from '../../history/pieces.ts'
import { chanceOfReuse, compoundWords, countIn, type NameUse, type RecentWords, type TextKind } from './name-reuse.ts'
import { type NameWorth, nameWorth, scanErrorLines, scanTerms } from './names.ts'

/** A span of a source's text, `end` exclusive, in UTF-16 units; never splits a surrogate pair. */
export interface Passage {
  readonly start: number
  readonly end: number
}

/** A text that passages may be taken from. `weight` ≥ 0 says how much its words count; 1 is ordinary. */
export interface PassageSource {
  readonly text: string
  readonly weight: number
  /** Default "output". */
  readonly kind?: TextKind
  /** Where arguments of calls begin in the text. Default: nowhere. */
  readonly inputsFrom?: number
  /** Where answers to them begin. Default: nowhere. */
  readonly outputsFrom?: number
  /** Passages that are shown first, as far as there is room: in order, none touching another. Default: none. */
  readonly given?: readonly Passage[]
  /** What passages may be taken from, whole lines in order. Default: all of it. */
  readonly read?: readonly Passage[]
  /** A stretch of which only a part is read: `addUnread` knows its names. */
  readonly skimmed?: Passage
  /** Stands in front of its passages, and takes room with the first of them. Default: nothing. */
  readonly label?: string
}

/** What is known about the reader of the passages: what is shown elsewhere, what was asked, what was said last. */
export interface PassageOptions {
  /** Names that the reader sees elsewhere already: worth little here. */
  readonly present?: ReadonlySet<string>
  /** Words (lower case) and names that somebody asked about: names made of them are worth more. */
  readonly asked?: ReadonlySet<string>
  /** Words (lower case) of the newest messages. */
  readonly recent?: RecentWords
  /** What is a name. Default: `nameWorth`. */
  readonly likenessOf?: NameWorth
  /** Adds to names how else they are used, where not all is read. */
  readonly addUnread?: (names: readonly Name[]) => void
}

/** What is left of the worth of a name that the reader sees elsewhere. */
const worthOfPresent = 0.1
/** An error line is needed word for word where it is needed at all. Source: npm run evals, 1–4 tried. */
const worthOfErrorLine = 1.5
/** Identifiers, paths and ids count whole; numbers and shouted words, which seldom come back alone, a quarter. */
const identifier = 2
const worthOfNumber = 0.25

export interface Name {
  readonly token: string
  /** Set when everything was read. */
  worth: number
  best: number
  lastSource: number
  readonly use: { -readonly [field in keyof NameUse]: number }
}

/** All names of some texts: what each is worth, and where each stands. */
export interface NameIndex {
  readonly names: readonly Name[]
  /** Per occurrence, over all sources in order. */
  readonly start: Uint32Array
  readonly end: Uint32Array
  readonly name: Uint32Array
  /** First occurrence of each source, and one beyond the last. */
  readonly first: Uint32Array
}

/** Characters that are read, and names that are weighed, in one piece. */
export const charactersAtOnce: number = 16_384
export const namesAtOnce: number = 1_024

export function* indexNames(sources: readonly PassageSource[], options: PassageOptions): Pieces<NameIndex> {
  const ids = new Map<string, number>()
  const names: Name[] = []
  const start: number[] = []
  const end: number[] = []
  const name: number[] = []
  const first = new Uint32Array(sources.length + 1)
  let read = 0
  for (const [at, entry] of sources.entries()) {
    const { text } = entry
    first[at] = start.length
    const add = (token: string, from: number, to: number): void => {
      let id = ids.get(token)
      if (id === undefined) {
        id = names.length
        ids.set(token, id)
        names.push({ token, worth: 0, best: 0, lastSource: -1, use: { occurrences: 0, texts: 0, outputs: 0, inputs: 0 } })
      }
      const known = names[id] as Name
      const isCounted = entry.skimmed !== undefined && from >= entry.skimmed.start && from < entry.skimmed.end
      if (!isCounted) note(known, at, from, entry)
      start.push(from)
      end.push(to)
      name.push(id)
    }
    for (const { start: begin, end: beyond } of stretchesOf(entry)) {
      // Lines that are names as a whole come in their order, behind a name that begins where they do.
      const lines: (readonly [line: string, start: number, end: number])[] = []
      scanErrorLines(text.slice(begin, beyond), (line, from, to) => lines.push([line, begin + from, begin + to]))
      let nextLine = 0
      const addLines = (before: number): void => {
        for (let line = lines[nextLine]; line && line[1] < before; line = lines[++nextLine]) add(...line)
      }
      const found = (token: string, from: number, to: number): void => {
        addLines(from)
        add(token, from, to)
      }
      for (let from = begin; from < beyond; ) {
        const next = scanTerms(text, found, from, charactersAtOnce, options.likenessOf, beyond)
        read += next - from
        from = next
        if (read >= charactersAtOnce) {
          read = 0
          yield
        }
      }
      addLines(Infinity)
    }
  }
  first[sources.length] = start.length
  options.addUnread?.(names)
  for (let at = 0; at < names.length; at++) {
    const entry = names[at] as Name
    entry.worth = worthOf(entry, sources.length, options)
    if (at % namesAtOnce === 0) yield
  }
  return { names, start: new Uint32Array(start), end: new Uint32Array(end), name: new Uint32Array(name), first }
}

/** The stretches of a text that passages may be taken from. */
export function stretchesOf({ text, read = [{ start: 0, end: text.length }] }: PassageSource): readonly Passage[] {
  return read
}

function note(name: Name, at: number, from: number, { kind = 'output', weight, inputsFrom = Infinity, outputsFrom = Infinity }: PassageSource): void {
  const { use } = name
  use.occurrences++
  if (name.lastSource === at) return
  name.lastSource = at
  name.best = Math.max(name.best, weight)
  use.texts++
  if (kind === 'output' || kind === 'failure' || from >= outputsFrom) use.outputs++
  else if (from >= inputsFrom) use.inputs++
}

const none: ReadonlySet<string> = new Set()
const nothingRecent: RecentWords = { said: none, shown: none }

function worthOf(
  { token, best, use }: Name,
  sources: number,
  { present = none, asked = none, recent = nothingRecent, likenessOf = nameWorth }: PassageOptions,
): number {
  const likeness = token.includes(' ') ? identifier : likenessOf(token)
  if (best === 0 || likeness === 0) return 0
  const kind = token.includes(' ') ? worthOfErrorLine : likeness >= identifier ? 1 : likeness >= 0.5 ? worthOfNumber : likeness / 4
  // One that is everywhere needs no reminder.
  const spread = use.texts > Math.max(3, sources * 0.2) ? 0.15 : 1
  const words = compoundWords(token)
  return chanceOfReuse(token, use, recent, words) * kind * best * spread * relevance(token, words, asked, present.has(token))
}

/**
 * From 1 to 12: by how much of a name was asked about. `retryLimit` answers "which retry limit" whole, `retryCount` by half.
 * One that the reader sees elsewhere is worth little, but what was asked about it is not said by its name.
 */
function relevance(name: string, itsWords: readonly string[], asked: ReadonlySet<string>, present: boolean): number {
  const words = itsWords.filter(isLong)
  const found = countIn(asked, words)
  if ((found >= 2 && found === words.length) || asked.has(name)) return present ? 2 : 12
  if (present) return worthOfPresent
  return found === 0 ? 1 : 1 + (found / words.length) * Math.min(found, 2) * 2
}

/** Words of a name or a text, in lower case: four letters or more, compounds taken apart. */
export function wordsOf(text: string): readonly string[] {
  return compoundWords(text).filter(isLong)
}

function isLong(word: string): boolean {
  return word.length > 3
}
