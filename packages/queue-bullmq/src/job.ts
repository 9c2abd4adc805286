import type { BackgroundJob, Compactor } from '@precis/core'
import { within } from './within.ts'

/** What became of a job: see `compactAhead` of core's session. `gone`: the session has no history any more. */
export type Outcome = Awaited<ReturnType<ReturnType<Compactor<never>['session']>['compactAhead']>> | 'gone'

/** What a job is done with. */
export interface JobOptions<M> {
  /** Made with the same storage, policy and limits as the processes that serve the sessions. */
  readonly compactor: Compactor<M>
  /** The whole history of a session, from wherever you keep it; undefined when there is none. What it throws stays in the worker: Redis is told that it failed, not why. */
  readonly history: (session: string) => Promise<readonly M[] | undefined>
  /** Milliseconds that `history` may take; then the job fails, and is tried again. Default 30,000. */
  readonly historyTimeout?: number
  /**
   * Told of each job before the queue counts it as done, and waited for: a worker that dies in between does the job again, so an outcome is told at least once.
   * What it throws is ignored.
   */
  readonly onOutcome?: (session: string, outcome: Outcome) => unknown
}

/**
 * What a worker does with one job.
 *
 * @throws errors in words of ours alone: BullMQ keeps them in Redis, and those of others may hold a connection string or a user's text.
 */
export async function workOn<M>({ session, call }: BackgroundJob, { compactor, history, historyTimeout = 30_000, onOutcome }: JobOptions<M>): Promise<Outcome> {
  const lost = 'The history could not be loaded; it is tried again.'
  // A session whose job never ends would never be asked for again.
  const messages = await inOurWords(lost, () => within((async () => history(session))(), historyTimeout, lost))
  const outcome =
    messages === undefined
      ? 'gone'
      : await inOurWords('The compaction failed; it is tried again.', async () => compactor.session(session).compactAhead(messages, call))
  await told(onOutcome, session, outcome)
  if (outcome === 'failed') throw new Error('The summary failed; it is tried again.')
  return outcome
}

async function inOurWords<T>(words: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    throw new Error(words)
  }
}

/** A listener that fails does not fail the job. */
async function told(onOutcome: JobOptions<unknown>['onOutcome'], session: string, outcome: Outcome): Promise<void> {
  try {
    await onOutcome?.(session, outcome)
  } catch {}
}
