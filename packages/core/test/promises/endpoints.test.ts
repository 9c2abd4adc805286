import { type BackgroundJob, createCompactor, type Message, type ModelCall, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { fakeClock, fakeSummarizer, summarizerFaults } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// What is learned of a model holds where it was learned: the same name may stand for another window somewhere else.

const long = codingSession({ turns: 8, steps: 3, lines: 40 })
const refused = new Error('prompt is too long: 11000 tokens > 8192 maximum')
const large: ModelCall = { model: 'gpt', endpoint: 'https://large.example/v1' }
const small: ModelCall = { model: 'gpt', endpoint: 'http://user:hunter2@small.example/v1?key=sk-secret' }
const make = (storage: StorageDriver = memoryStorage()) => createCompactor<Message>({ codec: neutralCodec, clock: fakeClock(), storage })
const usage = (input: number) => ({ usage: { input, cacheRead: 0, cacheWrite: 0, output: 40 } })
const usable = (session: ReturnType<ReturnType<typeof make>['session']>, call: ModelCall) => session.plan(long, call).decision.usable

describe('a window that a refusal states', () => {
  it('holds at its endpoint, for other conversations too, and nowhere else', async () => {
    const compactor = make()
    const session = compactor.session('s')
    await session.beforeModelCall(long, small)
    await session.recover(long, refused, small)
    expect(usable(session, small)).toBeLessThan(8_192)
    expect(usable(compactor.session('other'), small)).toBeLessThan(8_192)
    for (const one of [session, compactor.session('another')]) {
      expect(usable(one, large)).toBeNull()
      expect(usable(one, { model: 'gpt' })).toBeNull()
      expect(usable(one, { ...small, model: 'gpt-mini' })).toBeNull()
    }
  })

  it('is stated once to a conversation that goes to and fro, and to one that had measured before', async () => {
    const compactor = make()
    const [session, before] = [compactor.session('s'), compactor.session('before')]
    const short = long.slice(0, 6)
    const { report } = await before.beforeModelCall(short, small)
    before.afterModelCall(usage(report.tokens.after))
    await session.beforeModelCall(long, small)
    await session.recover(long, refused, small)
    for (const call of [large, small, large, small]) {
      const { report } = await session.beforeModelCall(long, call)
      session.afterModelCall(usage(report.tokens.after))
      expect(session.plan(long, call).decision.usable).toEqual(call === small ? expect.any(Number) : null)
    }
    expect(usable(before, small)).toBeLessThan(8_192)
  })

  it('goes with the state to other processes, of an address nothing but a hash', async () => {
    const storage = memoryStorage()
    const session = make(storage).session('s')
    await session.beforeModelCall(long, small)
    await session.recover(long, refused, small)
    await session.schedule()
    const body = (await storage.get('sessions/s/state.json'))?.body ?? ''
    expect(JSON.parse(body)).toMatchObject({ calibration: { learnedOf: { model: 'gpt', endpoint: expect.stringMatching(/^[0-9a-f]{16}$/) } } })
    for (const part of ['hunter2', 'sk-secret', 'small.example']) expect(body).not.toContain(part)
    const elsewhere = make(storage).session('s')
    await elsewhere.view(long)
    expect(usable(elsewhere, small)).toBeLessThan(8_192)
    expect(usable(elsewhere, large)).toBeNull()
  })

  it('that was stored before places were noted holds for the name, until it is learned anew', async () => {
    const storage = memoryStorage()
    const session = make(storage).session('s')
    await session.beforeModelCall(long, { model: 'gpt' })
    await session.recover(long, refused, { model: 'gpt' })
    await session.schedule()
    const later = make(storage).session('s')
    await later.view(long)
    for (const call of [small, large, { model: 'gpt' }]) expect(usable(later, call)).toBeLessThan(8_192)
    expect(usable(later, { model: 'other' })).toBeNull()
  })
})

it('a measurement of another endpoint is none', async () => {
  const session = make().session('s')
  const { report } = await session.beforeModelCall(long, large)
  session.afterModelCall(usage(report.tokens.after * 2))
  expect(session.plan(long, large).decision.used).toBe(report.tokens.after * 2)
  const parts = { ...small, endpoint: 'https://large.example/v1' }
  expect(session.plan(long, parts).decision.used).toBe(report.tokens.after * 2)
  // How this conversation is counted stays with it; the prompt itself is counted anew.
  expect(session.plan(long, small).decision.used).not.toBe(report.tokens.after * 2)
})

it('a worker is told where the model is served, as a hash, and plans as the agent did', async () => {
  const jobs: BackgroundJob[] = []
  const session = createCompactor<Message>({
    codec: neutralCodec,
    clock: fakeClock(),
    limits: { contextWindow: 40_000, maxOutput: 500 },
    policy: { trigger: { soft: { fraction: 0.3 }, hard: { fraction: 0.99 }, background: true } },
    queue: { name: 'jobs', enqueue: async (job) => void jobs.push(job) },
  }).session('s')
  const refusal = new Error('prompt is too long: 36000 tokens > 30000 maximum')
  for (let times = 0; times < 2; times++) {
    await session.beforeModelCall(long, small)
    await session.recover(long, refusal, small)
  }
  await session.rewind()
  await session.rewind()
  await session.beforeModelCall(long, small)
  expect(jobs.length).toBeGreaterThan(0)
  expect(JSON.stringify(jobs)).not.toContain('example')
  expect(usable(session, jobs[0]?.call ?? {})).toBe(usable(session, small))
  expect(usable(session, small)).not.toBe(usable(session, large))
})

it('two models of one name that write summaries have a breaker each', async () => {
  const [failing, working] = [fakeSummarizer(summarizerFaults.find((one) => one === 'throws')), fakeSummarizer()]
  const session = createCompactor<Message>({
    codec: neutralCodec,
    clock: fakeClock(),
    limits: { contextWindow: 8_000, maxOutput: 500 },
    policy: { summary: { author: 'model' } },
    summarizer: { ...failing, name: 'gpt' },
    fullSummarizer: { ...working, name: 'gpt' },
  }).session('s')
  for (let turn = 1; turn <= 4; turn++) await session.beforeModelCall([...long, ...long.slice(0, turn * 12)])
  const asked = failing.requests.length
  expect(asked).toBeGreaterThanOrEqual(3)
  await session.compact([...long, ...long], { focus: 'the tests' })
  expect(working.requests.length).toBeGreaterThan(0)
})
