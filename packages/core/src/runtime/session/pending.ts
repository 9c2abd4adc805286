import { type PendingCompaction, withoutCheckpoint, withPending } from '../../state/state.ts'
import { keep } from './keep.ts'
import type { Held } from './memory.ts'
import type { SessionParts } from './session-parts.ts'

/** Notes a request for a compaction, which is done before the next call; without one, that what was asked for is done. */
export async function setPending<M>(parts: SessionParts<M>, held: Held<M>, pending?: PendingCompaction): Promise<void> {
  if (pending) parts.emit('compact.scheduled', 'info', { by: pending.by })
  await keep(parts, held, (state) => withPending(state, pending))
}

/** Takes a checkpoint back, with those behind it. @param checkpoint - Absent: the newest. */
export async function rewind<M>(parts: SessionParts<M>, held: Held<M>, checkpoint: string | undefined): Promise<void> {
  const id = checkpoint ?? held.memory.state.checkpoints.at(-1)?.id
  await keep(parts, held, (state) => withoutCheckpoint(state, id))
}
