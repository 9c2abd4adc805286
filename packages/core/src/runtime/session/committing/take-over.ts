import type { Message } from '../../../history/message.ts'
import { withKnown } from '../../../state/grown.ts'
import type { CompactionState } from '../../../state/state.ts'
import { type Memory, restored, withState } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'

/**
 * What another process has stored since; undefined when nothing. Only where storage is shared does that ever happen.
 * @param began - When the call began that has these messages: what was deleted since is theirs as well.
 */
export async function takenOver<M>(parts: SessionParts<M>, memory: Memory<M>, messages: readonly Message[] = [], began = 0): Promise<Memory<M> | undefined> {
  const stored = await parts.store.changed()
  return stored && adopted(memory, stored.forgotten ? await (await onDeletion()).foundDeleted(parts, memory, stored, messages, began) : stored)
}

/** A stored state in the place of the one in memory. */
export async function adopted<M>(memory: Memory<M>, stored: CompactionState): Promise<Memory<M>> {
  const { state, unstored } = memory
  const next = restored(memory, stored.forgotten ? (await onDeletion()).deletedHere(stored, memory) : stored)
  const isNew = stored.checkpoints.some(({ id }) => !state.checkpoints.some((one) => one.id === id))
  // What could not be stored holds on, where nobody stored another.
  if (unstored === undefined || isNew) return next
  return withState(next, withKnown(next.state, { ...state, checkpoints: state.checkpoints.filter(({ id }) => unstored.ids.includes(id)) }))
}

/** Most conversations are never deleted. */
const onDeletion = () => import('./deleted-here.ts')
