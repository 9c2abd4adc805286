import { CompactionError, type Message, memoryStorage, presets, type Summarizer } from '@precis/core'
import { fakeSummarizer, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { fingerprint } from '../../../../src/history/fingerprint.ts'
import { isOpen } from '../../../../src/runtime/breaker.ts'
import { carryOut } from '../../../../src/runtime/session/compacting/carry-out.ts'
import { decide } from '../../../../src/runtime/session/deciding/decide.ts'
import type { Request } from '../../../../src/runtime/session/measuring/measure.ts'
import type { Memory } from '../../../../src/runtime/session/memory.ts'
import { read } from '../../../../src/runtime/session/read.ts'
import type { ModelCall } from '../../../../src/runtime/session/session-types.ts'
import { forgottenState } from '../../../../src/state/forgotten.ts'
import { type Given, keysIn, memory, type Stepping, stepping, turns } from './setup.ts'

// carry out: a plan goes in; the transcript is on record, the model was asked, and a checkpoint comes out that is nobody's yet.

const long = turns(14)

async function carriedOut({ parts }: Stepping, { messages = long, call = {}, request = {}, remembered = memory }: Asked = {}) {
  const found = read(parts, messages)
  const planned = await decide(parts, remembered, found.messages, call, request)
  return { planned, ...(await carryOut(parts, remembered, found, planned, call)) }
}
interface Asked {
  readonly messages?: readonly Message[]
  readonly call?: ModelCall
  readonly request?: Request
  readonly remembered?: Memory<Message>
}

const isLeftAlone = ({ parts }: Stepping): boolean => isOpen(parts.breakers, 'usual', 's', parts.clock.now())

/** An archive and a model that write down, in order, what reaches them. */
function noted(fails = false) {
  const order: string[] = []
  const inner = fakeSummarizer()
  const summarizer: Summarizer = {
    ...inner,
    summarize(...given) {
      order.push('model')
      return inner.summarize(...given)
    },
  }
  const archive = {
    saveTranscript: async (): Promise<void> => {
      order.push('transcript')
      if (fails) throw new Error('disk full')
    },
    saveCheckpoint: async (): Promise<void> => void order.push('checkpoint'),
  }
  return { order, given: { summarizer, archive: archive as unknown as NonNullable<Given['archive']> } }
}

describe('a plan that is carried out', () => {
  it('makes a checkpoint that speaks for what leaves; nothing is stored, and nothing is remembered yet', async () => {
    const storage = memoryStorage()
    const { planned, step: made, recorded } = await carriedOut(stepping({ storage }))
    const { plan } = planned
    expect([made.outcome, made.failed, recorded]).toEqual(['summarized', false, true])
    expect(made.checkpoint.covered).toBe(Math.max(...plan.summarize) + 1)
    expect(made.checkpoint.kept).toEqual(plan.keep.filter((index) => index < made.checkpoint.covered))
    expect(made.checkpoint.fingerprint).toBe(fingerprint(long, made.checkpoint.covered))
    expect(made.left).toEqual({ summarized: plan.summarize.length, dropped: plan.drop.length })
    expect(made.spent.prompt).toBeGreaterThan(0)
    expect(await keysIn(storage)).toEqual([])
  })
  it('the next one goes on from it', async () => {
    const { step: first } = await carriedOut(stepping())
    const remembered = { ...memory, state: { ...memory.state, checkpoints: [first.checkpoint] } }
    const { step: second } = await carriedOut(stepping(), { messages: turns(28), remembered })
    expect([second.checkpoint.parent, second.checkpoint.version]).toEqual([first.checkpoint.id, first.checkpoint.version + 1])
    expect(second.checkpoint.covered).toBeGreaterThan(first.checkpoint.covered)
  })
  it('without a summary in it asks nobody, and archives nothing', async () => {
    const { order, given } = noted()
    const again = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => step('read_file', `again-${at}`, { path: 'src/same.ts' }, 'export const same = 1\n'.repeat(90)))
    const policy = { trigger: { target: { fraction: 0.7 } } }
    const { planned, step: made } = await carriedOut(stepping({ ...given, policy }), { messages: history(user('Look.'), ...again, user('And now?')) })
    expect([planned.plan.summary, made.outcome, made.failed, made.spent.prompt]).toEqual([undefined, 'pruned', undefined, 0])
    expect(made.checkpoint.edits.length).toBeGreaterThan(0)
    expect(order).toEqual([])
  })
})

describe('the transcript', () => {
  it('is on record before the model is asked', async () => {
    const { order, given } = noted()
    expect((await carriedOut(stepping(given))).recorded).toBe(true)
    expect(order).toEqual(['transcript', 'model'])
  })
  it('that is not taken is said, and the summary is made', async () => {
    const { order, given } = noted(true)
    const stepped = stepping(given)
    const { recorded, step: made } = await carriedOut(stepped)
    expect([recorded, made.outcome, order]).toEqual([false, 'summarized', ['transcript', 'model']])
    expect(stepped.events).toContain('compact.archive_failed')
  })
  it('that is not taken, where nothing else would hold it: nobody is paid', async () => {
    const { order, given } = noted(true)
    await expect(carriedOut(stepping(given), { call: { replaces: true } })).rejects.toThrow(CompactionError)
    expect(order).toEqual(['transcript'])
  })
  it('of a conversation that was deleted is put on record nowhere', async () => {
    const { order, given } = noted()
    const remembered = { ...memory, state: forgottenState(0, [fingerprint(long)]) }
    expect((await carriedOut(stepping(given), { remembered })).recorded).toBe(true)
    expect(order).toEqual(['model'])
  })
})

describe('who is asked', () => {
  it.each([
    ['what comes by itself', {}, 'usual'],
    ['the agent’s own wish', { asked: 'agent' }, 'usual'],
    ['ahead of need', { asked: 'background' }, 'usual'],
    ['a person', { asked: 'manual' }, 'full'],
    ['a focus', { asked: 'background', focus: 'the parser' }, 'full'],
  ] as const)('%s', async (_, request, writer) => {
    const [usual, full] = [fakeSummarizer(), fakeSummarizer()]
    await carriedOut(stepping({ summarizer: usual, fullSummarizer: full }), { request })
    expect([usual.requests.length > 0, full.requests.length > 0]).toEqual([writer === 'usual', writer === 'full'])
  })
  it('a model that fails is said to have failed; after three times in a row it is left alone', async () => {
    const summarizer = fakeSummarizer('throws')
    const stepped = stepping({ summarizer })
    for (let time = 1; time <= 3; time++) {
      expect(isLeftAlone(stepped)).toBe(false)
      const { step: made } = await carriedOut(stepped, { messages: turns(13 + time) })
      expect([made.failed, made.outcome, made.checkpoint.automatic]).toEqual([true, 'degraded', false])
    }
    expect(isLeftAlone(stepped)).toBe(true)
  })
  it('one success forgives what failed before', async () => {
    let fails = true
    const [good, bad] = [fakeSummarizer(), fakeSummarizer('throws')]
    const summarizer: Summarizer = { ...good, summarize: (...given) => (fails ? bad : good).summarize(...given) }
    const stepped = stepping({ summarizer })
    for (const failing of [true, true, false, true, true]) {
      fails = failing
      expect((await carriedOut(stepped, { messages: turns(14) })).step.failed).toBe(failing)
    }
    expect(isLeftAlone(stepped)).toBe(false)
  })
  it('an abort ends it with the caller’s reason', async () => {
    const stop = new AbortController()
    const inner = fakeSummarizer('hangs')
    const summarizer: Summarizer = {
      ...inner,
      summarize(...given) {
        stop.abort(new Error('enough'))
        return inner.summarize(...given)
      },
    }
    await expect(carriedOut(stepping({ summarizer }), { call: { signal: stop.signal } })).rejects.toThrow('enough')
  })
})

describe('a request that rides on the context', () => {
  const riding = (): ReturnType<typeof fakeSummarizer> => ({ ...fakeSummarizer(), ridesPrefix: true })
  const policy = { summary: { ...presets.balanced.summary, request: 'prefix' as const }, trigger: { hard: { fraction: 0.5 } } }
  it.each([
    ['all is answered', turns(8), true],
    ['a call waits for its answer', history(turns(7), step('read_file', 'open', { path: 'x' }, '').slice(0, 1)), false],
  ])('%s', async (_, messages, rides) => {
    const summarizer = riding()
    const { planned } = await carriedOut(stepping({ policy, summarizer }), { messages })
    expect(planned.plan.summary?.author).toBe('model')
    expect(summarizer.requests[0]?.prefix !== undefined).toBe(rides)
    const end = (planned.plan.summarize.at(-1) ?? -1) + 1
    expect(end).toBeGreaterThan(0)
    if (rides) expect(summarizer.requests[0]?.prefix).toEqual(messages.slice(0, end))
  })
})
