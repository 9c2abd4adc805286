import { omitUndefined } from '../../history/omit-undefined.ts'
import { errorName } from '../platform/error-name.ts'
import { type Request, servedBy } from './measure.ts'
import type { Held } from './memory.ts'
import type { BackgroundJob } from './queue.ts'
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
  request?: () => Request,
): BackgroundCompaction {
  return parts.background.start(async (signal) => {
    await new Promise((resolve) => setTimeout(resolve)) // the request that is waited for goes out first
    parts.effects.begin()
    const { summaryAhead } = await import('./compact-ahead.ts')
    const step = await summaryAhead(parts, held, history, { ...call, signal }, request)
    if (step === undefined) return undefined
    parts.emit('compact.background_ready', 'info', { checkpoint: step.checkpoint.id, covered: step.checkpoint.covered })
    return step
  })
}
