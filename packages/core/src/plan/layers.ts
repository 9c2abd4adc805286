import { omitUndefined } from '../history/omit-undefined.ts'
import type { Summary } from '../summary/summary.ts'
import { membersOf, type PlanInput, representedIn } from './context.ts'
import { usualPartition } from './retain.ts'
import { readShown } from './shorten.ts'

/** The layers of memory, each by its name: indices into the history, and the summary for the rest. */
export interface Remembered {
  /** Never touched: system messages, what is protected, the first and the newest request. */
  readonly pinned: readonly number[]
  /** The newest work, word for word. */
  readonly recent: readonly number[]
  /** Older messages that are still shown, some of them shortened. */
  readonly older: readonly number[]
  /** Stands for `represented`. */
  readonly summary?: Summary
  readonly represented: readonly number[]
}

/** What the model would be shown now, by layer. */
export function layersOf(input: PlanInput): Remembered {
  const context = readShown(input)
  const parts = usualPartition(context)
  const { checkpoint } = input
  return {
    pinned: membersOf(context, parts.pinned),
    recent: membersOf(context, [...parts.recent, ...parts.toolPairs]),
    older: membersOf(context, [...parts.related, ...parts.remainder]),
    ...omitUndefined({ summary: checkpoint?.summary }),
    represented: representedIn(context),
  }
}
