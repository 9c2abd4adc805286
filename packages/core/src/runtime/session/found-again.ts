import type { Message } from '../../history/message.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import { begunOtherwise } from '../../state/begun-otherwise.ts'
import { layOnCut } from '../../state/cut-off.ts'
import { type Held, withState } from './memory.ts'
import type { Round } from './round.ts'
import type { SessionParts } from './session-parts.ts'

/**
 * Looks for a checkpoint that applies but for what the host changed at the beginning: a first message in other words, or messages that it does not hand over any more.
 * A history whose first message was edited is shown whole while it fits: nothing has to be summarized.
 */
export function foundAgain<M>({ redaction }: SessionParts<M>, held: Held<M>, messages: readonly Message[], plan?: CompactionPlan, round?: Round): boolean {
  const { state } = held.memory
  const { checkpoints, forgotten } = state
  if (forgotten || checkpoints === round?.tried) return false
  const again = plan === undefined || plan.summary ? begunOtherwise(checkpoints, messages, redaction.withhold) : undefined
  if (again !== undefined) held.memory = withState(held.memory, { ...state, checkpoints: checkpoints.map((one) => (one.id === again.id ? again : one)) })
  if (round) round.tried = held.memory.state.checkpoints
  return again !== undefined || layOnCut(checkpoints, messages)
}
