import type { Message } from '../../history/message.ts'
import type { Checkpoint } from '../../state/checkpoint.ts'
import { alsoForgotten, isTombstone, marksOf, saidIn } from '../../state/forgotten.ts'
import type { CompactionState } from '../../state/state.ts'
import type { Memory, Sent } from './memory.ts'
import type { SessionParts } from './session-parts.ts'

/** A stored state that says that its conversation was deleted: what was put on record since goes as well, and what a call says whose history had begun before is part of what was deleted. */
export async function foundDeleted<M>(
  parts: SessionParts<M>,
  { state, since }: Memory<M>,
  stored: CompactionState,
  messages: readonly Message[],
): Promise<CompactionState> {
  if (isTombstone(stored) && stored.forgotten?.at !== state.forgotten?.at) await takenBack(parts)
  return alsoForgotten(stored, hadBegun(stored, since) ? marksOf(messages) : [])
}

/** What was put on record since a conversation was deleted goes as well. */
export async function takenBack<M>({ id, archive, keeper }: SessionParts<M>): Promise<void> {
  await archive?.forget(id).catch(() => {})
  await keeper?.takeBack().catch(() => {})
}

/**
 * What a process held of a conversation when it was deleted is part of what was deleted. What began since is another one, under the same id.
 * @param made - A checkpoint of the history under way that is not stored yet.
 */
export function deletedHere<M>(stored: CompactionState, { state, last, left = [], since }: Memory<M>, made?: Checkpoint): CompactionState {
  if (stored.forgotten === undefined || stored.forgotten.at === state.forgotten?.at) return stored
  return alsoForgotten(stored, [
    ...saidIn(state.checkpoints),
    ...left.flatMap((one) => (hadBegun(stored, one.since) ? one.said : [])),
    ...(last !== undefined && hadBegun(stored, last.since) ? saidBy(last) : []),
    ...(made !== undefined && hadBegun(stored, since) ? [made.fingerprint] : []),
  ])
}

/** What a history that was handed over is known by. */
export function saidBy<M>({ said, messages }: Sent<M>): readonly string[] {
  return said ?? marksOf(messages)
}

/** Whether a history had begun here before its conversation was deleted. */
function hadBegun({ forgotten }: CompactionState, since = 0): boolean {
  return since <= (forgotten?.at ?? 0)
}
