import type { Message } from '../../../history/message.ts'
import { alsoForgotten, isForgotten } from '../../../state/forgotten.ts'
import { withCheckpoint } from '../../../state/grown.ts'
import { type Memory, withState } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import type { Step } from '../summarizing/execute.ts'
import { type Committed, committed, rejected } from './committed.ts'

/**
 * Adds the checkpoint of a step to the state, in memory and in the storage, over the version that was read.
 * @param yielding - If another process was faster, its state is taken over and our checkpoint is given up; else ours holds in this process only.
 */
export async function commit<M>(parts: SessionParts<M>, memory: Memory<M>, step: Step, messages: readonly Message[], yielding: boolean): Promise<Committed<M>> {
  const { state } = memory
  const { checkpoint } = step
  const next = withCheckpoint(state, checkpoint)
  if (isForgotten(state, messages)) {
    rejected(parts, 'the conversation was deleted')
    return { memory: withState(memory, alsoForgotten(next, [checkpoint.fingerprint])), kept: 'deleted' }
  }
  // Saving gets the whole deadline again, whatever else this call has waited for. A storage that did not answer in time is asked once more only for what was paid for.
  const isAway = parts.effects.isLate('storage')
  if (!isAway || (parts.paid && step.failed !== undefined)) parts.effects.begin(!isAway)
  const result = await parts.store.save(next)
  if (result === 'conflict' && yielding) return (await import('./after-conflict.ts')).afterConflict(parts, memory, step, messages)
  return committed(parts, memory, checkpoint, next, result)
}
