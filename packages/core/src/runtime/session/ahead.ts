import { omitUndefined } from '../../history/omit-undefined.ts'
import { paysOff } from '../../plan/plan.ts'
import { measureContext } from '../../plan/shorten.ts'
import { errorName } from '../error-name.ts'
import { carryOutAhead, notArchived } from './carry-out.ts'
import { decide, type Planned } from './decide.ts'
import type { Step } from './execute.ts'
import { receipt } from './hand-out.ts'
import { type Request, servedBy } from './measure.ts'
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

/** The summary that a plan asks for, with a receipt of its own: the request that adopts it later only shows it. */
export async function written<M>(parts: SessionParts<M>, held: Held<M>, found: Read<M>, planned: Planned, call: ModelCall): Promise<Step> {
  const started = parts.clock.now()
  const { step, recorded } = await carryOutAhead(parts, held.memory, found, planned, call)
  const warnings = [...planned.plan.warnings, ...step.warnings, ...(recorded ? [] : [notArchived])]
  const after = { plan: planned.plan, input: { ...planned.input, checkpoint: step.checkpoint } }
  parts.report(receipt(parts, after, measureContext(after.input), { outcome: step.outcome, warnings, started, step }))
  return step
}
