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
const added = ['occurrences', 'texts', 'outputs', 'inputs'] as const

/** Adds to a name how the skimmed stretches use it. */
export function unreadNames(skimmed: readonly Skimmed[]): (name: Name) => void {
  const counted = new Map<number, Counted>()
  for (const { source, skim } of skimmed) {
    const { weight, kind = 'output' } = source
    const { names } = skim
    for (let at = 0; at < names.length; at += 2) {
      const places = names.charCodeAt(at + 1)
      const key = (names.charCodeAt(at) << 8) | (places >> 8)
      let use = counted.get(key)
      if (use === undefined) {
        use = { occurrences: 0, texts: 0, outputs: 0, inputs: 0, best: 0 }
        counted.set(key, use)
      }
      use.occurrences += places & 255
      use.texts++
      if (kind === 'output') use.outputs++
      else use.inputs++
      use.best = Math.max(use.best, weight)
    }
  }
  return (name) => {
    const unread = counted.get(nameKey(name.token))
    if (unread === undefined) return
    const { use } = name
    for (const field of added) use[field] += unread[field]
    name.best = Math.max(name.best, unread.best)
  }
}
