import type { TokenEstimator } from './estimate.ts'
import { builtInEstimator } from './estimate.ts'
import type { Tokens } from './message.ts'
import { nameWorth, scanErrorLines, scanTerms } from './salience.ts'

/** A text that passages may be taken from. `weight` ≥ 0 says how much its words count; 1 is an ordinary tool output. */
export interface PassageSource {
  readonly text: string
  readonly weight: number
  /** Tokens that the first passage costs beyond its text. Default 0. */
  readonly heading?: Tokens
}

/** A span of a source's text, `end` exclusive, in UTF-16 units; never splits a surrogate pair. */
export interface Passage {
  readonly start: number
  readonly end: number
}

export interface PassageOptions {
  readonly estimator?: TokenEstimator
  /** Names that the reader sees elsewhere already: worth little here. */
  readonly present?: ReadonlySet<string>
  /** Words (lower case) that somebody asked about: names made of them are worth more. */
  readonly asked?: ReadonlySet<string>
}

/** Characters of surroundings taken on each side of a name: enough to say what it is about. Source: npm run evals, 36–64 tried. */
const surroundings = 44
/** Gaps smaller than this cost as much to mark as to keep (characters). */
const smallestGap = 24
/** Places of one name that are looked at: the first two and the newest. */
const placesOfName = 6
/** Worth of a line that reports a failure, beside the names in it. */
const worthOfErrorLine = 2
/** Characters on each side that make surroundings of its own. */
const margin = 36

interface Name {
  readonly places: number[]
  readonly worth: number
  sources: number
  lastSource: number
  best: number
  shown: number
}

/**
 * Chooses passages under a budget so that as many names as possible are still shown, each in its own surroundings:
 * greedy by (worth of names not yet shown) ÷ (cost), re-evaluated lazily. Worth falls with how often a name was shown,
 * rises when it was used in more than one place, and favours newer sources.
 *
 * @returns One sorted list of disjoint passages per source, as long as `sources`. Deterministic; near-linear in the text.
 */
export function selectPassages(sources: readonly PassageSource[], budget: Tokens, options: PassageOptions = {}): readonly (readonly Passage[])[] {
  const estimator = options.estimator ?? builtInEstimator
  const index = indexNames(sources, options)
  const chosen: Passage[][] = sources.map(() => [])
  const heap = createHeap()
  for (const place of index.candidates) {
    const gain = gainOf(index, sources, windowAt(index, sources, place))
    if (gain > 0) heap.push(gain / costOf(sources, chosen, windowAt(index, sources, place)), place)
  }
  let left = budget
  let misses = 0
  while (left > 4 && heap.size() > 0 && misses < 400) {
    const { key, value: place } = heap.pop()
    const window = windowAt(index, sources, place)
    const gain = gainOf(index, sources, window)
    if (gain <= 0) continue
    const density = gain / costOf(sources, chosen, window)
    if (density < key * 0.999 && heap.size() > 0 && density < heap.peek()) {
      heap.push(density, place)
      continue
    }
    const list = chosen[window.source] as Passage[]
    const text = (sources[window.source] as PassageSource).text
    const merged = mergedWith(list, window)
    let price = list.length === 0 ? ((sources[window.source] as PassageSource).heading ?? 0) : 0
    price += merged.fresh.reduce((sum, part) => sum + estimator.count(collapse(text.slice(part.start, part.end))), merged.replaced.length === 0 ? 1 : 0)
    if (price > left) {
      misses++
      continue
    }
    left -= price
    chosen[window.source] = [...list.filter((part) => !merged.replaced.includes(part)), merged.passage].sort((a, b) => a.start - b.start)
    show(index, sources, window)
    heap.push(gainOf(index, sources, window) / 1e6, place)
  }
  return chosen
}

interface NameIndex {
  readonly names: readonly Name[]
  /** Per occurrence, over all sources in order. */
  readonly source: Uint32Array
  readonly start: Uint32Array
  readonly end: Uint32Array
  readonly name: Uint32Array
  /** First occurrence of each source, and one beyond the last. */
  readonly first: Uint32Array
  readonly candidates: readonly number[]
}

interface Window {
  readonly source: number
  readonly start: number
  readonly end: number
}

function indexNames(sources: readonly PassageSource[], { present, asked }: PassageOptions): NameIndex {
  const ids = new Map<string, number>()
  const names: Name[] = []
  const source: number[] = []
  const start: number[] = []
  const end: number[] = []
  const name: number[] = []
  const first = new Uint32Array(sources.length + 1)
  sources.forEach(({ text, weight }, at) => {
    first[at] = source.length
    const newness = 0.6 + (0.4 * (at + 1)) / sources.length
    const add = (token: string, from: number, to: number, worth: number): void => {
      let id = ids.get(token)
      if (id === undefined) {
        id = names.length
        ids.set(token, id)
        names.push({
          places: [],
          worth: worth * (present?.has(token) === true ? 0.25 : 1) * relevance(token, asked),
          sources: 0,
          lastSource: -1,
          best: 0,
          shown: 0,
        })
      }
      const entry = names[id] as Name
      const place = source.length
      if (entry.places.length < placesOfName) entry.places.push(place)
      else {
        entry.places.splice(2, 1)
        entry.places.push(place)
      }
      if (entry.lastSource !== at) {
        entry.lastSource = at
        entry.sources++
        entry.best = Math.max(entry.best, weight * newness)
      }
      source.push(at)
      start.push(from)
      end.push(to)
      name.push(id)
    }
    const here: [token: string, from: number, to: number, worth: number][] = []
    scanTerms(text, (token, from, to) => here.push([token, from, to, nameWorth(token)]))
    const terms = here.length
    scanErrorLines(text, (line, from, to) => here.push([line, from, to, worthOfErrorLine]))
    if (here.length > terms) here.sort((a, b) => a[1] - b[1])
    for (const [token, from, to, worth] of here) add(token, from, to, worth)
  })
  first[sources.length] = source.length
  const candidates: number[] = []
  for (const entry of names) if (entry.worth > 0) candidates.push(...entry.places)
  return {
    names,
    source: Uint32Array.from(source),
    start: Uint32Array.from(start),
    end: Uint32Array.from(end),
    name: Uint32Array.from(name),
    first,
    candidates,
  }
}

/** From 1 to 12: by how much of a name was asked about. `retryLimit` answers "which retry limit" whole, `retryCount` by half. */
function relevance(name: string, asked: ReadonlySet<string> | undefined): number {
  if (asked === undefined || asked.size === 0) return 1
  const words = wordsOf(name)
  let found = 0
  for (const word of words) if (asked.has(word)) found++
  if (found >= 2 && found === words.length) return 12
  return found === 0 ? 1 : 1 + (found / words.length) * Math.min(found, 2) * 2
}

/** Words of a name or a text, in lower case: four letters or more, compounds taken apart. */
export function wordsOf(text: string): readonly string[] {
  return (text.replace(/([a-z])([A-Z])/g, '$1 $2').match(/[A-Za-z]{4,40}/g) ?? []).map((word) => word.toLowerCase())
}

/** A name used in several places will be used again; one that is everywhere needs no reminder. */
function worthOf(entry: Name, sources: number): number {
  const spread = entry.sources > Math.max(3, sources * 0.2) ? 0.15 : entry.sources > 1 ? 1.5 : 1
  return entry.worth * entry.best * spread
}

function windowAt(index: NameIndex, sources: readonly PassageSource[], place: number): Window {
  const source = index.source[place] as number
  const { text } = sources[source] as PassageSource
  const start = reach(text, index.start[place] as number, -1)
  return { source, start: snap(text, start, -1), end: snap(text, reach(text, index.end[place] as number, 1), 1) }
}

/** Farthest that surroundings reach in the text itself, white space included (characters). */
const farthest = 160

/** Goes out from a border until `surroundings` characters are passed; a run of white space counts as one, as it will be shown. */
function reach(text: string, border: number, direction: -1 | 1): number {
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
function snap(text: string, border: number, direction: -1 | 1): number {
  let at = border
  for (let step = 0; step < 16 && at > 0 && at < text.length; step++) {
    const code = text.charCodeAt(direction < 0 ? at - 1 : at)
    if (code === 32 || code === 10 || code === 9 || code === 13) return at
    at += direction
  }
  if (at > 0 && at < text.length && isLowSurrogate(text.charCodeAt(at))) at += direction
  return at
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}

/** Calls `visit` for each name in a window, with whether it stands there in surroundings of its own or at the window's edge. */
function eachInside(index: NameIndex, window: Window, length: number, visit: (name: number, whole: boolean) => void): void {
  let low = index.first[window.source] as number
  let high = index.first[window.source + 1] as number
  const last = high
  while (low < high) {
    const middle = (low + high) >> 1
    if ((index.start[middle] as number) < window.start) low = middle + 1
    else high = middle
  }
  for (let at = low; at < last && (index.start[at] as number) < window.end; at++) {
    const start = index.start[at] as number
    const end = index.end[at] as number
    if (end > window.end) continue
    const whole = (window.start === 0 || start - window.start >= margin) && (window.end >= length || window.end - end >= margin)
    visit(index.name[at] as number, whole)
  }
}

function gainOf(index: NameIndex, sources: readonly PassageSource[], window: Window): number {
  const total = index.first.length - 1
  let gain = 0
  let seen: number[] | undefined
  eachInside(index, window, (sources[window.source] as PassageSource).text.length, (id, whole) => {
    seen ??= []
    if (seen.includes(id)) return
    seen.push(id)
    const entry = index.names[id] as Name
    const before = returnsOf(entry.shown)
    gain += worthOf(entry, total) * (before - (whole ? returnsOf(entry.shown + 1) : returnsOf(entry.shown + 0.5)))
  })
  return gain
}

function show(index: NameIndex, sources: readonly PassageSource[], window: Window): void {
  const seen = new Map<number, boolean>()
  eachInside(index, window, (sources[window.source] as PassageSource).text.length, (id, whole) => seen.set(id, whole || seen.get(id) === true))
  for (const [id, whole] of seen) (index.names[id] as Name).shown += whole ? 1 : 0.5
}

/** What is left of a name's worth after it was shown so often; half a time is at the edge of a passage. */
function returnsOf(shown: number): number {
  return shown >= 2 ? 0 : shown >= 1 ? 0.1 : shown >= 0.5 ? 0.35 : 1
}

function costOf(sources: readonly PassageSource[], chosen: readonly (readonly Passage[])[], window: Window): number {
  const list = chosen[window.source] as readonly Passage[]
  let fresh = window.end - window.start
  for (const part of list) fresh -= Math.max(0, Math.min(part.end, window.end) - Math.max(part.start, window.start))
  return Math.max(1, fresh / 4) + 2 + (list.length === 0 ? ((sources[window.source] as PassageSource).heading ?? 0) : 0)
}

/** A window joined with the passages that it touches: `replaced` go into `passage`, `fresh` is what was not shown yet. */
function mergedWith(
  list: readonly Passage[],
  window: Passage,
): { readonly passage: Passage; readonly replaced: readonly Passage[]; readonly fresh: readonly Passage[] } {
  let { start, end } = window
  const replaced: Passage[] = []
  for (const part of list) {
    if (part.end + smallestGap < start || part.start - smallestGap > end) continue
    start = Math.min(start, part.start)
    end = Math.max(end, part.end)
    replaced.push(part)
  }
  const fresh: Passage[] = []
  let at = start
  for (const part of replaced) {
    if (part.start > at) fresh.push({ start: at, end: part.start })
    at = Math.max(at, part.end)
  }
  if (at < end) fresh.push({ start: at, end })
  return { passage: { start, end }, replaced, fresh }
}

/** White space as a reader needs it: one break, one blank. Saves up to a fifth of the tokens of indented code. */
function collapse(text: string): string {
  return text
    .replace(/[ \t]*[\r\n]\s*/g, '\n')
    .replace(/[ \t]{2,}/g, ' ')
    .trim()
}

/** The chosen passages of one text on one line each, gaps marked with an ellipsis. */
export function joinPassages(text: string, passages: readonly Passage[]): string {
  const lines: string[] = []
  let end = 0
  for (const part of passages) {
    if (part.start > end) lines.push('…')
    lines.push(collapse(text.slice(part.start, part.end)))
    end = part.end
  }
  if (end < text.length && passages.length > 0) lines.push('…')
  return lines.join('\n')
}

/**
 * Shortens one text to a budget: its beginning, its end, and the passages between that name most.
 * @returns The text itself when it fits; otherwise a text of at most `budget` tokens by the same estimator, "" when nothing fits.
 */
export function condense(text: string, budget: Tokens, estimator: TokenEstimator = builtInEstimator): string {
  if (estimator.count(text) <= budget) return text
  for (let room = budget - 12; room > 8; room = Math.floor(room * 0.85) - 2) {
    const edge = Math.floor((room * 4) / 14) // characters of head and tail: a fourteenth of the room each
    const head = snap(text, Math.min(text.length, edge), 1)
    const tail = snap(text, Math.max(head, text.length - edge), -1)
    const middle = text.slice(head, tail)
    const inner = selectPassages([{ text: middle, weight: 1 }], Math.floor(room * 0.84), { estimator })[0] ?? []
    const shown = [text.slice(0, head).trimEnd(), joinPassages(middle, inner) || '…', text.slice(tail).trimStart()].join('\n')
    const result = `${shown}\n[${text.length - shown.length} of ${text.length} characters left out]`
    if (estimator.count(result) <= budget) return result
  }
  return ''
}

interface Heap {
  push(key: number, value: number): void
  pop(): { readonly key: number; readonly value: number }
  peek(): number
  size(): number
}

/** A binary max-heap of numbers; ties go to the smaller value, so that the order is the same everywhere. */
function createHeap(): Heap {
  const keys: number[] = []
  const values: number[] = []
  const above = (a: number, b: number): boolean =>
    (keys[a] as number) > (keys[b] as number) || (keys[a] === keys[b] && (values[a] as number) < (values[b] as number))
  const swap = (a: number, b: number): void => {
    ;[keys[a], keys[b]] = [keys[b] as number, keys[a] as number]
    ;[values[a], values[b]] = [values[b] as number, values[a] as number]
  }
  return {
    push(key, value) {
      keys.push(key)
      values.push(value)
      let at = keys.length - 1
      while (at > 0 && above(at, (at - 1) >> 1)) {
        swap(at, (at - 1) >> 1)
        at = (at - 1) >> 1
      }
    },
    pop() {
      const top = { key: keys[0] as number, value: values[0] as number }
      const key = keys.pop() as number
      const value = values.pop() as number
      if (keys.length > 0) {
        keys[0] = key
        values[0] = value
        for (let at = 0; ; ) {
          const left = 2 * at + 1
          let best = at
          if (left < keys.length && above(left, best)) best = left
          if (left + 1 < keys.length && above(left + 1, best)) best = left + 1
          if (best === at) break
          swap(at, best)
          at = best
        }
      }
      return top
    },
    peek: () => keys[0] ?? -Infinity,
    size: () => keys.length,
  }
}
