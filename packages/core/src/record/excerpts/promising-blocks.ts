import type { Pieces } from '../../history/pieces.ts'
import type { Passage, PassageOptions, PassageSource } from '../names/name-index.ts'
import { skim, weighed } from '../names/skim.ts'
import type { PlacedSource } from './sources.ts'
import { type Skimmed, unreadNames } from './unread-names.ts'

/** What of some texts is read, and what is known of the rest. */
export interface Promising extends Pick<PassageOptions, 'addUnread'> {
  readonly sources: readonly PassageSource[]
}

/** Share of the characters that long calls and outputs have in any case, whatever else is read. */
const leastShare = 0.5

/**
 * Of long calls and outputs only the blocks are read in which most names are likely to be used again, where all there is are more than so many
 * characters: what a record costs depends on its size, not on how long the history is.
 *
 * @returns As many sources, in the same order.
 */
export function* promisingBlocks(sources: readonly PlacedSource[], characters: number): Pieces<Promising> {
  let [all, long] = [0, 0]
  for (const source of sources) {
    all += source.text.length
    long += lengthOf(source.long)
  }
  const room = Math.max(characters - (all - long), characters * leastShare)
  if (long <= room) return { sources }
  const skimmed: Skimmed[] = []
  const densities: number[] = []
  for (const source of sources) {
    const { text, long: stretch, weight } = source
    if (stretch === undefined) continue
    const known = yield* skim(stretch.of, text.slice(stretch.start, stretch.end))
    skimmed.push({ source, skim: known })
    const { blocks } = known
    for (let at = 0; at < blocks.length; at += 2) densities.push((blocks.charCodeAt(at + 1) * weight) / weighed / blocks.charCodeAt(at))
  }
  const most = Math.ceil((densities.length * room) / long)
  const least = Math.max(Number.MIN_VALUE, Float64Array.from(densities).sort()[densities.length - most] ?? 0)
  const chosen = new Map<PlacedSource, PassageSource>()
  let block = 0
  for (const { source, skim: known } of skimmed) {
    const { blocks } = known
    const { start = 0, end = 0 } = source.long ?? {}
    const read: Passage[] = []
    const add = (from: number, to: number): void => {
      const last = read.at(-1)
      if (last?.end === from) read[read.length - 1] = { start: last.start, end: to }
      else if (from < to) read.push({ start: from, end: to })
    }
    add(0, start)
    let from = start
    for (let at = 0; at < blocks.length; at += 2) {
      const to = from + blocks.charCodeAt(at)
      if ((densities[block++] as number) >= least) add(from, to)
      from = to
    }
    add(end, source.text.length)
    chosen.set(source, { ...source, read, skimmed: { start, end } })
  }
  return { sources: sources.map((source) => chosen.get(source) ?? source), addUnread: unreadNames(skimmed) }
}

function lengthOf(stretch: Passage | undefined): number {
  return stretch ? stretch.end - stretch.start : 0
}
