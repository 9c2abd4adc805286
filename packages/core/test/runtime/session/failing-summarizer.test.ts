import { setTimeout as sleep } from 'node:timers/promises'
import { memoryStorage, type Summarizer } from '@precis/core'
import { allText, fakeExporter, fakeSummarizer, generateHistory, summarizerFaults } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { long, make, movedClock, sound } from './setup.ts'

describe('when the summarizer fails', () => {
  it.each(summarizerFaults)('%s: the context is sound, nothing is lost, and the record takes over', async (fault) => {
    const summarizer = fakeSummarizer(fault)
    const exporter = fakeExporter()
    const compactor = make({ summarizer, exporters: [exporter], policy: { summary: { deadline: 1_000 } } })
    const session = compactor.session('s')
    const { messages, report } = await session.beforeModelCall(long)
    sound(long, messages, report)
    await compactor.flush()
    if (fault === 'injects') {
      expect(allText(messages).match(/<\/context-summary>/g)).toHaveLength(1)
      return
    }
    expect(report.outcome).toBe('degraded')
    if (fault === 'hangs') expect(report.warnings.join()).toContain('timeout (summary.deadline: 1000 ms)')
    expect(exporter.events.map((event) => event.event)).toContain('compact.summary_rejected')
    expect(session.state().checkpoints.at(-1)?.summary?.record).not.toBe('')
  })

  it.each(['throws', 'empty', 'refuses', 'hangs'] as const)('%s: the record is the one that there is without a summarizer', async (fault) => {
    const recordWith = async (summarizer?: Summarizer): Promise<string | undefined> => {
      const session = make({ ...(summarizer && { summarizer }), policy: { summary: { deadline: 1_000 } } }).session('s')
      await session.beforeModelCall(long)
      return session.state().checkpoints.at(-1)?.summary?.record
    }
    expect(await recordWith(fakeSummarizer(fault))).toBe(await recordWith())
  })

  it.each([3e9, Number.MAX_SAFE_INTEGER])('a deadline of %d milliseconds is never over', async (deadline) => {
    const { report } = await make({ summarizer: fakeSummarizer(), policy: { summary: { deadline } } })
      .session('s')
      .beforeModelCall(long)
    expect(report.outcome).toBe('summarized')
  })

  it('tries the fallback style once', async () => {
    const summarizer = fakeSummarizer('refuses', 1)
    const { report } = await make({ summarizer }).session('s').beforeModelCall(long)
    expect(summarizer.requests.map((request) => request.style)).toEqual(['structured', 'brief'])
    expect(report.outcome).toBe('summarized')
  })

  it('stops asking after three failures, until somebody asks for it', async () => {
    const summarizer = fakeSummarizer('throws')
    const session = make({ summarizer }).session('s')
    let source = long
    for (let round = 0; round < 5; round++) {
      await session.beforeModelCall(source)
      source = [...source, ...generateHistory(200 + round, { turns: 20 })]
    }
    const asked = summarizer.requests.length
    await session.beforeModelCall([...source, ...generateHistory(300, { turns: 20 })])
    expect(summarizer.requests.length).toBe(asked)
    await session.compact(source)
    expect(summarizer.requests.length).toBeGreaterThan(asked)
  })

  it('whoever gives up on one that takes too long does not wait for it again in that conversation', async () => {
    const clock = movedClock()
    let asked = 0
    const caller = new AbortController()
    const summarizer: Summarizer = {
      name: 'hangs',
      summarize: async () => {
        asked++
        clock.move(8_000)
        caller.abort(new Error('too long'))
        return new Promise(() => {})
      },
    }
    const session = make({ summarizer, clock }).session('s')
    await expect(session.beforeModelCall(long, { signal: caller.signal })).rejects.toThrow('too long')
    const before = asked
    const { messages, report } = await session.beforeModelCall(long)
    sound(long, messages, report)
    expect(asked).toBe(before)
  })

  it('whoever stops at once says nothing of the summarizer', async () => {
    const caller = new AbortController()
    let asked = 0
    const summarizer: Summarizer = {
      name: 'stopped',
      summarize: async (request, signal) => {
        if (asked++ > 0) return fakeSummarizer().summarize(request, signal)
        caller.abort(new Error('stopped'))
        return new Promise(() => {})
      },
    }
    const session = make({ summarizer }).session('s')
    await expect(session.beforeModelCall(long, { signal: caller.signal })).rejects.toThrow('stopped')
    expect((await session.beforeModelCall(long)).report.outcome).toBe('summarized')
  })

  it('a model that is left alone writes nothing ahead of need, and the work is not done', async () => {
    const summarizer = fakeSummarizer('throws')
    const compactor = make({ summarizer })
    for (const id of ['a', 'b', 'c']) await compactor.session(id).beforeModelCall(long)
    const asked = summarizer.requests.length
    const session = compactor.session('d')
    expect(await session.compactAhead(long)).toBe('failed')
    expect(await session.background(long).done).toBe(false)
    expect(summarizer.requests.length).toBe(asked)
    expect(session.state().checkpoints).toEqual([])
  })

  it('keeps what the last good summary said', async () => {
    const session = make({ summarizer: fakeSummarizer('none') }).session('s')
    await session.beforeModelCall(long)
    const good = session.state().checkpoints.at(-1)?.summary?.text ?? ''
    const storage = memoryStorage()
    await storage.put('sessions/s/state.json', JSON.stringify(session.state()))
    const next = make({ summarizer: fakeSummarizer('empty'), storage }).session('s')
    await next.beforeModelCall([...long, ...generateHistory(110, { turns: 20 })])
    expect(next.state().checkpoints.at(-1)?.summary?.text).toBe(good)
  })

  it('summarizes a long span in pieces that fit its window, then merges', async () => {
    const summarizer = { ...fakeSummarizer(), window: 3_500 }
    const session = make({ limits: { contextWindow: 60_000, maxOutput: 500 }, summarizer, policy: { summary: { tokens: { tokens: 600 } } } }).session('s')
    const { report } = await session.compact(generateHistory(111, { turns: 60 }))
    expect(report.outcome).toBe('summarized')
    expect(summarizer.requests.length).toBeGreaterThan(3)
    expect(summarizer.requests.at(-1)?.prompt).toContain('<stretch-1>')
    for (const request of summarizer.requests) expect(request.prompt.length / 4).toBeLessThan(3_500)
  })

  it.each([
    ['only some of its numbers', { input: 100, output: 20 }, { prompt: 100, reply: 20 }],
    ['nothing of a prompt', { output: 20 }, { reply: 20 }],
    ['no number', { input: Number.NaN, cacheRead: '5', cacheWrite: -1, output: Infinity }, {}],
    ['no field', {}, {}],
    ['null', null, {}],
    ['that it was free', { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, { prompt: 0, reply: 0 }],
  ])('a usage that says %s is read as far as it goes; the rest is estimated', async (_, usage, stated) => {
    const inner = fakeSummarizer()
    const summarizer: Summarizer = { ...inner, summarize: async (...given) => ({ ...(await inner.summarize(...given)), usage: usage as never }) }
    const { report } = await make({ summarizer }).session('s').beforeModelCall(long)
    const unsaid = (await make({ summarizer: inner }).session('s').beforeModelCall(long)).report.spent
    expect(unsaid.prompt).toBeGreaterThan(0)
    expect([report.outcome, report.spent]).toEqual(['summarized', { ...unsaid, ...stated }])
  })

  it('an abort is the caller’s: it rejects, and the session is as before', async () => {
    const stop = new AbortController()
    const session = make({ summarizer: fakeSummarizer('hangs') }).session('s')
    const running = session.beforeModelCall(long, { signal: stop.signal })
    await sleep(5)
    stop.abort(new Error('user stopped'))
    await expect(running).rejects.toThrow('user stopped')
    expect(session.state().checkpoints).toEqual([])
  })

  it('serves calls one after another: one summary, not two', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer }).session('s')
    const [a, b] = await Promise.all([session.beforeModelCall(long), session.beforeModelCall(long)])
    expect(summarizer.requests).toHaveLength(1)
    expect(allText(a.messages)).toBe(allText(b.messages))
  })
})
