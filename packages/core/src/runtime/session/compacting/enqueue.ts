import { omitUndefined } from '../../../history/omit-undefined.ts'
import { errorName } from '../../platform/error-name.ts'
import type { BackgroundQueue } from '../host/queue.ts'
import { servedBy } from '../measuring/measure.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall } from '../session-types.ts'

/** Asks whoever works on the queue. Not waited for: a queue that is away must not keep the agent. */
export function enqueue<M>(parts: SessionParts<M>, queue: BackgroundQueue, call: ModelCall): void {
  const { model, maxOutput, overhead } = call
  const job = { session: parts.id, call: omitUndefined({ model, endpoint: servedBy(call).endpoint, maxOutput, overhead }) }
  const asked = parts.effects.wait('queue', () => queue.enqueue(job))
  asked.catch((error: unknown) => parts.emit('compact.fallback', 'warning', { from: 'queue', to: 'later', reason: errorName(error) }))
}
