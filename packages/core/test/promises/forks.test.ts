import { createCompactor, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { brokenLaws, fakeSummarizer } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// Forks under one id: edits, retries, agents that share a thread. A state keeps so many checkpoints; what becomes of a fork whose own went?

const limits = { contextWindow: 4_000, maxOutput: 500 }
const fork = (name: string, turns: number): Message[] =>
  Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text' as const, text: `${at < 3 ? 'both' : name} ${at} ${'word '.repeat(90)}` }],
  }))

it('two in turn pay what they would pay alone', async () => {
  const paid = async (ids: readonly string[]): Promise<number> => {
    const summarizer = fakeSummarizer()
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, storage: memoryStorage(), summarizer })
    for (let turns = 21; turns < 201; turns += 20) for (const [at, id] of ids.entries()) await compactor.session(id).beforeModelCall(fork(`fork ${at}`, turns))
    return summarizer.requests.length
  }
  const alone = await paid(['a', 'b'])
  expect(alone).toBeGreaterThan(8)
  expect(await paid(['one', 'one'])).toBeLessThanOrEqual(alone)
})

it('one that comes back after more checkpoints of another than are kept is compacted anew, once', async () => {
  const [storage, summarizer] = [memoryStorage(), fakeSummarizer()]
  const compactor = createCompactor<Message>({ codec: neutralCodec, limits, storage, summarizer })
  const session = compactor.session('s')
  const left = await session.beforeModelCall(fork('left', 61))
  for (let turns = 41; session.state().checkpoints.some(({ id }) => id === left.report.checkpoint); turns += 20)
    await session.beforeModelCall(fork('right', turns))
  expect(session.state().checkpoints.length).toBe(64)
  const before = summarizer.requests.length
  const history = fork('left', 61)
  const { messages, report } = await session.beforeModelCall(history)
  expect(report.outcome).toBe('summarized')
  expect(brokenLaws({ history, context: messages, plan: report.plan, tokens: { after: report.tokens.after, budget: report.tokens.budget } })).toEqual([])
  expect(messages).toEqual(left.messages)
  expect(summarizer.requests.length - before).toBe(1)
  await session.beforeModelCall(fork('left', 63))
  expect(summarizer.requests.length - before).toBe(1)
}, 120_000)

describe('a copy made by a process that has not looked at the storage since', () => {
  const twoProcesses = () => {
    const [storage, summarizer] = [memoryStorage(), fakeSummarizer()]
    const begun = () => createCompactor<Message>({ codec: neutralCodec, limits, storage, summarizer })
    return { storage, summarizer, one: begun(), other: begun() }
  }

  it('has the summary that another process paid for', async () => {
    const { summarizer, one, other } = twoProcesses()
    await one.session('s').beforeModelCall(fork('s', 3))
    const { messages } = await other.session('s').beforeModelCall(fork('s', 41))
    const copy = await one.fork('s', 'copy')
    expect((await copy.beforeModelCall(fork('s', 41))).messages).toEqual(messages)
    expect(summarizer.requests.length).toBe(1)
  })

  it('has no checkpoint that another process took back', async () => {
    const { one, other } = twoProcesses()
    await one.session('s').beforeModelCall(fork('s', 41))
    await other.session('s').view(fork('s', 41))
    await other.session('s').rewind()
    const copy = await one.fork('s', 'copy')
    await copy.view(fork('s', 3))
    expect(copy.state().checkpoints).toEqual([])
  })

  it('has no word of what another process deleted', async () => {
    const { storage, one, other } = twoProcesses()
    await one.session('s').beforeModelCall(fork('s', 41))
    await other.forget('s')
    await one.fork('s', 'copy')
    for await (const key of storage.list('')) expect((await storage.get(key))?.body).not.toContain('word')
  })
})
