import { storable } from '../../../state/forgotten.ts'
import { type CompactionState, withPending } from '../../../state/state.ts'
import type { Held } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import { takenOver } from './take-over.ts'

/** The state of a copy. It lasts: it has what others stored meanwhile, and nothing that they took back or deleted. */
export async function forked<M>(parts: SessionParts<M>, held: Held<M>): Promise<CompactionState> {
  held.memory = (await takenOver(parts, held.memory)) ?? held.memory
  const { continues: _its, ...state } = held.memory.state
  return storable(withPending(state, undefined), Infinity)
}
