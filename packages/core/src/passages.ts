import { builtInEstimator, type TokenEstimator } from './estimate.ts'
import { createHeap } from './heap.ts'
import type { Tokens } from './message.ts'
import { eachBetween, indexNames, type Name, type NameIndex, type Passage, type PassageOptions, type PassageSource } from './name-index.ts'

/** Characters of surroundings taken on each side of a name: barely legible, or enough to say what it is about. Source: npm run evals, 0–64 tried. */
const widths: readonly number[] = [16, 40]
/** Gaps smaller than this cost as much to mark as to keep (characters). */
const smallestGap = 4
/** Characters on each side that make surroundings of its own. */
const margin = 40
/** Names this near to a passage (characters) become cheaper by it. */
const neighbourhood = 140

/**
 * Chooses passages under a budget so that the names most likely used again are still shown, in their own surroundings where they are worth it:
 * greedy by (worth of what it newly shows) ÷ (cost), looked at again when a neighbour was chosen, until the budget is used.
 *
 * @returns One sorted list of disjoint passages per source, as long as `sources`. Deterministic; near-linear in the text.
 */
export function selectPassages(
  sources: readonly PassageSource[],
  budget: Tokens,
  options: PassageOptions & { readonly estimator?: TokenEstimator } = {},
): readonly (readonly Passage[])[] {
  const estimator = options.estimator ?? builtInEstimator
  const index = indexNames(sources, options)
  const chosen = sources.map(({ given = [] }): Passage[] => [...given])
  chosen.forEach((list, at) => {
    for (const passage of list) show(index, sources, passage, at)
  })
  const rates = ratesOf(sources, estimator)
  const heap = createHeap()
  // A window is looked at several times: when it is offered, when a neighbour was chosen, when it is its turn.
  const windows: (Window | undefined)[] = []
  const windowOf = (value: number): Window => {
    const known = windows[value]
    if (known !== undefined) return known
    const window = windowAt(index, sources, Math.floor(value / widths.length), value % widths.length)
    windows[value] = window
    return window
  }
  const offer = (place: number): void => {
    for (let value = place * widths.length; value < (place + 1) * widths.length; value++) {
      const window = windowOf(value)
      const gain = gainOf(index, sources, chosen, window)
      if (gain > 0) heap.push(gain / costOf(sources, rates, chosen, window), value)
    }
  }
  for (const { places } of promising(index, budget)) for (const place of places) offer(place)

  const steps: Step[] = []
  let spent = 0
  const fill = (limit: number): void => {
    while (spent < limit && heap.size() > 0) {
      const { key, value } = heap.pop()
      const window = windowOf(value)
      const gain = gainOf(index, sources, chosen, window)
      if (gain <= 0) continue
      const cost = costOf(sources, rates, chosen, window)
      const density = gain / cost
      if (density < key * 0.999 && heap.size() > 0 && density < heap.peek()) {
        heap.push(density, value)
        continue
      }
      spent += cost
      const step = take(chosen[window.source] as Passage[], window, cost)
      steps.push(step)
      changed.add(window.source)
      show(index, sources, step.passage, window.source)
      eachBetween(index, window.source, window.start - neighbourhood, window.end + neighbourhood, offer)
    }
  }

  // Costs on the way are estimates; what counts is the text that comes of it.
  const changed = new Set<number>(chosen.keys())
  const counts = sources.map(() => 0)
  const count = (): Tokens => {
    for (const at of changed) {
      const { text, heading = 0 } = sources[at] as PassageSource
      const list = chosen[at] as Passage[]
      counts[at] = list.length === 0 ? 0 : heading + 1 + estimator.count(joinPassages(text, list))
    }
    changed.clear()
    return counts.reduce((sum, tokens) => sum + tokens, 0)
  }
  spent = count()
  fill(budget * 0.7)
  for (let round = 0; round < 5 && heap.size() > 0; round++) {
    const used = count()
    if (used >= budget * 0.995) break
    fill(spent + (budget - used) * Math.min(1.2, spent / Math.max(1, used)))
  }
  for (let used = count(); used > budget && steps.length > 0; used = count()) {
    for (let excess = (used - budget) * (spent / used); excess > 0 && steps.length > 0; ) {
      const step = steps.pop() as Step
      excess -= step.cost
      spent -= step.cost
      const list = chosen[step.window.source] as Passage[]
      list.splice(list.indexOf(step.passage), 1, ...step.replaced)
      changed.add(step.window.source)
    }
  }
  return chosen
}

/** The worthiest names, several times as many as the budget can show; the others are offered where they stand beside a choice. */
function promising({ names }: NameIndex, budget: Tokens): readonly Name[] {
  const most = Math.max(400, Math.ceil(budget / 2))
  const worthy = names.filter(({ worth }) => worth > 0)
  return worthy.length <= most ? worthy : worthy.toSorted((a, b) => b.worth - a.worth).slice(0, most)
}

/** Tokens a character of each text, and of the mark between two passages. */
interface Rates {
  readonly text: readonly number[]
  readonly mark: number
}

function ratesOf(sources: readonly PassageSource[], estimator: TokenEstimator): Rates {
  const text = sources.map((source) => estimator.count(source.text.slice(0, 2_000)) / Math.max(1, Math.min(2_000, source.text.length)))
  const marked = estimator.count('word…\n'.repeat(16)) - estimator.count('word '.repeat(16))
  return { text, mark: Math.max(0.6, marked / 16) }
}

/** One choice, so that it can be taken back: `replaced` went into `passage`. */
interface Step {
  readonly window: Window
  readonly cost: number
  readonly passage: Passage
  readonly replaced: readonly Passage[]
}

/** Joins a window with the passages that it touches. */
function take(list: Passage[], window: Window, cost: number): Step {
  const [from, to] = beside(list, window)
  const replaced = list.slice(from, to)
  const passage = { start: Math.min(window.start, replaced[0]?.start ?? window.start), end: Math.max(window.end, replaced.at(-1)?.end ?? window.end) }
  list.splice(from, to - from, passage)
  return { window, cost, passage, replaced }
}

/** Which of some sorted passages touch a window, or nearly: from, and to exclusive. */
function beside(list: readonly Passage[], window: Passage): readonly [from: number, to: number] {
  let from = 0
  for (let high = list.length; from < high; ) {
    const middle = (from + high) >> 1
    if ((list[middle] as Passage).end + smallestGap < window.start) from = middle + 1
    else high = middle
  }
  let to = from
  while (to < list.length && (list[to] as Passage).start - smallestGap <= window.end) to++
  return [from, to]
}

interface Window extends Passage {
  readonly source: number
}

function windowAt(index: NameIndex, sources: readonly PassageSource[], place: number, width: number): Window {
  const source = index.source[place] as number
  const { text, inputsFrom = Infinity } = sources[source] as PassageSource
  const from = reach(text, index.start[place] as number, -1, widths[width] as number)
  const to = reach(text, index.end[place] as number, 1, widths[width] as number)
  const end = toLine(text, snap(text, to, 1), 1)
  // A call is shown with its answer.
  const answered = end > inputsFrom && text.length - end <= answerReach
  return { source, start: toLine(text, snap(text, from, -1), -1), end: answered ? text.length : end }
}

/** Characters to the border of a line up to which it is shown to its border, and to the end of a call's answer. */
const lineReach = 20
const answerReach = 80

function toLine(text: string, border: number, direction: -1 | 1): number {
  for (let at = border, step = 0; step <= lineReach; step++, at += direction) {
    if (at <= 0 || at >= text.length) return Math.max(0, Math.min(text.length, at))
    if (text.charCodeAt(direction < 0 ? at - 1 : at) === 10) return at
  }
  return border
}

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
  if (at > 0 && at < text.length && isLowSurrogate(text.charCodeAt(at))) at += direction
  return at
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}

/** Calls `visit` for each name in a stretch of a text, with whether it stands there in surroundings of its own or at the edge. */
function eachInside(index: NameIndex, source: number, near: Passage, part: Passage, length: number, visit: (name: number, whole: boolean) => void): void {
  eachBetween(index, source, near.start, near.end, (at) => {
    const start = index.start[at] as number
    const end = index.end[at] as number
    if (end > part.end) return
    const whole = (part.start === 0 || start - part.start >= margin) && (part.end >= length || part.end - end >= margin)
    visit(index.name[at] as number, whole)
  })
}

/** What a window would newly show. A name at its edge counts as whole where a passage beside it goes on. */
function gainOf(index: NameIndex, sources: readonly PassageSource[], chosen: readonly (readonly Passage[])[], window: Window): number {
  const list = chosen[window.source] as readonly Passage[]
  const [from, to] = beside(list, window)
  const start = Math.min(window.start, list[from]?.start ?? window.start)
  const end = Math.max(window.end, to > from ? (list[to - 1] as Passage).end : window.end)
  // Names of the passages beside it matter only near the seam.
  const seen: number[] = []
  let gain = 0
  const near = { start: Math.max(start, window.start - 2 * margin), end: Math.min(end, window.end + 2 * margin) }
  eachInside(index, window.source, near, { start, end }, (sources[window.source] as PassageSource).text.length, (id, whole) => {
    if (seen.includes(id)) return
    const entry = index.names[id] as Name
    const more = (whole ? 1 : atEdge) - entry.shown
    if (more <= 0) return
    seen.push(id)
    gain += entry.worth * more
  })
  return gain
}

function show(index: NameIndex, sources: readonly PassageSource[], passage: Passage, source: number): void {
  eachInside(index, source, passage, passage, (sources[source] as PassageSource).text.length, (id, whole) => {
    const entry = index.names[id] as Name
    entry.shown = Math.max(entry.shown, whole ? 1 : atEdge)
  })
}

/** How much of a name's worth is had when it stands at the edge of a passage, not in surroundings of its own. */
const atEdge = 0.67

function costOf(sources: readonly PassageSource[], rates: Rates, chosen: readonly (readonly Passage[])[], window: Window): number {
  const list = chosen[window.source] as readonly Passage[]
  const [from, to] = beside(list, window)
  let fresh = window.end - window.start
  for (let at = from; at < to; at++) {
    const part = list[at] as Passage
    fresh -= Math.max(0, Math.min(part.end, window.end) - Math.max(part.start, window.start))
  }
  // A passage of its own costs its mark.
  const heading = list.length === 0 ? ((sources[window.source] as PassageSource).heading ?? 0) : 0
  return Math.max(0.5, fresh * (rates.text[window.source] as number)) + (to > from ? 0 : rates.mark) + heading
}

/** White space as a reader needs it: one break, one blank. Saves up to a fifth of the tokens of indented code. */
function collapse(text: string): string {
  return text
    .replace(/[ \t]*[\r\n]\s*/g, '\n')
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
