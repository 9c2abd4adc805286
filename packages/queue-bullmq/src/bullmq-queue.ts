import { createHash } from 'node:crypto'
import type { BackgroundJob, BackgroundQueue } from '@precis/core'
import { aCount, aFunction, anObject, aText, checkGiven, milliseconds, type ValueRules, type Words } from '@precis/core/adapters'
import { type ConnectionOptions, Queue, Worker } from 'bullmq'
import { type JobOptions, type Outcome, workOn } from './job.ts'
import { type OnError, reportErrors } from './report-errors.ts'
import { within } from './within.ts'

/** The queue in Redis that both sides share. */
export interface BullmqOptions {
  /** BullMQ's own: `{ url }`, `{ host, port }`, or an ioredis client. */
  readonly connection: ConnectionOptions
  /** Name of the queue. Default "precis-compaction". */
  readonly name?: string
  /** Milliseconds that asking for a job may take, and closing may take once the jobs under way are done. Default 5,000. */
  readonly timeout?: number
  /**
   * Told each time that Redis refuses the connection or is away: a wrong password, a wrong URL. The error says which queue and why, in words of ours, without the
   * address. An InvalidConfigurationError is told once: that Redis is too old, it is not asked again, and nothing of ours keeps the process. What it throws is
   * ignored. Default: a warning on the console, once for each reason, and exit code 1 where a worker can never work.
   */
  readonly onError?: OnError
}

/** For the option `queue` of a compactor. Closing it leaves the jobs where they are. */
export interface BullmqQueue extends BackgroundQueue {
  /** Closes the connection, after `timeout` at most; jobs stay. */
  close(): Promise<void>
}

/** What a worker needs besides the queue: a compactor, and the histories it compacts. */
export interface BullmqWorkerOptions<M> extends BullmqOptions, JobOptions<M> {
  /** Jobs that one process works on at a time. Default 4. */
  readonly concurrency?: number
}

/** A worker that takes jobs until it is closed. */
export interface BullmqWorker {
  /** Waits for the jobs under way, and for a Redis that is away no longer than `timeout`. */
  close(): Promise<void>
}

const standardName = 'precis-compaction'
/** Milliseconds before a job whose model failed is tried again; doubled each time. */
const pause = 1_000

const rules: ValueRules<BullmqOptions> = {
  connection: {
    is: (value) => typeof value === 'object' && value !== null,
    expected: "write connection: { url: 'redis://127.0.0.1:6379' }, or an ioredis client",
    needed: true,
    secret: true,
  },
  name: aText('expected the name of a queue'),
  timeout: milliseconds(0),
  onError: aFunction('write (error) => {}'),
}
const workerRules: ValueRules<BullmqWorkerOptions<never>> = {
  ...rules,
  compactor: { ...anObject('write createCompaction(options).compactor, or createCompactor(options)', 'session', 'gc'), needed: true },
  history: { ...aFunction('write async (session) => messages, from wherever you keep them'), needed: true },
  historyTimeout: milliseconds(),
  onOutcome: aFunction('write (session, outcome) => {}'),
  concurrency: aCount(1, 'expected how many jobs at a time, 1 or more'),
}
const words: Words = { url: 'connection: { url }', host: 'connection: { host, port }', port: 'connection: { host, port }', redis: 'connection' }
const workerWords: Words = { ...words, compaction: 'compactor: compaction.compactor' }

/** Asks for compactions by jobs on Redis: one per session at a time, whoever asks. Pass it as `queue` to `createCompactor`. @throws InvalidConfigurationError for options that cannot be meant. */
export function bullmqQueue(options: BullmqOptions): BullmqQueue {
  checkGiven('bullmqQueue', options, rules, words)
  const { connection, name = standardName, timeout = 5_000, onError } = options
  const queue = new Queue<BackgroundJob>(name, { connection })
  reportErrors(queue, name, onError)
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
      // The client waits for a Redis that is away for as long as it takes; whoever asks does not.
      await within(added, timeout, `Redis did not take the job within ${timeout} ms.`)
    },
    async close() {
      // An orderly end needs an answer; without one the connection ends all the same. What waits for it in the client is lost, and `enqueue` said so.
      await within(queue.close(), timeout, 'Redis is away.').catch(() => void queue.disconnect().catch(() => {}))
    },
  }
}

/**
 * Works on the queue. Any number of processes may: a lease in the storage sees to it that one summary is written once, also when a job is delivered twice or a
 * process died over it. A history that changes meanwhile loses nothing: what was written for the old one is not used for the new.
 *
 * @throws InvalidConfigurationError for options that cannot be meant.
 */
export function bullmqWorker<M>(options: BullmqWorkerOptions<M>): BullmqWorker {
  checkGiven('bullmqWorker', options, workerRules, workerWords)
  const { connection, name = standardName, concurrency = 4, timeout = 5_000, onError } = options
  const running = new Set<Promise<Outcome>>()
  const work = ({ data }: { readonly data: BackgroundJob }): Promise<Outcome> => {
    const job = workOn(data, options).finally(() => running.delete(job))
    running.add(job)
    return job
  }
  const worker = new Worker<BackgroundJob, Outcome>(name, work, { connection, concurrency, maxStalledCount: 5 })
  reportErrors(worker, name, onError)
  const close = async (): Promise<void> => {
    // Takes no more jobs, and ends once Redis was told of those under way. What a Redis that is away was not told of, it gives to another worker when it is back.
    const told = worker.pause()
    do {
      await Promise.allSettled(running)
      await within(told, timeout, 'Redis is away.').catch(() => {})
    } while (running.size > 0)
    // By force: an orderly end would wait for an answer, and nothing is under way any more.
    await within(worker.close(true), timeout, 'Redis is away.').catch(() => {})
  }
  let closed: Promise<void> | undefined
  return {
    close() {
      closed ??= close()
      return closed
    },
  }
}
