import { seam, type Window } from './excerpt-windows.ts'
import { firstFrom, type NameIndex, type Passage, type PassageSource } from './name-index.ts'

/** Characters on each side that make surroundings of its own. */
const margin = 40
/** How much of a name's worth is had when it stands at the edge of a passage, not in surroundings of its own. Source: npm run evals, 0.64, 0.65 and 1 tried. */
const atEdge = 0.64
/** Gaps smaller than this cost as much to mark as to keep (characters). */
const smallestGap = 4

/** How well each name is shown by the passages chosen so far. */
export interface Coverage {
  show(source: number, passage: Passage): void
  /** Worth of what a window would newly show beside the passages of its text. A name at its edge counts as whole where a passage beside it goes on. */
  gain(passages: readonly Passage[], window: Window): number
}

export function createCoverage(index: NameIndex, sources: readonly PassageSource[]): Coverage {
  const worth = Float64Array.from(index.names, (name) => name.worth)
  const shown = new Float64Array(worth.length)
  // Which look at a window met a name last.
  const met = new Uint32Array(worth.length)
  let look = 0

  /** Share of the worth of an occurrence's name that a passage shows; 0 where it ends before the name does. */
  const shareOf = (at: number, start: number, end: number, length: number): number => {
    const from = index.start[at] as number
    const to = index.end[at] as number
    if (to > end) return 0
    return (start === 0 || from - start >= margin) && (end >= length || end - to >= margin) ? 1 : atEdge
  }
  return {
    show(source, { start, end }) {
      const { length } = (sources[source] as PassageSource).text
      const beyond = firstFrom(index, source, end)
      for (let at = firstFrom(index, source, start); at < beyond; at++) {
        const name = index.name[at] as number
        shown[name] = Math.max(shown[name] as number, shareOf(at, start, end, length))
      }
    },
    gain(passages, window) {
      const { source } = window
      const { length } = (sources[source] as PassageSource).text
      const [from, to] = beside(passages, window)
      const start = Math.min(window.start, passages[from]?.start ?? window.start)
      const end = Math.max(window.end, to > from ? (passages[to - 1] as Passage).end : window.end)
      look++
      let gain = 0
      const beyond = Math.min(end, window.end + seam)
      const last = index.first[source + 1] as number
      for (let at = window.first; at < last && (index.start[at] as number) < beyond; at++) {
        const name = index.name[at] as number
        const before = shown[name] as number
        if (before === 1 || met[name] === look || (index.start[at] as number) < start) continue
        const more = shareOf(at, start, end, length) - before
        if (more <= 0) continue
        met[name] = look
        gain += (worth[name] as number) * more
      }
      return gain
    },
  }
}

/** Which of some sorted passages touch a window, or nearly: from, and to exclusive. */
export function beside(list: readonly Passage[], window: Passage): readonly [from: number, to: number] {
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
