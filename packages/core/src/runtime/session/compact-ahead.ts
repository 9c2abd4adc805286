import { planInPieces } from '../../plan/plan.ts'
import { inSlices } from '../slices.ts'
import { written } from './ahead.ts'
import { commit, takenOver } from './commit.ts'
import { decide } from './decide.ts'
import { leaseTime } from './lease.ts'
import { inputOf } from './measure.ts'
import type { Held } from './memory.ts'
import { read } from './read.ts'
import type { SessionParts } from './session-parts.ts'
import type { ModelCall } from './session-types.ts'

/** The work of a job, in whichever process: the summary that a session will need soon, stored for all. */
export async function compactAhead<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  history: readonly M[],
  call: ModelCall,
): Promise<'done' | 'nothing' | 'busy' | 'stale' | 'failed'> {
  held.memory = (await takenOver(parts, held.memory)) ?? held.memory
  const found = read(parts, history)
  const { decision } = await inSlices(planInPieces(inputOf(parts, held.memory, found.messages, call)), call.signal)
  if (decision.reason !== 'soft' && (decision.action === 'none' || decision.action === 'infeasible')) return 'nothing'
  const lease = await parts.leases.take(parts.id, leaseTime(parts.policy))
  if (lease === undefined) return 'busy'
  try {
    // Between the look and the lease somebody may have finished.
    const taken = await takenOver(parts, held.memory)
    if (taken !== undefined) {
      held.memory = taken
      return 'stale'
    }
    const planned = await decide(parts, held.memory, found.messages, call, { asked: 'background' })
    if (planned.plan.summary === undefined) return 'nothing'
    const step = await written(parts, held, found, planned, call)
    if (step.failed === true) return 'failed'
    const { memory, kept } = await commit(parts, held.memory, step, found.messages, true)
    held.memory = memory
    return kept === 'saved' ? 'done' : 'stale'
  } finally {
    await lease.release()
  }
}
