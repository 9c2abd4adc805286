import { memoized } from '../../history/memoize.ts'
import type { Name } from '../names/name-index.ts'
import { nameKey, type Skim } from '../names/skim.ts'
import type { PlacedSource } from './sources.ts'

/** A text whose long stretch was skimmed, not read. */
export interface Skimmed {
  readonly source: PlacedSource
  readonly skim: Skim
}

/** Adds to names how the skimmed stretches use them; most names there are none of these. */
export function unreadNames(skimmed: readonly Skimmed[]): (names: readonly Name[]) => void {
  return (names) => {
    const byKey = new Map<number, Name[]>()
    // What begins like none of their keys is passed over without looking for it.
    const begins = new Uint8Array(65_536)
    for (const name of names) {
      const key = nameKey(name.token)
      begins[key >> 8] = 1
      memoized(byKey, key, (): Name[] => []).push(name)
    }
    for (const { source, skim } of skimmed) {
      const { weight, kind = 'output' } = source
      const { names: said } = skim
      for (let at = 0; at < said.length; at += 2) {
        const begin = said.charCodeAt(at)
        if (begins[begin] === 0) continue
        const places = said.charCodeAt(at + 1)
        for (const name of byKey.get((begin << 8) | (places >> 8)) ?? []) {
          const { use } = name
          use.occurrences += places & 255
          use.texts++
          use[kind === 'output' ? 'outputs' : 'inputs']++
          name.best = Math.max(name.best, weight)
        }
      }
    }
  }
}
