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

/** Adds to names how the skimmed stretches use them; most names there are none of these. */
export function unreadNames(skimmed: readonly Skimmed[]): (names: readonly Name[]) => void {
  return (names) => {
    const counted = new Map<number, Counted>()
    for (const { token } of names) counted.set(nameKey(token), { occurrences: 0, texts: 0, outputs: 0, inputs: 0, best: 0 })
    for (const { source, skim } of skimmed) {
      const { weight, kind = 'output' } = source
      const { names: said } = skim
      for (let at = 0; at < said.length; at += 2) {
        const places = said.charCodeAt(at + 1)
        const use = counted.get((said.charCodeAt(at) << 8) | (places >> 8))
        if (use === undefined) continue
        use.occurrences += places & 255
        use.texts++
        if (kind === 'output') use.outputs++
        else use.inputs++
        use.best = Math.max(use.best, weight)
      }
    }
    for (const name of names) {
      const unread = counted.get(nameKey(name.token)) as Counted
      for (const field of added) name.use[field] += unread[field]
      name.best = Math.max(name.best, unread.best)
    }
  }
}
