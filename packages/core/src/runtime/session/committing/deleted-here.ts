import type { Message } from '../../../history/message.ts'
import type { Checkpoint } from '../../../state/checkpoint.ts'
import { alsoForgotten, fingerprintsOf, isTombstone, marksOf } from '../../../state/forgotten.ts'
import type { CompactionState } from '../../../state/state.ts'
import { takeBackOutputs } from '../deciding/keep-outputs.ts'
import type { Memory } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'

/** A stored state that says that its conversation was deleted: what was put on record since goes as well, and what a call that had begun before says is part of what was deleted. */
export async function foundDeleted<M>(
  parts: SessionParts<M>,
  { state }: Memory<M>,
  stored: CompactionState,
  messages: readonly Message[],
  began: number,
): Promise<CompactionState> {
  if (isTombstone(stored) && stored.forgotten?.at !== state.forgotten?.at) await takenBack(parts)
  return alsoForgotten(stored, (stored.forgotten?.at ?? 0) < began ? [] : marksOf(messages))
}

/** What was put on record since a conversation was deleted goes as well. */
export async function takenBack<M>({ id, archive, effects, kept }: SessionParts<M>): Promise<void> {
  if (archive) await effects.wait('archive', () => archive.forget(id)).catch(() => {})
  if (kept) await takeBackOutputs(kept).catch(() => {})
}

/** What a process held of a conversation that turns out to be deleted is part of what was deleted. */
export function deletedHere<M>(stored: CompactionState, { state, last }: Memory<M>, checkpoints: readonly Checkpoint[] = state.checkpoints): CompactionState {
  if (stored.forgotten === undefined || stored.forgotten.at === state.forgotten?.at) return stored
  return alsoForgotten(stored, [...fingerprintsOf(checkpoints), ...(last?.said ?? marksOf(last?.messages ?? []))])
}
