import type { CompactionState } from '../../../state/state.ts'
import { type Held, isWaiting, type Memory, withState } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import { mostConflicts } from './committed.ts'
import { takenOver } from './take-over.ts'

/** Changes what is stored of a conversation, also where another process was faster: then what that one stored. What stands in for its summary is not stored. */
export async function keep<M>(parts: SessionParts<M>, held: Held<M>, change: (state: CompactionState) => CompactionState): Promise<void> {
  for (let tries = 0; tries < mostConflicts; tries++) {
    if (tries > 0) held.memory = standingBehind(held.memory, await takenOver(parts, held.memory), parts.clock.now())
    held.memory = withState(held.memory, change(held.memory.state))
    if ((await parts.store.save(withoutStandIn(held.memory, parts.clock.now()))) !== 'conflict') return
  }
}

function withoutStandIn<M>(memory: Memory<M>, now: number): CompactionState {
  const { state, unstored } = memory
  return isWaiting(memory, now) ? { ...state, checkpoints: state.checkpoints.filter(({ id }) => unstored?.ids.includes(id) !== true) } : state
}

/** What was taken over, with what stands in here until there is a summary: behind all that is new. */
function standingBehind<M>(memory: Memory<M>, taken: Memory<M> | undefined, now: number): Memory<M> {
  if (taken === undefined || !isWaiting(memory, now) || taken.state.forgotten !== undefined) return taken ?? memory
  const { checkpoints } = taken.state
  const known = new Set(memory.state.checkpoints.map(({ id }) => id))
  const here = memory.state.checkpoints.filter(({ id }) => memory.unstored?.ids.includes(id))
  const at = checkpoints.findIndex(({ id }) => !known.has(id))
  const behind = at < 0 ? checkpoints.length : at
  return withState(taken, { ...taken.state, checkpoints: [...checkpoints.slice(0, behind), ...here, ...checkpoints.slice(behind)] })
}
