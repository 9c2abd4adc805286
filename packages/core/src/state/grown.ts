import type { Checkpoint } from './checkpoint.ts'
import { type CompactionState, sizeOf, withoutAnchor, withoutRewound } from './state.ts'

/** Checkpoints kept for rewinding; further back a history is shown whole, and compacted anew. */
const mostCheckpoints = 64
/** Characters of all checkpoints together: a state is written whole with each compaction. The newest two stay whatever their size. */
const mostText = 500_000

/** The state after a compaction: the checkpoint is the newest, and what was measured before it says nothing about what is sent now. */
export function withCheckpoint(state: CompactionState, checkpoint: Checkpoint): CompactionState {
  const { pending: _done, ...rest } = withoutAnchor(state)
  return {
    ...rest,
    checkpoints: newest([...state.checkpoints, checkpoint]),
    breaker: { failures: 0, sizeAfter: checkpoint.tokens.after },
  }
}

/** Oldest first. One for a window more than twice as large as that of any newer one stays, however many came after: its model goes on from it. */
function newest(checkpoints: readonly Checkpoint[]): readonly Checkpoint[] {
  const kept: Checkpoint[] = []
  let [text, largest] = [0, 0]
  for (const one of checkpoints.toReversed()) {
    const { usable = Infinity } = one
    text += sizeOf(one)
    if (usable > largest * 2 || (kept.length < mostCheckpoints && (text <= mostText || kept.length < 2))) kept.unshift(one)
    largest = Math.max(largest, usable)
  }
  return kept
}

/**
 * The state with the checkpoints that the host knows besides, as another process may have gone on in between: the newest last. Of a conversation that was
 * deleted nothing is taken.
 */
export function withKnown(state: CompactionState, known: CompactionState): CompactionState {
  if (state.forgotten) return state
  const left = withoutRewound(state, known.rewound)
  const has = new Set([...left.checkpoints.map(({ id }) => id), ...(left.rewound ?? [])])
  const more = known.checkpoints.filter(({ id }) => !has.has(id))
  if (more.length === 0) return left
  return { ...withoutAnchor(left), checkpoints: newest([...left.checkpoints, ...more]), breaker: known.breaker }
}
