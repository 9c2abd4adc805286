import type { CompactionState } from '../../../state/state.ts'
import type { Memory } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'

/** What is stored, or what is known where the storage does not say. What cannot be read is said. */
export async function loaded<M>(parts: SessionParts<M>, memory: Memory<M>): Promise<CompactionState> {
  const { state, error, aside } = await parts.store.load()
  if (!state || aside) (await import('./unreadable.ts')).unreadable(parts, error, aside)
  return state ?? memory.state
}
