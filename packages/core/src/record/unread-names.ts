import type { Name } from './name-index.ts'
import type { NameUse } from './name-reuse.ts'
import { nameKey, type Skim } from './skim.ts'
import type { PlacedSource } from './sources.ts'

/** A text whose long stretch was skimmed, not read. */
export interface Skimmed {
  readonly source: PlacedSource
  readonly skim: Skim
}

type Counted = { -readonly [field in keyof NameUse]: number } & { best: number }

/** What is counted of both, and adds up. */
const added = ['occurrences', 'texts', 'labels', 'outputs', 'inputs'] as const

/** Adds to a name how the skimmed stretches use it. @param oldest Characters of the history from its first text on. */
export function unreadNames(skimmed: readonly Skimmed[], oldest: number): (name: Name) => void {
  const counted = new Map<number, Counted>()
  for (const { source, skim } of skimmed) {
    const { text, weight, kind = 'output', age = 0 } = source
    const { names } = skim
    for (let at = 0; at < names.length; at += 2) {
      const places = names.charCodeAt(at + 1)
      const key = (names.charCodeAt(at) << 8) | (places >> 8)
      let use = counted.get(key)
      if (use === undefined) {
        use = { occurrences: 0, texts: 0, labels: 0, outputs: 0, inputs: 0, users: 0, shortest: Infinity, age: 0, ageShare: 0, best: 0 }
        counted.set(key, use)
      }
      use.occurrences += (places >> 3) & 31
      use.labels += places & 7
      use.texts++
      if (kind === 'output') use.outputs++
      else use.inputs++
      use.shortest = Math.min(use.shortest, text.length)
      use.best = Math.max(use.best, weight)
      use.age = age
      use.ageShare = age / oldest
    }
  }
  return (name) => {
    const unread = counted.get(nameKey(name.token))
    if (unread === undefined) return
    const { use } = name
    const { age, ageShare } = use.texts === 0 || unread.age < use.age ? unread : use
    for (const field of added) use[field] += unread[field]
    Object.assign(use, { age, ageShare, shortest: Math.min(use.shortest, unread.shortest) })
    name.best = Math.max(name.best, unread.best)
  }
}
