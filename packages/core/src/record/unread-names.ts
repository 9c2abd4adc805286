import type { Unread } from './name-index.ts'
import { nameKey, type Skim } from './skim.ts'
import type { PlacedSource } from './sources.ts'

/** A text whose long stretch was skimmed, not read. */
export interface Skimmed {
  readonly source: PlacedSource
  readonly skim: Skim
}

type Counted = { -readonly [field in keyof Unread]: Unread[field] }

/** How the names of skimmed texts are used in all of them. @param oldest Characters of the history from its first text on. */
export function unreadNames(skimmed: readonly Skimmed[], oldest: number): (name: string) => Unread | undefined {
  const counted = new Map<number, Counted>()
  for (const { source, skim } of skimmed) {
    const { text, weight, kind = 'output', age = 0 } = source
    for (let at = 0; at < skim.names.length; at++) {
      const key = skim.names[at] as number
      const places = skim.places[at] as number
      let use = counted.get(key)
      if (use === undefined) {
        use = { occurrences: 0, texts: 0, labels: 0, outputs: 0, inputs: 0, users: 0, shortest: Infinity, age: 0, ageShare: 0, best: 0 }
        counted.set(key, use)
      }
      use.occurrences += places & 255
      use.labels += places >> 8
      use.texts++
      if (kind === 'output') use.outputs++
      else use.inputs++
      use.shortest = Math.min(use.shortest, text.length)
      use.best = Math.max(use.best, weight)
      use.age = age
      use.ageShare = age / oldest
    }
  }
  return (name) => counted.get(nameKey(name))
}
