import { builtInEstimator, type TokenEstimator } from '../budget/estimate.ts'
import type { Tokens } from '../history/message.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import { joinPassages, type Window, windowAt } from './excerpt-windows.ts'
import { createHeap } from './heap.ts'
import { beside, createCoverage } from './name-coverage.ts'
import { firstFrom, indexNames, type Name, type NameIndex, type Passage, type PassageOptions, type PassageSource } from './name-index.ts'

/** Names this near to a passage (characters) become cheaper by it. */
const neighborhood = 140
/** Characters for each token of the budget from which on it is tight, and more names are shown in half the words each. Source: npm run evals, 23 to 50 tried. */
const tight = 40
/** Share of the budget up to which estimates of costs are trusted, how much of that at first, and how many windows may turn out too large after that. */
const nearlyFull = 0.95
const firstFill = 0.75
const mostMisses = 60
/** Names that are offered, windows that are taken and looked at, and characters that are counted in one piece. */
const offersAtOnce = 32
const stepsAtOnce = 8
const looksAtOnce = 512
const charactersAtOnce = 16_384

/**
 * Chooses passages under a budget so that the names most likely used again are still shown, in their own surroundings where they are worth it:
 * greedy by (worth of what it newly shows) ÷ (cost), looked at again when a neighbor was chosen, until the budget is used.
 *
 * @returns One sorted list of disjoint passages per source, as long as `sources`. Deterministic; near-linear in the text.
 */
export function selectPassages(sources: readonly PassageSource[], budget: Tokens, options: SelectOptions = {}): readonly (readonly Passage[])[] {
  return finished(passagesInPieces(sources, budget, options))
}

export interface SelectOptions extends PassageOptions {
  readonly estimator?: TokenEstimator
  /** How passages of a source are shown, which is what counts. */
  readonly show?: (source: PassageSource, passages: readonly Passage[]) => string
}

/** The same in pieces. */
export function* passagesInPieces(sources: readonly PassageSource[], budget: Tokens, options: SelectOptions = {}): Pieces<readonly (readonly Passage[])[]> {
  const { estimator = builtInEstimator, show = ({ text, label = '' }, passages) => `${label}${joinPassages(text, passages)}` } = options
  const index = yield* indexNames(sources, options)
  const chosen = sources.map(({ given = [] }): Passage[] => [...given])
  const coverage = createCoverage(index, sources)
  chosen.forEach((list, at) => {
    for (const passage of list) coverage.show(at, passage)
  })
  yield
  const rates = yield* ratesOf(sources, estimator)
  yield
  const part = budget * tight < sources.reduce((sum, { text }) => sum + text.length, 0) ? 0.5 : 1
  const heap = createHeap()
  // Narrow and wide at each place. A window is looked at several times: when it is offered, when a neighbor was chosen, when it is its turn.
  const windows: (Window | undefined)[] = new Array(index.name.length * 2)
  const windowOf = (value: number): Window => {
    const known = windows[value]
    if (known !== undefined) return known
    const window = windowAt(index, sources, value >> 1, value % 2 > 0, part)
    windows[value] = window
    return window
  }
  const offer = (place: number): void => {
    for (let value = place * 2; value < place * 2 + 2; value++) {
      const window = windowOf(value)
      const gain = coverage.gain(chosen[window.source] as Passage[], window)
      if (gain > 0) heap.push(gain / costOf(rates, chosen, window), value)
    }
  }
  for (const [at, { places }] of promising(index, budget).entries()) {
    for (const place of places) offer(place)
    if (at % offersAtOnce === 0) yield
  }

  // Costs on the way are estimates; what counts is the text that comes of it.
  const counts = sources.map(() => 0)
  let used = 0
  const recount = (at: number): number => {
    const list = chosen[at] as Passage[]
    const tokens = list.length === 0 ? 0 : estimator.count(`${show(sources[at] as PassageSource, list)}\n`)
    used += tokens - (counts[at] as number)
    counts[at] = tokens
    return (sources[at] as PassageSource).text.length
  }
  for (let at = 0; at < sources.length; at++) recount(at)

  const steps: Step[] = []
  let spent = used
  /** Takes the window that shows most for its cost now; undefined when nothing more is worth showing. */
  const take = function* (): Pieces<Step | undefined> {
    for (let looks = 1; heap.size() > 0; looks++) {
      if (looks % looksAtOnce === 0) yield
      const { key, value } = heap.pop()
      const window = windowOf(value)
      const gain = coverage.gain(chosen[window.source] as Passage[], window)
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
    coverage.show(window.source, passage)
    const last = index.first[window.source + 1] as number
    for (let at = firstFrom(index, window.source, window.start - neighborhood); at < last && (index.start[at] as number) < window.end + neighborhood; at++)
      offer(at)
  }
  const undo = ({ window: { source }, passage, replaced }: Step): void => {
    const list = chosen[source] as Passage[]
    list.splice(list.indexOf(passage), 1, ...replaced)
    recount(source)
  }
  const fill = function* (limit: number): Pieces<void> {
    const changed = new Set<number>()
    while (spent < limit) {
      const step = yield* take()
      if (step === undefined) break
      keep(step)
      changed.add(step.window.source)
      if (steps.length % stepsAtOnce === 0) yield
    }
    let counted = 0
    for (const at of changed) {
      counted += recount(at)
      if (counted < charactersAtOnce) continue
      counted = 0
      yield
    }
  }
  for (let round = 0; round < 4 && used < budget * nearlyFull; round++) {
    yield* fill(spent + (budget - used) * nearlyFull * Math.min(1.2, spent / used || firstFill))
  }
  while (used > budget && steps.length > 0) undo(steps.pop() as Step)
  // The last few are weighed one by one.
  for (let misses = 0; misses < mostMisses; ) {
    const step = yield* take()
    if (step === undefined) break
    recount(step.window.source)
    if (used <= budget) keep(step)
    else {
      undo(step)
      misses++
    }
    yield
  }
  return chosen
}

/** The worthiest names, several times as many as the budget can show; the others are offered where they stand beside a choice. */
function promising({ names }: NameIndex, budget: Tokens): readonly Name[] {
  const most = Math.max(400, Math.ceil(budget / 2))
  const worths = Float64Array.from(names, ({ worth }) => worth).sort()
  const least = worths[worths.length - most] ?? 0
  const worthy = names.filter(({ worth }) => worth > 0 && worth >= least)
  return worthy.sort((a, b) => b.worth - a.worth).slice(0, most)
}

/** Tokens of the mark between two passages, as the built-in estimator counts it. */
const mark = 0.6

/** Tokens a character of each text, and of its label. */
interface Rates {
  readonly text: readonly number[]
  readonly label: readonly Tokens[]
}

function* ratesOf(sources: readonly PassageSource[], estimator: TokenEstimator): Pieces<Rates> {
  const rates = { text: [] as number[], label: [] as Tokens[] }
  for (const { text, label = '' } of sources) {
    rates.text.push(estimator.count(text.slice(0, 2_000)) / Math.max(1, Math.min(2_000, text.length)))
    rates.label.push(estimator.count(label))
    if (rates.text.length % 8 === 0) yield
  }
  return rates
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
  return Math.max(0.5, fresh * (rates.text[window.source] as number)) + (to > from ? 0 : mark) + label
}
