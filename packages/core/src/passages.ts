import { builtInEstimator, type TokenEstimator } from './estimate.ts'
import { createHeap } from './heap.ts'
import type { Tokens } from './message.ts'
import { eachBetween, indexNames, type Name, type NameIndex, type Passage, type PassageOptions, type PassageSource } from './name-index.ts'
import { joinPassages, type Window, widths, windowAt } from './windows.ts'

/** Gaps smaller than this cost as much to mark as to keep (characters). */
const smallestGap = 4
/** Characters on each side that make surroundings of its own. */
const margin = 40
/** Names this near to a passage (characters) become cheaper by it. */
const neighbourhood = 140
/** Share of the budget up to which estimates of costs are trusted, and how many windows may turn out too large after that. */
const nearlyFull = 0.95
const mostMisses = 60

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
      if (gain > 0) heap.push(gain / costOf(rates, chosen, window), value)
    }
  }
  for (const { places } of promising(index, budget)) for (const place of places) offer(place)

  // Costs on the way are estimates; what counts is the text that comes of it.
  const counts = sources.map(() => 0)
  let used = 0
  const recount = (at: number): void => {
    const { text, label = '' } = sources[at] as PassageSource
    const list = chosen[at] as Passage[]
    const tokens = list.length === 0 ? 0 : estimator.count(`${label}${joinPassages(text, list)}\n`)
    used += tokens - (counts[at] as number)
    counts[at] = tokens
  }
  for (let at = 0; at < sources.length; at++) recount(at)

  const steps: Step[] = []
  let spent = used
  /** Takes the window that shows most for its cost now; undefined when nothing more is worth showing. */
  const take = (): Step | undefined => {
    while (heap.size() > 0) {
      const { key, value } = heap.pop()
      const window = windowOf(value)
      const gain = gainOf(index, sources, chosen, window)
      if (gain <= 0) continue
      const cost = costOf(rates, chosen, window)
      const density = gain / cost
      if (density >= key * 0.999 || heap.size() === 0 || density >= heap.peek()) return join(chosen[window.source] as Passage[], window, cost)
      heap.push(density, value)
    }
    return undefined
  }
  const keep = (step: Step): void => {
    const { window, passage, cost } = step
    spent += cost
    steps.push(step)
    show(index, sources, passage, window.source)
    eachBetween(index, window.source, window.start - neighbourhood, window.end + neighbourhood, offer)
  }
  const undo = ({ window: { source }, passage, replaced }: Step): void => {
    const list = chosen[source] as Passage[]
    list.splice(list.indexOf(passage), 1, ...replaced)
    recount(source)
  }
  const fill = (limit: number): void => {
    const changed = new Set<number>()
    while (spent < limit) {
      const step = take()
      if (step === undefined) break
      keep(step)
      changed.add(step.window.source)
    }
    changed.forEach(recount)
  }
  fill(budget * 0.7)
  for (let round = 0; round < 4 && used < budget * nearlyFull; round++) {
    fill(spent + (budget - used) * nearlyFull * Math.min(1.2, spent / Math.max(1, used)))
  }
  while (used > budget && steps.length > 0) undo(steps.pop() as Step)
  // The last few are weighed one by one.
  for (let misses = 0; misses < mostMisses; ) {
    const step = take()
    if (step === undefined) break
    recount(step.window.source)
    if (used <= budget) keep(step)
    else {
      undo(step)
      misses++
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

/** Tokens a character of each text, of its label, and of the mark between two passages. */
interface Rates {
  readonly text: readonly number[]
  readonly label: readonly Tokens[]
  readonly mark: number
}

function ratesOf(sources: readonly PassageSource[], estimator: TokenEstimator): Rates {
  const text = sources.map((source) => estimator.count(source.text.slice(0, 2_000)) / Math.max(1, Math.min(2_000, source.text.length)))
  const marked = estimator.count('word…\n'.repeat(16)) - estimator.count('word '.repeat(16))
  return { text, label: sources.map(({ label = '' }) => estimator.count(label)), mark: Math.max(0.6, marked / 16) }
}

/** One choice, so that it can be taken back: `replaced` went into `passage`. */
interface Step {
  readonly window: Window
  readonly cost: number
  readonly passage: Passage
  readonly replaced: readonly Passage[]
}

/** Joins a window with the passages that it touches. */
function join(list: Passage[], window: Window, cost: number): Step {
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
const atEdge = 0.64

function costOf(rates: Rates, chosen: readonly (readonly Passage[])[], window: Window): number {
  const list = chosen[window.source] as readonly Passage[]
  const [from, to] = beside(list, window)
  let fresh = window.end - window.start
  for (let at = from; at < to; at++) {
    const part = list[at] as Passage
    fresh -= Math.max(0, Math.min(part.end, window.end) - Math.max(part.start, window.start))
  }
  // A passage of its own costs its mark.
  const label = list.length === 0 ? (rates.label[window.source] as number) : 0
  return Math.max(0.5, fresh * (rates.text[window.source] as number)) + (to > from ? 0 : rates.mark) + label
}
