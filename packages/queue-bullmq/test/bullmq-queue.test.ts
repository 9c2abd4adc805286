import { createArchive, createCompactor, InvalidConfigurationError, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { bullmqQueue, bullmqWorker } from '@precis/queue-bullmq'
import { fakeExporter, fakeSummarizer, generateHistory } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { workOn } from '../src/job.ts'

// With a real Redis, worker processes that die, and jobs that come twice: `npm run test:integration`.
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const queue of open.splice(0)) await queue.close()
})
const away = () => {
  const queue = bullmqQueue({ connection: { host: '127.0.0.1', port: 1, retryStrategy: () => null } as never, timeout: 100, onError: () => {} })
  open.push(queue)
  return queue
}

it('a Redis that is away is an error in time, not a wait', async () => {
  await expect(away().enqueue({ session: 's', call: {} })).rejects.toThrow()
})
it('an agent goes on without it', async () => {
  const exporter = fakeExporter()
  const policy = { trigger: { soft: { fraction: 0.01 }, hard: { fraction: 0.9 }, background: true } }
  const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 100_000, maxOutput: 1_000 }, policy, queue: away(), exporters: [exporter] })
  const { report } = await compactor.session('s').beforeModelCall(generateHistory(3, { turns: 10 }))
  expect([report.outcome, report.plan.decision.reason]).toEqual(['unchanged', 'soft'])
  await new Promise((resolve) => setTimeout(resolve, 200))
  await compactor.flush()
  expect(exporter.events.filter((event) => event.attributes['from'] === 'queue')).toHaveLength(1)
})

it.each([
  ['the history cannot be loaded', 'The history could not be loaded', {}],
  ['the history throws at once', 'The history could not be loaded', { throws: true }],
  ['the compactor fails', 'The compaction failed', { history: async () => 'no list' }],
])('what Redis keeps of a failure is in our words: %s', async (_, words, options) => {
  const secret = 'connect ECONNREFUSED postgres://app:hunter2Zx9@db/chats'
  const failing =
    'throws' in options
      ? () => {
          throw new Error(secret)
        }
      : async () => {
          throw new Error(secret)
        }
  const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 } })
  const broken = {
    ...compactor,
    session: () => ({
      ...compactor.session('s'),
      compactAhead: async () => {
        throw new Error(secret)
      },
    }),
  }
  const history = 'history' in options ? options.history : failing
  const error = await workOn({ session: 's', call: {} }, { compactor: broken as never, history: history as never }).catch((thrown: unknown) => thrown)
  expect(String(error)).toContain(words)
  expect(`${String(error)} ${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('hunter2')
})
it('a worker closes while Redis is away', async () => {
  const compactor = createCompactor({ codec: neutralCodec })
  const worker = bullmqWorker({ connection: { host: '127.0.0.1', port: 1 }, compactor, history: async () => undefined, timeout: 200, onError: () => {} })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await expect(Promise.race([worker.close(), new Promise((resolve) => setTimeout(resolve, 5_000, 'still open'))])).resolves.toBe(undefined)
})
it('a history that never answers fails its job, which is tried again', async () => {
  const compactor = createCompactor({ codec: neutralCodec })
  const job = workOn({ session: 's', call: {} }, { compactor, history: () => new Promise<never>(() => {}), historyTimeout: 20 })
  await expect(Promise.race([job, new Promise((resolve) => setTimeout(resolve, 5_000, 'still waiting'))])).rejects.toThrow('could not be loaded')
})
it('a listener that fails does not fail the job', async () => {
  const compactor = createCompactor({ codec: neutralCodec })
  const told: unknown[] = []
  const onOutcome = (...outcome: unknown[]): void => {
    told.push(outcome)
    throw new Error('no')
  }
  expect(await workOn({ session: 's', call: {} }, { compactor, history: async () => undefined, onOutcome })).toBe('gone')
  expect(told).toEqual([['s', 'gone']])
})

const connection = { host: '127.0.0.1', port: 1 }
const compactor = createCompactor({ codec: neutralCodec })
const history = async () => undefined
it.each([
  [bullmqQueue, undefined, 'connection is undefined; write connection: { url:'],
  [bullmqQueue, {}, 'connection is undefined; write connection: { url:'],
  [bullmqQueue, { connection: 'redis://:hunter2@db' }, 'connection is a text; write connection: { url:'],
  [bullmqQueue, { url: 'redis://:hunter2@db' }, 'unknown option "url" of bullmqQueue; write connection: { url }'],
  [bullmqQueue, { connection, timeout: 'x' }, 'timeout is "x"; expected milliseconds'],
  [bullmqQueue, { connection, nam: 'x' }, 'unknown option "nam" of bullmqQueue; write name'],
  [bullmqQueue, { connection, onError: true }, 'onError is true; write (error) => {}'],
  [bullmqWorker, { connection, history }, 'compactor is undefined; write createCompaction(options).compactor'],
  [bullmqWorker, { connection, history, compaction: {} }, 'unknown option "compaction" of bullmqWorker; write compactor: compaction.compactor'],
  [
    bullmqWorker,
    { connection, history, compactor: { session: () => {}, compactor } },
    'compactor is an object with session, compactor; write createCompaction',
  ],
  [bullmqWorker, { connection, compactor }, 'history is undefined; write async (session) => messages'],
  [bullmqWorker, { connection, compactor, history, historyTimeout: 'x' }, 'historyTimeout is "x"; expected milliseconds'],
  [bullmqWorker, { connection, compactor, history, concurrency: '4' }, 'concurrency is "4"; expected how many jobs at a time, 1 or more'],
] as const)('what cannot be meant is refused before Redis is asked: %#', (make: (options: never) => unknown, options, words) => {
  expect(() => make(options as never)).toThrow(InvalidConfigurationError)
  expect(() => make(options as never)).toThrow(words)
  expect(() => make(options as never)).not.toThrow('hunter2')
})

describe('a job of a conversation that was deleted', () => {
  const history = generateHistory(3, { turns: 20 })
  const queue = { name: 'none', enqueue: async () => {} }
  const processes = () => {
    const [storage, summarizer, told] = [memoryStorage(), fakeSummarizer(), [] as unknown[]]
    const policy = { trigger: { soft: { fraction: 0.1 }, hard: { fraction: 0.9 }, background: true } }
    const make = (more: object) =>
      createCompactor<Message>({
        codec: neutralCodec,
        limits: { contextWindow: 40_000, maxOutput: 1_000 },
        policy,
        storage,
        archive: createArchive(storage),
        ...more,
      })
    const server = make({ queue, summarizer })
    const work = (compactor = make({ summarizer })) =>
      workOn({ session: 's', call: {} }, { compactor, history: async () => history, onOutcome: (...outcome) => told.push(outcome) })
    return { storage, summarizer, told, make, server, work }
  }
  const bodies = async (storage: StorageDriver): Promise<Record<string, string>> => {
    const found: Record<string, string> = {}
    for await (const key of storage.list('')) found[key] = (await storage.get(key))?.body ?? ''
    return found
  }

  it('is done with, and nothing is written or asked for', async () => {
    const { storage, summarizer, told, server, work } = processes()
    await server.session('s').beforeModelCall(history)
    await server.forget('s')
    const before = await bodies(storage)
    expect([await work(), told, summarizer.requests]).toEqual(['stale', [['s', 'stale']], []])
    expect(await bodies(storage)).toEqual(before)
  })
  it('is done with where it was deleted while the summary was written, and what was written is not kept', async () => {
    const { storage, summarizer, told, make, server, work } = processes()
    await server.session('s').beforeModelCall(history)
    const slow = {
      ...summarizer,
      summarize: async (...request: Parameters<typeof summarizer.summarize>) => {
        await server.forget('s')
        return summarizer.summarize(...request)
      },
    }
    expect([await work(make({ summarizer: slow })), told, summarizer.requests.length]).toEqual(['stale', [['s', 'stale']], 1])
    expect(Object.keys(await bodies(storage)).filter((key) => key.startsWith('sessions/'))).toEqual(['sessions/s/state.json'])
  })
})
