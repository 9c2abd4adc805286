import type { BackgroundJob } from '@precis/core'
import type { BullmqWorkerOptions, Outcome } from './bullmq-queue.ts'

/**
 * What a worker does with one job.
 *
 * @throws errors in words of ours alone: BullMQ keeps them in Redis, and those of others may hold a connection string or a user's text.
 */
export async function workOn<M>(
  { session, call }: BackgroundJob,
  { compactor, history, onOutcome }: Pick<BullmqWorkerOptions<M>, 'compactor' | 'history' | 'onOutcome'>,
): Promise<Outcome> {
  const messages = await inOurWords('The history could not be loaded; it is tried again.', async () => history(session))
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
async function told(onOutcome: BullmqWorkerOptions<unknown>['onOutcome'], session: string, outcome: Outcome): Promise<void> {
  try {
    await onOutcome?.(session, outcome)
  } catch {}
}
