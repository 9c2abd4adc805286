import {
  type CompactionReport,
  type Compactor,
  createCompactor,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
  type Summarizer,
} from '@precis/core'
import { fakeSummarizer, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// The model that writes summaries fails for a while, or another process is writing: the agent goes on, and nothing of that is held against the model for good.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const policy = { trigger: { soft: { fraction: 0.3 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 } } }
const long = (turns: number): readonly Message[] => history(user('The goal is PRE-205.'), codingSession({ turns, steps: 2, lines: 30 }), user('and now?'))
const full = long(16)
const clockAt = (start: number) => {
  let now = start
  return { clock: { now: () => now, id: () => crypto.randomUUID() }, pass: (milliseconds: number) => (now += milliseconds) }
}

/** A model that is away until it is back. */
function away(): { readonly summarizer: Summarizer; readonly back: () => void; readonly asked: () => number } {
  const working = fakeSummarizer()
  let isBack = false
  let asked = 0
  return {
    summarizer: {
      ...working,
      async summarize(request, signal) {
        asked++
        if (!isBack) throw new Error('503')
        return working.summarize(request, signal)
      },
    },
    back: () => {
      isBack = true
    },
    asked: () => asked,
  }
}

const make = (storage: StorageDriver, summarizer: Summarizer, more: object = {}): Compactor<Message> =>
  createCompactor({ codec: neutralCodec, limits, policy, storage, summarizer, ...more })

describe('a model that fails', () => {
  const failing = async (compactor: Compactor<Message>, sessions: number): Promise<void> => {
    for (let at = 0; at < sessions; at++) {
      const { report } = await compactor.session(`failing ${at}`).beforeModelCall(full)
      expect(['degraded', 'summarized']).toContain(report.outcome)
    }
  }
  it('is left alone after three failures, by all conversations of the process, and tried again after a minute', async () => {
    const { summarizer, back, asked } = away()
    const { clock, pass } = clockAt(Date.UTC(2026, 0, 1))
    const compactor = make(memoryStorage(), summarizer, { clock })
    await failing(compactor, 3)
    const before = asked()
    expect((await compactor.session('other').beforeModelCall(full)).report.outcome).toBe('degraded')
    expect(asked()).toBe(before)
    pass(61_000)
    expect((await compactor.session('trial').beforeModelCall(full)).report.outcome).toBe('degraded')
    const trial = asked()
    expect(trial).toBeGreaterThan(before)
    await compactor.session('after the trial').beforeModelCall(full)
    expect(asked()).toBe(trial)
    back()
    pass(61_000)
    expect((await compactor.session('back').beforeModelCall(full)).report.spent.prompt).toBeGreaterThan(0)
    expect((await compactor.session('and on').beforeModelCall(full)).report.spent.prompt).toBeGreaterThan(0)
  })
  it('leaves no verdict in what is stored: another process asks it', async () => {
    const storage = memoryStorage()
    const { summarizer, back, asked } = away()
    const first = make(storage, summarizer)
    let grown = full
    for (let round = 0; round < 4; round++) {
      await first.session('s').beforeModelCall(grown)
      grown = [...grown, ...long(16)]
    }
    back()
    const before = asked()
    const { report } = await make(storage, summarizer).session('s').beforeModelCall(grown)
    expect(asked()).toBeGreaterThan(before)
    expect(report.outcome).toBe('summarized')
    expect(report.messages.dropped).toBe(0)
  })
})

describe('a worker that was killed over a summary', () => {
  it('keeps a live agent for two seconds; the record made by code stands in', async () => {
    const storage = memoryStorage()
    await storage.put('sessions/s/lease.json', JSON.stringify({ owner: 'killed', until: Date.now() + 140_000 }))
    const summarizer = fakeSummarizer()
    const session = make(storage, summarizer).session('s')
    const { messages, report } = await session.beforeModelCall(full, { signal: AbortSignal.timeout(10_000) })
    expect(report.outcome).toBe('summarized')
    expect(report.warnings.join()).toMatch(/another process was still writing/)
    expect(JSON.stringify(messages)).toContain('PRE-205')
    expect(summarizer.requests).toEqual([])
    // The next request neither waits nor pays.
    expect((await session.beforeModelCall([...full, user('go on')])).report.outcome).toBe('projected')
    expect(summarizer.requests).toEqual([])
  })
  it('that was only slow stores what it wrote, and that is what a new process shows', async () => {
    const storage = memoryStorage()
    let go = (): void => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    let begun = (): void => {}
    const started = new Promise<void>((resolve) => (begun = resolve))
    const inner = fakeSummarizer()
    const slow: Summarizer = {
      ...inner,
      async summarize(request, signal) {
        begun()
        await gate
        return inner.summarize(request, signal)
      },
    }
    const writing = make(storage, slow).session('s').beforeModelCall(full)
    await started
    const other = fakeSummarizer()
    const live = await make(storage, other).session('s').beforeModelCall(full)
    expect(live.report.warnings.join()).toMatch(/another process was still writing/)
    go()
    const { messages } = await writing
    const third = fakeSummarizer()
    const seen = await make(storage, third).session('s').beforeModelCall(full)
    expect(seen.messages).toEqual(messages)
    expect([other.requests, third.requests]).toEqual([[], []])
  })
})

describe('one receipt for each compaction', () => {
  const background = { trigger: { soft: { fraction: 0.3 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 }, background: true } }
  const warm = long(7)
  it('also for one beside the agent, with what it cost', async () => {
    const reports: CompactionReport[] = []
    const compactor = make(memoryStorage(), fakeSummarizer(), { policy: background, onReport: (report: CompactionReport) => reports.push(report) })
    const session = compactor.session('s')
    await session.beforeModelCall(warm)
    expect(await session.background(warm).done).toBe(true)
    await session.beforeModelCall([...warm, user('go on')])
    expect(reports.map(({ outcome, spent }) => [outcome, spent.prompt > 0])).toEqual([
      ['unchanged', false],
      ['summarized', true],
      ['projected', false],
    ])
    const [, receipt] = reports
    expect(receipt?.tokens.after).toBeLessThan(receipt?.tokens.before ?? 0)
    expect(receipt?.regions.after.summary).toBeGreaterThan(0)
    expect(receipt?.checkpoint).toBe(reports[2]?.checkpoint)
  })
  it("also for a worker's", async () => {
    const reports: CompactionReport[] = []
    const worker = make(memoryStorage(), fakeSummarizer(), { policy: background, onReport: (report: CompactionReport) => reports.push(report) })
    expect(await worker.session('s').compactAhead(warm)).toBe('done')
    expect(reports.map(({ outcome, spent }) => [outcome, spent.prompt > 0 && spent.reply > 0])).toEqual([['summarized', true]])
  })
})

describe('what refusals and counts teach of a model', () => {
  const refused = new Error("This model's maximum context length is 9000 tokens. However, your messages resulted in 15000 tokens")
  const learnt = (): { readonly compactor: Compactor<Message>; readonly pass: (milliseconds: number) => number } => {
    const { clock, pass } = clockAt(Date.UTC(2026, 0, 1))
    return { compactor: createCompactor({ codec: neutralCodec, clock, policy }), pass }
  }
  it('serves the next conversation of the process with the same model, and no other model', async () => {
    const { compactor } = learnt()
    const first = compactor.session('first')
    await first.beforeModelCall(full, { model: 'small' })
    await first.recover(full, refused, { model: 'small' })
    expect((await compactor.session('second').beforeModelCall(full, { model: 'small' })).report.tokens.after).toBeLessThan(9_000)
    expect((await compactor.session('third').beforeModelCall(full, { model: 'large' })).report.outcome).toBe('unchanged')
    // The same conversation, handed to another model, is not held to the window of the one before.
    expect((await first.beforeModelCall(full, { model: 'large' })).report.tokens.budget).toBeNull()
  })
  it('is forgotten after a day', async () => {
    const { compactor, pass } = learnt()
    const session = compactor.session('s')
    await session.beforeModelCall(full, { model: 'small' })
    await session.recover(full, refused, { model: 'small' })
    expect((await session.beforeModelCall(full, { model: 'small' })).report.tokens.budget).toBeLessThan(9_000)
    pass(86_400_001)
    expect((await session.beforeModelCall(full, { model: 'small' })).report.tokens.budget).toBeNull()
  })
  it('a conversation begins with how the model counted for others', async () => {
    const { compactor } = learnt()
    const first = compactor.session('first')
    for (const share of [0.2, 0.5, 1]) {
      const { report } = await first.beforeModelCall(full.slice(0, Math.floor(full.length * share)), { model: 'm' })
      first.afterModelCall({ usage: { input: 2 * report.plan.tokens.before, cacheRead: 0, cacheWrite: 0, output: 10 } })
    }
    const one = (await createCompactor({ codec: neutralCodec }).session('x').beforeModelCall(full, { model: 'm' })).report.tokens.before
    expect((await compactor.session('second').beforeModelCall(full, { model: 'm' })).report.tokens.before).toBeGreaterThan(1.15 * one)
  })
})
