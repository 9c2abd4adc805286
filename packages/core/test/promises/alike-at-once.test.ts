import { createCompactor, type Message, memoryStorage, neutralCodec, type Summarizer } from '@precis/core'
import { assistant, fakeSummarizer, history, user } from '@precis/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codingSession } from '../systems/setup.ts'
import { after, patiently as virtually } from './virtual-time.ts'

// Several samples of one task begin alike, and nobody named them. They have one id, and none of them waits for another.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const policy = { trigger: { soft: { fraction: 0.5 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 }, background: false } }
const delay = 1_500
const beginning: readonly Message[] = Array.from({ length: 3 }, () => [user('go on'), assistant('yes')]).flat()
const workOn = (number: number): readonly Message[] =>
  JSON.parse(JSON.stringify(codingSession({ turns: 16, steps: 2, lines: 30 })).replaceAll('module', `part${number}of`))
const sample = (number: number): readonly Message[] => history(beginning, user(`sample ${number}`), workOn(number), user(`The code of it is KEY-${number}.`))
const samples = Array.from({ length: 6 }, (_, number) => sample(number))
/** The same work and answers for each: only what they were asked at its beginning and end differs. */
const twins = samples.map((_, number) => history(beginning, user(`sample ${number}`), workOn(0), user(`The code of it is KEY-${number}.`)))

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

function slow() {
  const inner = fakeSummarizer()
  const summarizer: Summarizer = { ...inner, summarize: (...given) => after(delay).then(() => inner.summarize(...given)) }
  return { summarizer, paid: () => inner.requests.length }
}

describe('six conversations that begin alike, at once', () => {
  it.each([
    ['in one process', 1, samples],
    ['in a process each', 6, samples],
    ['in one process, most of it the same', 1, twins],
    ['in a process each, most of it the same', 6, twins],
  ])('%s: each has its own summary, and none waits for another', async (_name, processes, samples) => {
    const { summarizer, paid } = slow()
    const storage = memoryStorage()
    const compactors = Array.from({ length: processes }, () => createCompactor({ codec: neutralCodec, limits, policy, storage, summarizer }))
    const began = Date.now()
    const made = await virtually(
      Promise.all(
        samples.map(async (messages, number) => {
          const compactor = compactors[number % processes] as (typeof compactors)[0]
          const session = compactor.conversation(messages)
          const { report, messages: context } = await session.beforeModelCall(messages)
          return { id: session.id, outcome: report.outcome, warnings: report.warnings, context, took: Date.now() - began }
        }),
      ),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(made.map(({ outcome }) => outcome)).toEqual(samples.map(() => 'summarized'))
    expect(made.flatMap(({ warnings }) => warnings)).toEqual([])
    const alone = paid() / samples.length
    expect(Math.max(...made.map(({ took }) => took))).toBeLessThan(delay * alone + 1_000)
    // What each said last, and nothing of the others.
    for (const [number, { context }] of made.entries()) {
      const said = [...new Set(JSON.stringify(context).match(/KEY-\d|sample \d/g))]
      expect(said.filter((one) => !one.endsWith(`${number}`))).toEqual([])
    }
    // The next turn of each pays nothing, and all is deleted by the one id.
    const before = paid()
    for (const [number, messages] of samples.entries()) {
      const compactor = compactors[number % processes] as (typeof compactors)[0]
      const next = [...messages, assistant('done'), user('and now?')]
      await virtually(compactor.conversation(next).beforeModelCall(next))
    }
    expect(paid()).toBe(before)
    // Each had a lease of its own, and they do not stay.
    expect((await virtually((compactors[0] as (typeof compactors)[0]).gc())).leases).toBe(samples.length)
    await virtually((compactors[0] as (typeof compactors)[0]).forget(made[0]?.id as string))
    for await (const key of storage.list('sessions/')) expect(key).toMatch(/state\.json$/)
    for (const messages of samples) expect((compactors[0] as (typeof compactors)[0]).conversation(messages).state().checkpoints).toEqual([])
  })
})

describe('one conversation, known by what it says', () => {
  const compactor = createCompactor({ codec: neutralCodec, limits, policy })
  const [first = [], second = []] = samples
  it('is the same object while it grows, and when a part of it is edited', () => {
    const session = compactor.conversation(first.slice(0, 12))
    expect(compactor.conversation(first)).toBe(session)
    const edited = first.map((message, at) => (at % 3 === 0 && at > 8 ? user(`edited ${at}`) : message))
    expect(compactor.conversation(edited)).toBe(session)
    expect(compactor.conversation(first)).toBe(session)
  })
  it('is another where it says something else', () => {
    const session = compactor.conversation(first)
    const other = compactor.conversation(second)
    expect(other).not.toBe(session)
    expect(other.id).toBe(session.id)
    expect(compactor.conversation(first)).toBe(session)
    expect(compactor.conversation(second)).toBe(other)
  })
  it('a reminder at the end makes no other of it', () => {
    const short = first.slice(0, 7)
    const session = compactor.conversation(short)
    expect(compactor.conversation([...short, user('a reminder')])).toBe(session)
    expect(compactor.conversation([...short, user('another one'), user('and more')])).toBe(session)
  })
})
