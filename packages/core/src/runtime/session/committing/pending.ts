import { placeOf } from '../../../history/fingerprint.ts'
import type { Message } from '../../../history/message.ts'
import { omitUndefined } from '../../../history/omit-undefined.ts'
import { marksOf } from '../../../state/forgotten.ts'
import { isUnnamed } from '../../../state/keys.ts'
import { type CompactionState, type PendingCompaction, withoutCheckpoint, withPending } from '../../../state/state.ts'
import { queuedRequest, type Request } from '../measuring/measure.ts'
import type { Held } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import { keep } from './keep.ts'

/** Notes a request for a compaction, which is done before the next call; without one, that what was asked for is done. */
export async function setPending<M>(parts: SessionParts<M>, held: Held<M>, pending?: PendingCompaction): Promise<void> {
  if (pending) parts.emit('compact.scheduled', 'info', { by: pending.by })
  const { last } = held.memory
  // Conversations that begin alike have one id, and one state: these words are for this one.
  const said = pending?.focus !== undefined && isUnnamed(parts.id) && last && (last.said ?? marksOf(last.messages))
  await keep(parts, held, (state) => withPending(state, pending && { ...pending, ...(said && { said }) }))
}

/** The request that waits for the next call. What another conversation asked for in words of its own is done without them. */
export function requestFor(state: CompactionState, messages: readonly Message[]): Request {
  const { focus, ...request } = queuedRequest(state)
  const isOwn = state.pending?.said?.some((mark) => placeOf(messages, mark) >= 0) ?? true
  return { ...request, ...(isOwn && omitUndefined({ focus })) }
}

/** Takes a checkpoint back, with those behind it. @param checkpoint - Absent: the newest. */
export async function rewind<M>(parts: SessionParts<M>, held: Held<M>, checkpoint: string | undefined): Promise<void> {
  const id = checkpoint ?? held.memory.state.checkpoints.at(-1)?.id
  await keep(parts, held, (state) => withoutCheckpoint(state, id))
}
