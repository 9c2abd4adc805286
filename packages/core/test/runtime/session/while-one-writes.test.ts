import { type CompactionReport, createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver, type Summarizer } from '@precis/core'
import { fakeSummarizer, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../../systems/setup.ts'

// One process has a summary written; others change what is stored meanwhile. What was paid for is shown all the same, once, and stands on a receipt.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const policy = { trigger: { soft: { fraction: 0.3 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 } } }
const long = (turns: number): readonly Message[] => history(user('The goal is PRE-205.'), codingSession({ turns, steps: 2, lines: 30 }), user('and now?'))
const full = long(16)
const more = (turns: number): readonly Message[] => [...full, ...Array.from({ length: turns }, (_, at) => user(`go on ${at}`))]

interface Stored {
  readonly checkpoints: readonly { readonly id: string; readonly summary?: { readonly text: string } }[]
  readonly pending?: object
}
const storedIn = async (storage: StorageDriver): Promise<Stored> =>
  JSON.parse((await storage.get('sessions/s/state.json'))?.body ?? '{"checkpoints":[]}') as Stored

function processOn(storage: StorageDriver, summarizer: Summarizer, options: object = {}) {
  let passed = 0
  const reports: CompactionReport[] = []
  const clock = { now: () => Date.now() + passed, id: () => crypto.randomUUID() }
  const onReport = (report: CompactionReport): void => void reports.push(report)
  const compactor = createCompactor<Message>({ codec: neutralCodec, limits, policy, storage, summarizer, clock, onReport, ...options })
  return { session: compactor.session('s'), reports, pass: (milliseconds: number) => (passed += milliseconds) }
}

/** A process in the middle of a summary. */
async function writing(storage: StorageDriver = memoryStorage(), said: readonly Message[] = full) {
  let go = (): void => {}
  let begun = (): void => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const inner = fakeSummarizer()
  const summarizer: Summarizer = {
    ...inner,
    async summarize(request, signal) {
      begun()
      await gate
      return inner.summarize(request, signal)
    },
  }
  const writer = processOn(storage, summarizer)
  const written = writer.session.beforeModelCall(said)
  await started
  const finish = (): typeof written => {
    go()
    return written
  }
  return { storage, writer, finish, asked: () => inner.requests.length }
}
const sameEverywhere = async (sessions: readonly { beforeModelCall: (messages: readonly Message[]) => Promise<{ messages: readonly Message[] }> }[]) => {
  const contexts: string[] = []
  for (const session of sessions) contexts.push(JSON.stringify((await session.beforeModelCall(more(2))).messages))
  expect(new Set(contexts).size).toBe(1)
}

describe('a compaction is asked for while another process writes', () => {
  it('where its record stands in: that is not stored, the summary is kept, and the request is done with the next call', async () => {
    const { storage, finish, asked, writer } = await writing()
    const own = fakeSummarizer()
    const live = processOn(storage, own)
    const { messages: record } = await live.session.beforeModelCall(full)
    await live.session.schedule({ focus: 'the tests' })
    expect(await storedIn(storage)).toMatchObject({ checkpoints: [], pending: { focus: 'the tests' } })
    expect(live.session.state().checkpoints).toHaveLength(1)
    const { messages, report } = await finish()
    expect(messages).not.toEqual(record)
    expect([asked(), report.outcome, report.spent.prompt > 0]).toEqual([1, 'summarized', true])
    const next = await live.session.beforeModelCall(more(1))
    expect(next.report.plan.decision.reason).toBe('marker')
    expect(own.requests).toHaveLength(1)
    expect(own.requests[0]?.prompt).toContain('the tests')
    expect((await storedIn(storage)).pending).toBeUndefined()
    await sameEverywhere([live.session, processOn(storage, own).session])
    expect([asked(), own.requests.length, writer.reports.length]).toEqual([1, 1, 1])
  }, 20_000)

  it('by a process that shows nothing yet: likewise', async () => {
    const { storage, finish, asked } = await writing()
    await processOn(storage, fakeSummarizer()).session.schedule({ focus: 'the tests' })
    expect((await finish()).report.outcome).toBe('summarized')
    expect(asked()).toBe(1)
    expect(await storedIn(storage)).toMatchObject({ checkpoints: [{}], pending: { focus: 'the tests' } })
  })

  it('twice, by two: the record still stands in, and nobody waits for the summary again', async () => {
    const { storage, finish } = await writing()
    const own = fakeSummarizer()
    const live = processOn(storage, own)
    const { messages: record } = await live.session.beforeModelCall(full)
    await processOn(storage, own).session.schedule({ focus: 'one' })
    await live.session.schedule({ focus: 'other' })
    expect(await storedIn(storage)).toMatchObject({ checkpoints: [], pending: { focus: 'other' } })
    expect(await live.session.view(full)).toEqual(record)
    expect((await finish()).report.spent.prompt).toBeGreaterThan(0)
    expect(own.requests).toEqual([])
  }, 20_000)
})

describe('while another process writes', () => {
  it('a compaction by code is stored, and the summary goes on top of it', async () => {
    const { storage, finish, asked, writer } = await writing()
    const byCode = { policy: { ...policy, summary: { author: 'record' } } }
    expect((await processOn(storage, fakeSummarizer(), byCode).session.beforeModelCall(full)).report.spent.prompt).toBe(0)
    expect((await storedIn(storage)).checkpoints).toHaveLength(1)
    const { report } = await finish()
    expect([report.outcome, asked(), writer.reports.length]).toEqual(['summarized', 1, 1])
    const { checkpoints } = await storedIn(storage)
    expect(checkpoints.map(({ summary }) => summary?.text !== '')).toEqual([false, true])
    await sameEverywhere([writer.session, processOn(storage, fakeSummarizer()).session])
  })

  it('where its record stands in, what code shortens after that is not stored either', async () => {
    const { storage, finish, asked } = await writing()
    // The second call may stay larger: shorter outputs are enough.
    const byModel = { policy: (model: string) => (model === 'roomy' ? { ...policy, trigger: { ...policy.trigger, target: { fraction: 0.7 } } } : policy) }
    const live = processOn(storage, fakeSummarizer(), byModel)
    await live.session.beforeModelCall(full)
    const log = Array.from({ length: 4_000 }, (_, at) => `${at} of 4000 passed`).join('\n')
    const grown = [...full, ...history(step('bash', 'late', { command: 'npm test' }, log)), ...long(2)]
    const { messages, report } = await live.session.beforeModelCall(grown, { model: 'roomy' })
    expect([report.outcome, report.warnings]).toEqual(['pruned', []])
    expect(live.session.state().checkpoints).toHaveLength(2)
    await live.session.schedule()
    expect((await storedIn(storage)).checkpoints).toEqual([])
    expect((await live.session.view(grown)).length).toBe(messages.length)
    expect((await finish()).report.spent.prompt).toBeGreaterThan(0)
    expect(asked()).toBe(1)
    expect((await storedIn(storage)).checkpoints).toHaveLength(1)
  }, 20_000)

  it('nor is what code writes meanwhile because somebody asked', async () => {
    const { storage, finish } = await writing()
    const live = processOn(storage, fakeSummarizer())
    await live.session.beforeModelCall(full)
    await live.session.schedule()
    expect((await live.session.beforeModelCall(full)).report.plan.decision.reason).toBe('marker')
    expect((await storedIn(storage)).checkpoints).toEqual([])
    expect((await finish()).report.spent.prompt).toBeGreaterThan(0)
  }, 20_000)

  it('a summary that was paid for after its time was over stays: this one is on a receipt, and shown to nobody', async () => {
    const { storage, finish, writer, asked } = await writing()
    const other = fakeSummarizer()
    const late = processOn(storage, other)
    late.pass(10 * 60_000)
    const { messages } = await late.session.beforeModelCall(full)
    const { messages: shown, report } = await finish()
    expect(shown).toEqual(messages)
    expect([report.outcome, report.spent.prompt, asked(), other.requests.length]).toEqual(['projected', 0, 1, 1])
    expect(writer.reports.map(({ outcome }) => outcome)).toEqual(['summarized', 'projected'])
    expect(writer.reports[0]?.spent.prompt).toBeGreaterThan(0)
    expect((await storedIn(storage)).checkpoints).toHaveLength(1)
  })

  it('what it builds on is taken back: it goes with that', async () => {
    const storage = memoryStorage()
    const first = processOn(storage, fakeSummarizer())
    const { report } = await first.session.beforeModelCall(full)
    const grown = [...full, ...long(16).slice(1)]
    const { finish } = await writing(storage, grown)
    await first.session.rewind()
    await finish()
    const { checkpoints } = await storedIn(storage)
    expect(checkpoints.map(({ id }) => id)).not.toContain(report.checkpoint)
    expect(JSON.stringify(checkpoints)).not.toContain(`"parent":"${report.checkpoint}"`)
  })
})
