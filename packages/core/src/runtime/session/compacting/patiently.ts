import { longWait, type Writer } from '../../breaker.ts'
import { orAborted } from '../../platform/abort.ts'
import type { SessionParts } from '../session-parts.ts'
import { ended } from './breaking.ts'

/** Milliseconds for which the record speaks alone in that conversation then. */
const alone = 600_000
/** Conversations that gave up and are remembered. */
const most = 1_000

/**
 * Waits for the summary of a model as a request does. A caller who gives up on it for its time does not wait for it with the next request, and the model has failed.
 * @throws what the work throws; the reason of `signal`.
 */
export async function patiently<M, T>({ id, breakers, clock }: SessionParts<M>, model: Writer, work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { givenUp } = breakers
  const began = clock.now()
  try {
    const result = await orAborted(work, signal)
    givenUp.delete(id)
    return result
  } catch (error) {
    if (signal?.aborted !== true) throw error
    const now = clock.now()
    const waited = (givenUp.get(id)?.waited ?? 0) + now - began
    const isLong = waited >= longWait
    if (isLong) ended(breakers, model, true, now)
    givenUp.delete(id)
    givenUp.set(id, { waited, until: isLong ? now + alone : 0 })
    if (givenUp.size > most) givenUp.delete(givenUp.keys().next().value as string)
    throw error
  }
}
