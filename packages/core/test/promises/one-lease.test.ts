import { type Compactor, ConflictError, createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver, type Summarizer } from '@precis/core'
import { fakeSummarizer, history, user } from '@precis/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codingSession } from '../systems/setup.ts'
import { after, late, patiently as virtually } from './virtual-time.ts'

// One lease for whoever writes a summary of a conversation, beside the agent or in its way: the others wait for it once, and pay for nothing.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const trigger = { soft: { fraction: 0.5 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 } }
const full: readonly Message[] = history(user('The goal is PRE-205.'), codingSession({ turns: 16, steps: 2, lines: 30 }), user('and now?'))
const more = (turns: number): readonly Message[] => [...full, ...Array.from({ length: turns }, (_, at) => user(`go on ${at}`))]
/** So much more that it has to be summarized again. */
const muchMore = (): readonly Message[] => [...more(2), ...Array.from({ length: 30 }, (_, at) => user(`part ${at}: ${'word '.repeat(600)}`))]

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

/** A model that takes its time, and how often it was paid. */
function modelOf(milliseconds: () => number) {
  const inner = fakeSummarizer()
  const summarizer: Summarizer = { ...inner, summarize: (...given) => after(milliseconds()).then(() => inner.summarize(...given)) }
  return { summarizer, paid: () => inner.requests.length }
}
const processOn = (storage: StorageDriver, summarizer: Summarizer, background = false): Compactor<Message> =>
  createCompactor({ codec: neutralCodec, limits, policy: { trigger: { ...trigger, background } }, storage, summarizer })
/** Resolves when somebody writes a summary. */
const leased = async (storage: StorageDriver): Promise<void> => {
  const until = async () => (JSON.parse((await storage.get('sessions/s/lease.json'))?.body ?? '{"until":0}') as { until: number }).until
  while ((await virtually(until())) < Date.now()) await virtually(after(20))
}

describe('a storage whose answer was lost, and whose client asked again', () => {
  it('is no other holder: the lease is taken', async () => {
    const inner = memoryStorage()
    const storage: StorageDriver = {
      ...inner,
      async put(key, body, options) {
        const written = await inner.put(key, body, options)
        if (key.endsWith('lease.json') && options?.ifVersion === null) throw new ConflictError(key)
        return written
      },
    }
    const model = modelOf(() => 10)
    const { report } = await virtually(processOn(storage, model.summarizer).session('s').beforeModelCall(full))
    expect([report.outcome, model.paid()]).toEqual(['summarized', 1])
  })
})

describe('a new process for every turn, and a worker that was killed at a summary', () => {
  const turnOn = async (storage: StorageDriver, summarizer: Summarizer, turns: number, messages = more(turns)) => {
    const began = Date.now()
    const { report } = await virtually(processOn(storage, summarizer).session('s').beforeModelCall(messages))
    return { report, waited: Date.now() - began }
  }
  const killed = async (storage: StorageDriver): Promise<void> => {
    void processOn(storage, modelOf(() => 1e9).summarizer)
      .session('s')
      .beforeModelCall(full)
    await leased(storage)
  }

  // What is loaded only when it is needed takes time of its own the first time.
  beforeEach(async () => {
    const storage = memoryStorage()
    await killed(storage)
    await turnOn(storage, fakeSummarizer(), 1)
  })

  it('one turn waits for it, two seconds; the next ones go on with the record at once, and pay when its time is over', async () => {
    const storage = late(memoryStorage(), () => 10)
    await killed(storage)
    const { summarizer, paid } = modelOf(() => 100)
    const waits: number[] = []
    for (let turn = 1; turn <= 6; turn++) {
      const { report, waited } = await turnOn(storage, summarizer, turn)
      expect(report.warnings.join()).toMatch(/another process/)
      waits.push(waited)
    }
    expect(waits[0]).toBeGreaterThanOrEqual(2_000)
    expect(waits[0]).toBeLessThan(2_800)
    expect(Math.max(...waits.slice(1))).toBeLessThan(500)
    expect(paid()).toBe(0)
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect((await turnOn(storage, summarizer, 7)).report.outcome).toBe('summarized')
    expect((await turnOn(storage, summarizer, 8)).report.outcome).toBe('projected')
    expect(paid()).toBe(1)
  })

  it('each lease is waited for: the next worker may be alive', async () => {
    const storage = late(memoryStorage(), () => 10)
    await killed(storage)
    const { summarizer } = modelOf(() => 100)
    await turnOn(storage, summarizer, 1)
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    await killed(storage)
    expect((await turnOn(storage, summarizer, 2)).waited).toBeGreaterThanOrEqual(2_000)
    expect((await turnOn(storage, summarizer, 3)).waited).toBeLessThan(500)
  })

  it('where two in a row are ended before the summary is there, the record speaks for ten minutes; then one tries again', async () => {
    const storage = memoryStorage()
    const { summarizer, paid } = modelOf(() => 100)
    for (let death = 0; death < 2; death++) {
      await killed(storage)
      await vi.advanceTimersByTimeAsync(4 * 60_000)
    }
    const alone = await turnOn(storage, summarizer, 1)
    expect([alone.report.outcome, alone.waited < 500, paid()]).toEqual(['degraded', true, 0])
    expect(alone.report.warnings.join()).toMatch(/left alone for now/)
    // It is stored: nobody has to make it again.
    expect((await turnOn(storage, summarizer, 2)).report.outcome).toBe('projected')
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect((await turnOn(storage, summarizer, 2, muchMore())).report.outcome).toBe('summarized')
    expect(paid()).toBe(1)
  })

  it('who gave up on it for its time says so to the others, but not to a worker, which has time', async () => {
    const storage = memoryStorage()
    const slow = modelOf(() => 20_000)
    const stop = new AbortController()
    const given = processOn(storage, slow.summarizer).session('s').beforeModelCall(full, { signal: stop.signal })
    given.catch(() => {})
    await leased(storage)
    await virtually(after(5_000))
    stop.abort()
    await expect(virtually(given)).rejects.toThrow()
    const { summarizer, paid } = modelOf(() => 100)
    const next = await turnOn(storage, summarizer, 1)
    expect([next.report.outcome, next.waited < 500, paid()]).toEqual(['degraded', true, 0])
    expect(await virtually(processOn(storage, summarizer).session('s').compactAhead(muchMore()))).toBe('done')
    expect(paid()).toBe(1)
  })

  it('one that was only slow stores its summary and gives the lease back, whatever was noted in it', async () => {
    const storage = late(memoryStorage(), () => 10)
    const slow = modelOf(() => 5_000)
    const writing = processOn(storage, slow.summarizer).session('s').beforeModelCall(full)
    await vi.advanceTimersByTimeAsync(500)
    const { summarizer, paid } = modelOf(() => 100)
    expect((await turnOn(storage, summarizer, 1)).report.spent.prompt).toBe(0)
    expect((await virtually(writing)).report.outcome).toBe('summarized')
    const next = await turnOn(storage, summarizer, 2)
    expect([next.report.outcome, next.waited < 500, paid(), slow.paid()]).toEqual(['projected', true, 0, 1])
    expect(JSON.parse((await virtually(storage.get('sessions/s/lease.json')))?.body ?? '')).toMatchObject({ until: 0 })
  })
})

it('a note that comes while a lease is given back holds up nobody', async () => {
  const inner = memoryStorage()
  let notes = 0
  const storage: StorageDriver = {
    ...inner,
    async put(key, body, options) {
      if (key.endsWith('lease.json') && body.includes('"until":0') && notes++ === 0) {
        const held = JSON.parse((await inner.get(key))?.body ?? '') as object
        await inner.put(key, JSON.stringify({ ...held, waited: true }))
      }
      return inner.put(key, body, options)
    },
  }
  await virtually(processOn(storage, fakeSummarizer()).session('s').beforeModelCall(full))
  expect(notes).toBe(2)
  expect(JSON.parse((await inner.get('sessions/s/lease.json'))?.body ?? '')).toMatchObject({ until: 0 })
})

describe('summaries beside the agent, without a queue', () => {
  const long = codingSession({ turns: 40, steps: 3, lines: 30 })
  /** Summaries that are paid for while some processes serve the turns of one conversation, one after the other. */
  const paidBy = async (processes: number, milliseconds: number): Promise<number> => {
    const storage = late(memoryStorage(), () => 10)
    const { summarizer, paid } = modelOf(() => milliseconds)
    const all = Array.from({ length: processes }, () => processOn(storage, summarizer, true))
    let turn = 0
    for (let end = 6; end <= long.length; end++) {
      if (long[end - 1]?.role === 'assistant') continue
      const session = (all[turn++ % processes] as Compactor<Message>).session('s')
      await virtually(session.beforeModelCall(long.slice(0, end)))
      await vi.advanceTimersByTimeAsync(1_000)
    }
    await vi.advanceTimersByTimeAsync(10_000)
    return paid()
  }
  it.each([
    ['a fast model', 20],
    ['a model as fast as a turn', 1_000],
    ['a model that takes some turns', 3_500],
  ])('two or four processes pay for as many as one: %s', async (_, milliseconds) => {
    const one = await paidBy(1, milliseconds)
    expect(one).toBeGreaterThan(3)
    expect([await paidBy(2, milliseconds), await paidBy(4, milliseconds)]).toEqual([one, one])
  })

  it('is there for the next process as soon as it is ready; one that is aborted gives the lease back', async () => {
    const storage = memoryStorage()
    const { summarizer, paid } = modelOf(() => 500)
    const half = long.slice(0, 46)
    const next = (): Promise<string> => virtually(processOn(storage, summarizer, true).session('s').compactAhead(half))
    const aborted = processOn(storage, summarizer).session('s').background(half)
    await leased(storage)
    expect(await next()).toBe('busy')
    aborted.abort()
    expect(await virtually(aborted.done)).toBe(false)
    const ready = processOn(storage, summarizer).session('s').background(half)
    expect(await virtually(ready.done)).toBe(true)
    await vi.advanceTimersByTimeAsync(100)
    const before = paid()
    expect((await virtually(processOn(storage, summarizer).session('s').beforeModelCall(long.slice(0, 47)))).report.outcome).toBe('projected')
    expect(await next()).toBe('nothing')
    expect(paid()).toBe(before)
  })
  it.each([
    [
      'a model that ends when it is told to',
      (signal: AbortSignal) => new Promise<never>((_, refuse) => signal?.addEventListener('abort', () => refuse(signal.reason))),
    ],
    ['one that does not', () => new Promise<never>(() => {})],
  ])('ends with an orderly end of its process, which gives the lease back: %s', async (_, answer) => {
    const storage = memoryStorage()
    const half = long.slice(0, 46)
    const deployed = processOn(storage, { ...fakeSummarizer(), summarize: (_of, signal) => answer(signal) }, true)
    const beside = deployed.session('s').background(half)
    await leased(storage)
    await virtually(deployed.shutdown())
    expect(await beside.done).toBe(false)
    const { summarizer, paid } = modelOf(() => 20)
    expect(await virtually(processOn(storage, summarizer).session('s').compactAhead(half))).toBe('done')
    expect(paid()).toBe(1)
  })
})
