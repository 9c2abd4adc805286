import type { Summary } from '../summary/summary.ts'
import { membersOf, type PlanInput, representedIn, usableOf } from './context.ts'
import { initialRetention, partitionContext } from './retain.ts'
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
  const parts = partitionContext(context, initialRetention(input.policy, Math.max(1, Math.min(usableOf(input), context.total))))
  const members = (groups: readonly number[]): readonly number[] => [...membersOf(context, groups)].sort((a, b) => a - b)
  const { checkpoint } = input
  return {
    pinned: members(parts.pinned),
    recent: members([...parts.recent, ...parts.toolPairs]),
    older: members([...parts.related, ...parts.remainder]),
    ...(checkpoint?.summary !== undefined && { summary: checkpoint.summary }),
    represented: representedIn(context),
  }
}
