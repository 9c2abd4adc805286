import { builtInEstimator, type TokenEstimator } from '../../budget/estimate.ts'
import type { Tokens } from '../../history/message.ts'
import { finished, type Pieces } from '../../history/pieces.ts'
import { indexNames, type NameIndex, type Passage, type PassageOptions, type PassageSource } from '../names/name-index.ts'
import { joinPassages } from './join-passages.ts'
import { createMaxHeap } from './max-heap.ts'
import { createCoverage, margin } from './name-coverage.ts'
import { promisingUnits } from './promising-units.ts'
import { measureRates, type Rates } from './rates.ts'
import { type Stretch, type Units, unitsOf } from './units.ts'

/** Share of the budget up to which estimates of costs are trusted, how much of that at first, and how many units may turn out too large after that. */
const nearlyFull = 0.95
const firstFill = 0.75
const mostMisses = 60
/** Share of what is estimated that a choice costs in any case. */
const surely = 0.6
/** Units that are offered, or looked at, in one piece. */
const unitsAtOnce = 64

/** What a unit is worth more than the one before it: of two that are alike, the newer. Source: npm run evals, 0 to 1e-5 tried, no difference that is more than chance. */
const newer = 1e-5

/** Tokens of the mark between two passages, as the built-in estimator counts it. */
const mark = 0.6

/**
 * Chooses passages under a budget so that the names most likely used again are still shown, in their own surroundings where they are worth it:
 * whole lines, and sentences of long ones, greedy by (worth of what it newly shows) ÷ (cost), looked at again when what stands beside it was chosen, until the budget is used.
 *
 * @returns One sorted list of disjoint passages per source, as long as `sources`. Deterministic; near-linear in the text.
 */
export function selectPassages(sources: readonly PassageSource[], budget: Tokens, options: SelectOptions = {}): readonly (readonly Passage[])[] {
  const show: SelectOptions['show'] = ({ text, label = '' }, passages) => `${label}${joinPassages(text, passages)}`
  return finished(finished(choiceOf(sources, budget, { estimator: builtInEstimator, show, ...options })).within(budget))
}

/** What may be chosen from, and what is chosen under a budget, and then again under others. */
export interface Choice {
  readonly index: NameIndex
  within(budget: Tokens): Pieces<readonly (readonly Passage[])[]>
}

export interface SelectOptions extends PassageOptions {
  readonly estimator?: TokenEstimator
  /** How passages of a source are shown, which is what counts. */
  readonly show?: (source: PassageSource, passages: readonly Passage[]) => string
  /** Shows what stands first where nothing more is named. */
  readonly fills?: boolean
}

/** Nothing is left to a default. */
export type ChoiceOptions = SelectOptions & Required<Pick<SelectOptions, 'estimator' | 'show'>>

/** The same in pieces. Under a smaller budget than before, what was chosen last is given back first. */
export function* choiceOf(sources: readonly PassageSource[], budget: Tokens, options: ChoiceOptions): Pieces<Choice> {
  const { estimator, fills, show } = options
  const index = yield* indexNames(sources, options)
  const units = yield* unitsOf(sources, index)
  const coverage = createCoverage(index, units)
  const steps = givenUnits(sources, units)
  for (const unit of steps) {
    coverage.show(unit, unit + 1)
    coverage.keep(unit, unit + 1)
  }
  const rates: Rates[] = []
  const ratesOf = (at: number): Rates => (rates[at] ??= measureRates(sources[at] as PassageSource, estimator))

  /** Where the choice begins and ends that was looked at last: one unit, or as many around it as make surroundings of its own. */
  let [from, to] = [0, 0]
  const look = (choice: number): void => {
    const unit = choice >> 1
    from = unit
    to = unit + 1
    if (choice % 2 === 0) return
    const { from: first, to: beyond } = units.stretches[units.stretch[unit] as number] as Stretch
    while (from > first && (units.start[unit] as number) - (units.start[from] as number) < margin) from--
    while (to < beyond && (units.end[to - 1] as number) - (units.end[unit] as number) < margin) to++
  }
  const costOf = (begin = from, end = to): number => {
    const at = units.source[begin] as number
    let size = 0
    for (let unit = begin; unit < end; unit++) if (!coverage.isShown(unit)) size += (units.size[unit] as number) + 1
    const { text, label } = ratesOf(at)
    // A passage of its own costs its mark, the first of a text its label.
    return size * text + (coverage.isBeside(begin, end) ? 0 : mark) + (coverage.shownOf(at) === 0 ? label : 0)
  }
  const heap = createMaxHeap()
  /** At what density each choice was offered last; what was offered for less before is passed over. */
  const offered = new Float64Array(units.start.length * 2)
  const densityOf = (choice: number): number => {
    look(choice)
    const gain = coverage.gain(from, to)
    return gain <= 0 ? 0 : (gain / costOf()) * (1 + from * newer)
  }
  const offer = (choice: number, density = densityOf(choice)): void => {
    if (density <= (offered[choice] as number)) return
    offered[choice] = density
    heap.push(density, choice)
  }
  const offerUnit = (unit: number): void => {
    if (!coverage.isShown(unit)) offer(unit * 2)
    offer(unit * 2 + 1)
  }
  for (const [at, unit] of promisingUnits(index, units, budget).entries()) {
    offerUnit(unit)
    if (at % unitsAtOnce === 0) yield
  }

  // Costs on the way are estimates; what counts is the text that comes of it.
  const counts = sources.map(() => 0)
  let used = 0
  const recount = (at: number): void => {
    const tokens = coverage.shownOf(at) === 0 ? 0 : estimator.count(`${show(sources[at] as PassageSource, passagesOf(at))}\n`)
    used += tokens - (counts[at] as number)
    counts[at] = tokens
  }
  const recountAll = function* (changed: Iterable<number>): Pieces<void> {
    for (const at of changed) {
      recount(at)
      yield
    }
  }
  const passagesOf = (at: number): Passage[] => {
    const passages: Passage[] = []
    const beyond = units.first[at + 1] as number
    for (let unit = units.first[at] as number; unit < beyond; unit++) {
      if (!coverage.isShown(unit)) continue
      const from = unit
      while (unit + 1 < beyond && coverage.isBeside(unit, unit + 1) && coverage.isShown(unit + 1)) unit++
      passages.push({ start: units.start[from] as number, end: units.end[unit] as number })
    }
    return passages
  }
  yield* recountAll(sources.keys())

  let [spent, looks] = [used, 0]
  /** What shows most for its cost now; undefined when nothing more is worth showing, −1 where that takes another look. It is what was looked at last. */
  const best = (): number | undefined => {
    while (heap.size() > 0) {
      if (++looks % unitsAtOnce === 0) return -1
      const key = heap.peek()
      const choice = heap.pop()
      if (key !== offered[choice]) continue
      offered[choice] = 0
      const density = densityOf(choice)
      if (density > 0 && (density >= key * 0.999 || density >= heap.peek())) return choice
      offer(choice, density)
    }
    return undefined
  }
  /** @returns The units that are shown for it and were not before. */
  const take = (choice: number): readonly number[] => {
    look(choice)
    spent += costOf()
    return coverage.show(from, to)
  }
  /** What was taken last stays: what stands beside it is cheaper now, and may be shown with surroundings of its own. */
  const keep = function* (news: readonly number[]): Pieces<void> {
    coverage.keep(from, to)
    steps.push(...news)
    const at = units.source[from] as number
    const [first, beyond] = [units.first[at] as number, units.first[at + 1] as number]
    const isFirst = coverage.shownOf(at) === news.length
    const last = isFirst ? beyond : Math.min(beyond, to + 1)
    for (let near = isFirst ? first : Math.max(first, from - 1); near < last; near++) {
      offerUnit(near)
      if (near % unitsAtOnce === 0) yield
    }
  }
  /** Gives back the newest units, until what is left fits. */
  const undo = function* (within: Tokens): Pieces<void> {
    while (used > within && steps.length) {
      const changed = new Set<number>()
      for (let freed = 0; freed < used - within && steps.length; ) {
        const unit = steps.pop() as number
        coverage.hide(unit)
        freed += costOf(unit, unit + 1)
        changed.add(units.source[unit] as number)
      }
      yield* recountAll(changed)
    }
  }
  const fill = function* (limit: number): Pieces<void> {
    const changed = new Set<number>()
    while (spent < limit) {
      const choice = best()
      if (choice === undefined) break
      if (choice < 0) yield
      else {
        yield* keep(take(choice))
        changed.add(units.source[choice >> 1] as number)
      }
    }
    yield* recountAll(changed)
  }
  for (let round = 0; round < 4 && used < budget * nearlyFull; round++) {
    yield* fill(spent + (budget - used) * nearlyFull * Math.min(1.2, spent / used || firstFill))
  }
  const choose = function* (within: Tokens): Pieces<readonly (readonly Passage[])[]> {
    yield* undo(within)
    // The last few are weighed one by one.
    for (let misses = 0; misses < mostMisses; yield) {
      const choice = best()
      if (choice === undefined) break
      if (choice < 0) continue
      const at = units.source[choice >> 1] as number
      misses++
      if (costOf() * surely > within - used) continue
      const news = take(choice)
      recount(at)
      if (used > within) {
        news.forEach(coverage.hide)
        recount(at)
        continue
      }
      misses--
      yield* keep(news)
    }
    if (fills) {
      // Where nothing more is named, what stands first, in the newest text first.
      const limit = spent + (within - used) * nearlyFull
      for (let at = sources.length; at-- > 0; )
        for (let unit = units.first[at] as number; unit < (units.first[at + 1] as number) && spent < limit; unit++)
          if (!coverage.isShown(unit)) steps.push(...take(unit * 2))
      yield* recountAll(sources.keys())
      yield* undo(within)
    }
    return sources.map((_, at) => passagesOf(at))
  }
  return { index, within: choose }
}

/** The units that the passages lie in which are shown first. */
function givenUnits(sources: readonly PassageSource[], { start, end, first }: Units): number[] {
  return sources.flatMap(({ given = [] }, at) => {
    const found: number[] = []
    let next = 0
    for (let unit = first[at] as number; unit < (first[at + 1] as number); unit++) {
      while (given[next] && (given[next] as Passage).end <= (start[unit] as number)) next++
      if ((given[next]?.start ?? Infinity) < (end[unit] as number)) found.push(unit)
    }
    return found
  })
}
