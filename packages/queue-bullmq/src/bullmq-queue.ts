import { createHash } from 'node:crypto'
import type { BackgroundJob, BackgroundQueue, Compactor } from '@precis/core'
import { type ConnectionOptions, Queue, Worker } from 'bullmq'
import { workOn } from './job.ts'

/** The queue in Redis that both sides share. */
export interface BullmqOptions {
  /** BullMQ's own: `{ url }`, `{ host, port }`, or an ioredis client. */
  readonly connection: ConnectionOptions
  /** Name of the queue. Default "precis-compaction". */
  readonly name?: string
  /** Milliseconds that asking for a job may take. Default 5,000. */
  readonly timeout?: number
}

/** For the option `queue` of a compactor. Closing it leaves the jobs where they are. */
export interface BullmqQueue extends BackgroundQueue {
  /** Closes the connection; jobs stay. */
  close(): Promise<void>
}

/** What became of a job: see `compactAhead` of core's session. `gone`: the session has no history any more. */
export type Outcome = Awaited<ReturnType<ReturnType<Compactor<never>['session']>['compactAhead']>> | 'gone'

/** What a worker needs besides the queue: a compactor, and the histories it compacts. */
export interface BullmqWorkerOptions<M> extends BullmqOptions {
  /** Made with the same storage, policy and limits as the processes that serve the sessions. */
  readonly compactor: Compactor<M>
  /** The whole history of a session, from wherever you keep it; undefined when there is none. What it throws stays in the worker: Redis is told that it failed, not why. */
  readonly history: (session: string) => Promise<readonly M[] | undefined>
  /** Jobs that one process works on at a time. Default 4. */
  readonly concurrency?: number
  /**
   * Told of each job before the queue counts it as done, and waited for: a worker that dies in between does the job again, so an outcome is told at least once.
   * What it throws is ignored.
   */
  readonly onOutcome?: (session: string, outcome: Outcome) => unknown
}

/** A worker that takes jobs until it is closed. */
export interface BullmqWorker {
  /** Waits for the jobs under way. */
  close(): Promise<void>
}

const standardName = 'precis-compaction'
/** Milliseconds before a job whose model failed is tried again; doubled each time. */
const pause = 1_000

/** The client waits for a Redis that is away for as long as it takes; whoever asks does not. */
async function within(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Redis did not take the job within ${milliseconds} ms.`)), milliseconds)
  })
  work.catch(() => {})
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Asks for compactions by jobs on Redis: one per session at a time, whoever asks. Pass it as `queue` to `createCompactor`. */
export function bullmqQueue({ connection, name = standardName, timeout = 5_000 }: BullmqOptions): BullmqQueue {
  const queue = new Queue<BackgroundJob>(name, { connection })
  // Redis being away is the business of `enqueue`, which rejects; nobody else needs to hear of it.
  queue.on('error', () => {})
  return {
    name: 'bullmq',
    async enqueue(job) {
      const added = queue.add('compact', job, {
        // A session that is waiting or under way is not queued again; ids of jobs may not hold every character.
        jobId: createHash('sha256').update(job.session).digest('hex'),
        removeOnComplete: true,
        removeOnFail: true,
        attempts: 3,
        backoff: { type: 'exponential', delay: pause },
      })
      await within(added, timeout)
    },
    close: () => queue.close(),
  }
}

/**
 * Works on the queue. Any number of processes may: a lease in the storage sees to it that one summary is written once, also when a job is delivered twice or a
 * process died over it. A history that changes meanwhile loses nothing: what was written for the old one is not used for the new.
 */
export function bullmqWorker<M>(options: BullmqWorkerOptions<M>): BullmqWorker {
  const { connection, name = standardName, concurrency = 4 } = options
  const worker = new Worker<BackgroundJob, Outcome>(name, ({ data }) => workOn(data, options), { connection, concurrency, maxStalledCount: 5 })
  worker.on('error', () => {})
  return { close: () => worker.close() }
}
