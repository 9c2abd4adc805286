import { fakeExporter, fakeStorage, fakeSummarizer, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import {
  type BackgroundJob,
  type Compactor,
  createCompactor,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
  type Summarizer,
} from '../../../src/index.ts'
import { codingSession } from '../../systems/setup.ts'

// Several processes serve the same sessions: each has a compactor of its own, the storage is all that they share.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const policy = { trigger: { soft: { fraction: 0.3 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 }, background: true } }
const long = (turns: number): readonly Message[] => history(user('The goal is PRE-205.'), codingSession({ turns, steps: 2, lines: 30 }), user('and now?'))
/** Between soft and hard. */
const warm = long(7)
/** Beyond hard. */
const full = [...warm, ...long(9)]

const processOn = (storage: StorageDriver, summarizer: Summarizer, more: object = {}): Compactor<Message> =>
  createCompactor({ codec: neutralCodec, limits, policy, storage, summarizer, ...more })

/** A summarizer that waits until it is let go. */
function held() {
  const inner = fakeSummarizer()
  let go = (): void => {}
  let begun = (): void => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const summarizer: Summarizer = {
    ...inner,
    async summarize(request, signal) {
      begun()
      await gate
      return inner.summarize(request, signal)
    },
  }
  return { summarizer, go, started, requests: inner.requests }
}
const queueOf = () => {
  const jobs: BackgroundJob[] = []
  return { jobs, queue: { name: 'test', enqueue: async (job: BackgroundJob) => void jobs.push(job) } }
}

describe('a summary ahead of need, as a job', () => {
  it('is asked for at the soft level, done by another process, and used by the first without a second one', async () => {
    const storage = memoryStorage()
    const { jobs, queue } = queueOf()
    const [own, theirs] = [fakeSummarizer(), fakeSummarizer()]
    const server = processOn(storage, own, { queue }).session('s')
    expect((await server.beforeModelCall(warm, { model: 'm', overhead: { system: 100 } })).report.plan.decision.reason).toBe('soft')
    expect(jobs).toEqual([{ session: 's', call: { model: 'm', overhead: { system: 100 } } }])
    const [job] = jobs as [BackgroundJob]
    expect(await processOn(storage, theirs).session(job.session).compactAhead(warm, job.call)).toBe('done')
    expect((await server.beforeModelCall([...warm, user('and then?')])).report.outcome).toBe('projected')
    expect([own.requests.length, theirs.requests.length > 0]).toEqual([0, true])
  })
  it('delivered twice, one after the other or at once: one summary', async () => {
    const storage = memoryStorage()
    const gate = held()
    const first = processOn(storage, gate.summarizer).session('s').compactAhead(warm)
    await gate.started
    const other = fakeSummarizer()
    expect(await processOn(storage, other).session('s').compactAhead(warm)).toBe('busy')
    gate.go()
    expect(await first).toBe('done')
    expect(await processOn(storage, other).session('s').compactAhead(warm)).toBe('nothing')
    expect(other.requests).toEqual([])
  })
  it('of a history that was edited meanwhile is stored, and shown to nobody', async () => {
    const storage = memoryStorage()
    const gate = held()
    const job = processOn(storage, gate.summarizer).session('s').compactAhead(warm)
    await gate.started
    const edited = [user('The goal is PRE-999.'), ...warm.slice(1)]
    gate.go()
    expect(await job).toBe('done')
    const { messages, report } = await processOn(storage, fakeSummarizer()).session('s').beforeModelCall(edited)
    expect(report.outcome).toBe('unchanged')
    expect(messages).toBe(edited)
  })
  it('of one whose first message was edited since is written anew, and shown', async () => {
    const storage = memoryStorage()
    const session = () => processOn(storage, fakeSummarizer()).session('s')
    const edited = [user('The goal is PRE-999.'), ...warm.slice(1)]
    expect(await session().compactAhead(warm)).toBe('done')
    expect(await session().compactAhead(edited)).toBe('done')
    expect((await session().beforeModelCall(edited)).report.outcome).toBe('projected')
  })
  it('that failed stores nothing; a history that needs none is left alone', async () => {
    const storage = memoryStorage()
    expect(await processOn(storage, fakeSummarizer('throws')).session('s').compactAhead(warm)).toBe('failed')
    expect(processOn(storage, fakeSummarizer()).session('s').state().checkpoints).toEqual([])
    expect(await processOn(storage, fakeSummarizer()).session('s').compactAhead(long(1))).toBe('nothing')
  })
})

describe('a process in need', () => {
  it('waits for the one that is writing, and pays nothing', async () => {
    const storage = memoryStorage()
    const gate = held()
    const own = fakeSummarizer()
    const job = processOn(storage, gate.summarizer).session('s').compactAhead(full)
    await gate.started
    const call = processOn(storage, own, { queue: queueOf().queue }).session('s').beforeModelCall(full)
    gate.go()
    expect(await job).toBe('done')
    expect((await call).report.outcome).toBe('projected')
    expect(own.requests).toEqual([])
  })
  it('looks before it pays: what another process has stored is taken over, with or without a queue', async () => {
    const storage = memoryStorage()
    const [first, second] = [fakeSummarizer(), fakeSummarizer()]
    const [one, two] = [processOn(storage, first).session('s'), processOn(storage, second).session('s')]
    await two.beforeModelCall(long(1))
    await one.beforeModelCall(full)
    expect((await two.beforeModelCall(full)).report.outcome).toBe('projected')
    expect([first.requests.length > 0, second.requests.length]).toEqual([true, 0])
  })
  it('an abandoned lease ends by itself', async () => {
    const storage = memoryStorage()
    let now = Date.UTC(2026, 0, 1)
    const clock = { now: () => now, id: () => crypto.randomUUID() }
    await storage.put('sessions/s/lease.json', JSON.stringify({ owner: 'dead', until: now + 60_000 }))
    const session = processOn(storage, fakeSummarizer(), { clock }).session('s')
    expect(await session.compactAhead(warm)).toBe('busy')
    now += 61_000
    expect(await session.compactAhead(warm)).toBe('done')
  })
  it('honors an abort while it waits', async () => {
    const storage = memoryStorage()
    await storage.put('sessions/s/lease.json', JSON.stringify({ owner: 'slow', until: Date.now() + 60_000 }))
    const call = processOn(storage, fakeSummarizer(), { queue: queueOf().queue })
      .session('s')
      .beforeModelCall(full, { signal: AbortSignal.timeout(50) })
    await expect(call).rejects.toThrow(/timeout|aborted/i)
  })
  it('a queue or a storage that is away costs nothing but is said', async () => {
    const exporter = fakeExporter()
    const queue = { name: 'away', enqueue: async () => Promise.reject(new Error('ECONNREFUSED')) }
    const compactor = processOn(fakeStorage('put-throws'), fakeSummarizer(), { queue, exporters: [exporter] })
    expect((await compactor.session('s').beforeModelCall(warm)).report.outcome).toBe('unchanged')
    expect((await compactor.session('s').beforeModelCall(full)).report.outcome).toBe('summarized')
    await compactor.flush()
    expect(exporter.events.some((event) => event.attributes['from'] === 'queue')).toBe(true)
  })
})
