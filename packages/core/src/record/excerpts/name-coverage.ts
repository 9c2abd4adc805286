import type { NameIndex } from '../names/name-index.ts'
import type { Stretch, Units } from './units.ts'

/** Characters on each side that make surroundings of its own. */
export const margin: number = 40
/** How much of a name's worth is had when it stands at the edge of what is shown, not in surroundings of its own. Source: npm run evals, 0.4 to 0.8 tried. */
const atEdge = 0.6

/** Which units are shown, and how well that shows each name. */
export interface Coverage {
  isShown(unit: number): boolean
  /** Units that are shown of one text. */
  shownOf(source: number): number
  /** Whether the unit before or behind some is shown. */
  isBeside(from: number, to: number): boolean
  /** Shows the units from one up to, but not with, another. Their names count as shown from `keep` on. @returns Those that were not shown before. */
  show(from: number, to: number): readonly number[]
  hide(unit: number): void
  keep(from: number, to: number): void
  /** Worth of what units would newly show: their own names, and those at the edge of what is shown beside them. */
  gain(from: number, to: number): number
}

export function createCoverage({ name, start, end, names }: NameIndex, units: Units): Coverage {
  const worth = Float64Array.from(names, (one) => one.worth)
  const shares = new Float64Array(worth.length)
  const shown = new Uint8Array(units.start.length)
  const counts = new Uint32Array(units.first.length)
  // Which look met a name last.
  const met = new Uint32Array(worth.length)
  let look = 0

  /** What is gained by names that are shown better with some units than without; `isKept`: it is had from then on. */
  const improve = (begin: number, beyondIt: number, isKept: boolean): number => {
    let gain = 0
    const { from: firstUnit, to: beyond, opens, closes } = units.stretches[units.stretch[begin] as number] as Stretch
    const near = (units.start[begin] as number) - margin * 2
    const far = (units.end[beyondIt - 1] as number) + margin * 2
    let from = begin
    while (from > firstUnit && shown[from - 1] === 1 && (units.end[from - 1] as number) > near) from--
    let to = beyondIt
    while (to < beyond && shown[to] === 1 && (units.start[to] as number) < far) to++
    const left = opens && from === firstUnit ? -margin : (units.start[from] as number)
    const stop = units.end[to - 1] as number
    const right = closes && to === beyond ? stop + margin : stop
    const last = units.names[to] as number
    look++
    for (let place = units.names[from] as number; place < last; place++) {
      const known = name[place] as number
      const before = shares[known] as number
      if (before === 1 || met[known] === look || (end[place] as number) > stop) continue
      const share = (start[place] as number) - left >= margin && right - (end[place] as number) >= margin ? 1 : atEdge
      if (share <= before) continue
      met[known] = look
      gain += (worth[known] as number) * (share - before)
      if (isKept) shares[known] = share
    }
    return gain
  }
  const set = (unit: number, to: 0 | 1): void => {
    const at = units.source[unit] as number
    counts[at] = (counts[at] as number) + to - (shown[unit] as number)
    shown[unit] = to
  }
  return {
    isShown: (unit) => shown[unit] === 1,
    shownOf: (source) => counts[source] as number,
    isBeside: (from, to) => isIn(from - 1, from) || isIn(to, from),
    show(from, to) {
      const news: number[] = []
      for (let unit = from; unit < to; unit++) {
        if (shown[unit] === 0) news.push(unit)
        set(unit, 1)
      }
      return news
    },
    hide: (unit) => set(unit, 0),
    keep: (from, to) => void improve(from, to, true),
    gain: (from, to) => improve(from, to, false),
  }

  function isIn(neighbor: number, unit: number): boolean {
    return shown[neighbor] === 1 && units.stretch[neighbor] === units.stretch[unit]
  }
}
