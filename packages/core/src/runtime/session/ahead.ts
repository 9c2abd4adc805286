import { omitUndefined } from '../../history/omit-undefined.ts'
import { paysOff, planInPieces } from '../../plan/plan.ts'
import { measureContext } from '../../plan/shorten.ts'
import { errorName } from '../error-name.ts'
import { inSlices } from '../slices.ts'
import { carryOutAhead, notArchived } from './carry-out.ts'
import { commit, takenOver } from './commit.ts'
import { decide, type Planned } from './decide.ts'
import type { Step } from './execute.ts'
import { receipt } from './hand-out.ts'
import { leaseTime } from './lease.ts'
import { inputOf, type Request, servedBy } from './measure.ts'
import type { Held } from './memory.ts'
import type { BackgroundJob } from './queue.ts'
import { type Read, read } from './read.ts'
import type { SessionParts } from './session-parts.ts'
import type { BackgroundCompaction, ModelCall } from './session-types.ts'

/** Has a summary written before it is needed: by whoever works on the queue, or by this process. Nobody waits for it. */
export function askAhead<M>(parts: SessionParts<M>, held: Held<M>, history: readonly M[], { signal: _callers, ...call }: ModelCall): void {
  if (parts.queue === undefined) {
    runAhead(parts, held, history, call)
    return
  }
  const { model, maxOutput, overhead } = call
  const job: BackgroundJob = { session: parts.id, call: omitUndefined({ model, endpoint: servedBy(call).endpoint, maxOutput, overhead }) }
  // Not waited for: a queue that is away must not keep the agent.
  parts.queue.enqueue(job).catch((error: unknown) => parts.emit('compact.fallback', 'warning', { from: 'queue', to: 'later', reason: errorName(error) }))
}

/** A summary written in this process beside the agent; the next request adopts it. */
export function runAhead<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  history: readonly M[],
  { signal: _callers, ...call }: ModelCall,
  request: () => Request = () => ({}),
): BackgroundCompaction {
  return parts.background.start(async (signal) => {
    await new Promise((resolve) => setTimeout(resolve)) // the request that is waited for goes out first
    parts.effects.begin()
    await parts.ready()
    const found = read(parts, history)
    const ownCall = { ...call, signal }
    const planned = await decide(parts, held.memory, found.messages, ownCall, { ...request(), asked: 'background' })
    if (planned.plan.summary === undefined || !paysOff(planned.plan, planned.input)) return undefined
    const step = await written(parts, held, found, planned, ownCall)
    // Nobody is in need yet: what a model failed to write is not adopted.
    if (step.failed === true) return undefined
    parts.emit('compact.background_ready', 'info', { checkpoint: step.checkpoint.id, covered: step.checkpoint.covered })
    return step
  })
}

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

/** The summary that a plan asks for, with a receipt of its own: the request that adopts it later only shows it. */
async function written<M>(parts: SessionParts<M>, held: Held<M>, found: Read<M>, planned: Planned, call: ModelCall): Promise<Step> {
  const started = parts.clock.now()
  const { step, recorded } = await carryOutAhead(parts, held.memory, found, planned, call)
  const warnings = [...planned.plan.warnings, ...step.warnings, ...(recorded ? [] : [notArchived])]
  const after = { plan: planned.plan, input: { ...planned.input, checkpoint: step.checkpoint } }
  parts.report(receipt(parts, after, measureContext(after.input), { outcome: step.outcome, warnings, started, step }))
  return step
}
