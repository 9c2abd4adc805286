import { estimateHistory, type Message, renderReport, type TokenUsage } from '@precis/core'
import { allText, assistant, call, fakeSummarizer, generateHistory, history, pinned, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { long, make, sound } from './setup.ts'

describe('a session', () => {
  it('does nothing to what fits: the very same array', async () => {
    const short = history(user('hi'))
    const { messages, report } = await make().session('s').beforeModelCall(short)
    expect(messages).toBe(short)
    expect(report.outcome).toBe('unchanged')
  })

  it('compacts, and shows the same context again without asking twice', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer }).session('s')
    const first = await session.beforeModelCall(long)
    expect(first.report.outcome).toBe('summarized')
    sound(long, first.messages, first.report)
    const again = await session.beforeModelCall(long)
    expect(again.report.outcome).toBe('projected')
    again.messages.forEach((message, at) => {
      expect(message).toBe(first.messages[at])
    })
    expect(summarizer.requests).toHaveLength(1)
  })

  it('recognizes a clone of the same history by content', async () => {
    const session = make().session('s')
    const first = await session.beforeModelCall(long)
    const clone = structuredClone(long) as readonly Message[]
    expect(allText((await session.beforeModelCall(clone)).messages)).toBe(allText(first.messages))
  })

  it('recognizes its own context carried forward, and keeps the whole history behind it', async () => {
    const session = make().session('s')
    const first = await session.beforeModelCall(long)
    const carried = [...first.messages, assistant('more'), user('go on')]
    const second = await session.beforeModelCall(carried)
    expect(second.report.plan.keep.length + second.report.plan.represented.length).toBe(long.length + 2)
  })

  it('updates its summary instead of beginning anew', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer }).session('s')
    await session.beforeModelCall(long)
    await session.beforeModelCall([...long, ...generateHistory(102, { turns: 25 })])
    expect(summarizer.requests.at(-1)?.prompt).toContain('<memory>')
    expect(session.state().checkpoints.at(-1)?.version).toBe(2)
  })

  it('an edited, rewound or forked history gets its own context', async () => {
    const session = make().session('s')
    await session.beforeModelCall(long)
    const edited = [user('something else entirely'), ...long.slice(1, 6)]
    expect((await session.beforeModelCall(edited)).messages).toEqual(edited)
    await session.rewind()
    expect(session.state().checkpoints).toEqual([])
    const plan = session.plan(long)
    expect(plan.represented).toEqual([])
  })

  it('compacts on request, with a focus', async () => {
    const summarizer = fakeSummarizer()
    const medium = generateHistory(103, { turns: 8 })
    const { report } = await make({ limits: { contextWindow: 100_000 }, summarizer })
      .session('s')
      .compact(medium, { focus: 'the cache' })
    expect(summarizer.requests[0]?.prompt).toContain('the cache')
    expect(report.tokens.after).toBeLessThan(report.tokens.before * 0.65)
    expect(renderReport(report)).toContain('summarized (manual)')
  })

  it('a plan changes nothing', () => {
    const session = make().session('s')
    const plan = session.plan(long)
    expect(plan.summarize.length).toBeGreaterThan(0)
    expect(session.state().checkpoints).toEqual([])
    expect(session.plan(long)).toEqual(plan)
  })

  it('switched off, compacts on request only', async () => {
    const session = make({ policy: { trigger: { auto: false } } }).session('s')
    expect((await session.beforeModelCall(long)).messages).toBe(long)
    expect((await session.compact(long)).report.outcome).toBe('summarized')
  })

  it('without known limits waits for a refusal', async () => {
    const session = make({ limits: () => undefined }).session('s')
    const sent = await session.beforeModelCall(long)
    expect(sent.messages).toBe(long)
    const prepared = await session.recover(
      long,
      new Error("This model's maximum context length is 4000 tokens. However, you requested 9500 tokens (9000 in the messages, 500 in the completion)."),
    )
    expect(prepared?.report.tokens.after).toBeLessThan(4_000)
    expect(session.state().calibration.learnedWindow).toBe(4_000)
    expect(await session.recover(long, new Error('Rate limit'))).toBeUndefined()
  })

  it('counts from what the provider measured', async () => {
    const session = make().session('s')
    const part = generateHistory(104, { turns: 6 })
    const { report } = await session.beforeModelCall(part)
    session.afterModelCall({ usage: { input: report.tokens.after * 2, cacheRead: 0, cacheWrite: 0, output: 10 } })
    const next = session.plan([...part, assistant('ok'), user('next')])
    expect(next.decision.used).toBeGreaterThan(report.tokens.after * 2)
    session.afterModelCall({ usage: undefined })
  })

  it('a measurement is of what was measured, new objects that say it included, and of no other history', async () => {
    const session = make({ limits: { contextWindow: 100_000, maxOutput: 1_000 } }).session('s')
    const picture = (signature: string): Message => ({
      role: 'user',
      parts: [{ type: 'media', mediaType: 'image/png', data: `https://b.example/f.png?X-Amz-Signature=${signature}` }],
    })
    const part = [picture('a'), ...generateHistory(104, { turns: 6 })]
    const { report } = await session.beforeModelCall(part)
    session.afterModelCall({ usage: { input: report.tokens.after * 1.5, cacheRead: 0, cacheWrite: 0, output: 5_000 } })
    const isCounted = (history: readonly Message[]) => {
      const { decision, tokens } = session.plan(history)
      return decision.used === tokens.before
    }
    const edited = part.map((message, at) => (at === 1 ? assistant('something else') : message))
    expect(isCounted(edited)).toBe(true)
    expect(isCounted(part.slice(0, -1))).toBe(true)
    expect(isCounted(structuredClone([...part, user('next')]))).toBe(false)
    expect(isCounted([picture('b'), ...structuredClone(part.slice(1)), user('next')])).toBe(false)
  })

  it('counts what is sent, not what a broken history holds', async () => {
    const session = make().session('s')
    const unsent = result('nobody asked', 'word '.repeat(3_000))
    const broken = history(user('go'), call('tests', '1'), result('1', 'passed'), unsent, call('tests', '2'), user('and now?'))
    const { messages, report } = await session.beforeModelCall(broken)
    expect(report.outcome).toBe('unchanged') // what is left out anyway needs no compaction
    const sent = estimateHistory(messages)
    expect(report.tokens.after - sent).toBeGreaterThanOrEqual(0)
    expect(report.tokens.after - sent).toBeLessThan(20)
    session.afterModelCall({ usage: { input: sent, cacheRead: 0, cacheWrite: 0, output: 10 } })
    expect(session.state().calibration.factor).toBeGreaterThan(0.8)
  })

  it.each([
    ['nothing', { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }],
    ['no number', { input: Number.NaN, cacheRead: 0, cacheWrite: 0, output: 10 }],
    ['half of the counts', { input: 900, output: 10 }],
  ])('a provider that reports %s has measured nothing', async (_, usage) => {
    const session = make().session('s')
    const part = generateHistory(104, { turns: 6 })
    const { report } = await session.beforeModelCall(part)
    session.afterModelCall({ usage: usage as TokenUsage })
    expect(session.plan(part).decision.used).toBe(report.tokens.after)
    expect((await session.beforeModelCall(long)).report.outcome).toBe('summarized')
  })

  it('what a host adds and does not know counts as nothing', async () => {
    const overhead = { system: Number.NaN, tools: undefined as unknown as number, memory: 100 }
    const { report } = await make().session('s').beforeModelCall(long, { overhead, maxOutput: -1 })
    expect(report.outcome).toBe('summarized')
    expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.budget ?? 0)
  })

  it('ignores what another model counted', async () => {
    const session = make().session('s')
    const part = generateHistory(104, { turns: 6 })
    await session.beforeModelCall(part, { model: 'a' })
    session.afterModelCall({ usage: { input: 4_000, cacheRead: 0, cacheWrite: 0, output: 10 } })
    expect(session.plan(part, { model: 'a' }).decision.used).toBe(4_000)
    expect(session.plan(part, { model: 'b' }).decision.used).not.toBe(4_000)
  })

  it('keeps pins, the newest request and the first one', async () => {
    const pin = pinned(user('Never delete the ledger.'))
    const source = history(user('First request.'), generateHistory(105, { turns: 10 }), pin, generateHistory(106, { turns: 10 }), user('Newest request.'))
    const { messages, report } = await make().session('s').beforeModelCall(source)
    sound(source, messages, report)
    expect(messages).toContain(pin)
    expect(messages[0]).toBe(source[0])
    expect(messages.at(-1)).toBe(source.at(-1))
  })

  it('leaves what stands before a provider’s own compaction alone', async () => {
    const barrier: Message = { role: 'assistant', parts: [{ type: 'opaque', kind: 'compaction', size: 400, barrier: true }] }
    const source = history(user('a'), barrier, user('b'), generateHistory(107, { turns: 25 }))
    const { report } = await make().session('s').beforeModelCall(source)
    expect(report.plan.keep.slice(0, 2)).toEqual([0, 1])
  })
})

describe('a host that appends to its own array', () => {
  it('is served like one that makes new ones', async () => {
    const own: Message[] = []
    const [mutating, copying] = [make().session('a'), make().session('b')]
    for (const message of long) {
      own.push(message)
      if (message.role === 'assistant') continue
      const [one, other] = [await mutating.beforeModelCall(own), await copying.beforeModelCall(own.slice())]
      expect(one.messages).toEqual(other.messages)
      expect(one.report.tokens).toEqual(other.report.tokens)
    }
  })
  it('even while a summary is being written', async () => {
    const own = [...long]
    const summarizer = {
      ...fakeSummarizer(),
      summarize: async (...args: Parameters<ReturnType<typeof fakeSummarizer>['summarize']>) =>
        fakeSummarizer()
          .summarize(...args)
          .finally(() => own.push(user('meanwhile'))),
    }
    const session = make({ summarizer }).session('s')
    const { messages } = await session.beforeModelCall(own)
    expect(messages.at(-1)).toBe(long.at(-1))
    expect((await session.beforeModelCall(own)).messages.at(-1)).toBe(own.at(-1))
  })
})
