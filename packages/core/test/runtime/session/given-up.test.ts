import { setTimeout as sleep } from 'node:timers/promises'
import { createCompactor, type Message, neutralCodec, type Summarizer } from '@precis/core'
import { withSharedStorage } from '@precis/core/adapters'
import { assistant, fakeSummarizer, generateHistory, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { limits, long, make, movedClock, sound } from './setup.ts'

/** A caller whose patience ends while a model is asked, on a clock of its own. */
function waiting(milliseconds: number) {
  const clock = movedClock()
  const state = { asked: 0, caller: new AbortController() }
  const summarizer: Summarizer = {
    name: `hangs for ${milliseconds}`,
    summarize() {
      state.asked++
      // A long span is asked about in stretches.
      if (!state.caller.signal.aborted) clock.move(milliseconds)
      state.caller.abort(new Error('too long'))
      return new Promise(() => {})
    },
  }
  const signal = (): AbortSignal => {
    state.caller = new AbortController()
    return state.caller.signal
  }
  return { clock, state, summarizer, signal }
}

describe('a request that gave up on a summary', () => {
  it('is the last that waits, also where the model is wrapped anew with each request, and the receipt says why', async () => {
    let asked = 0
    const real = Date.now
    const stop = new AbortController()
    const summarizer: Summarizer = {
      name: 'hangs',
      summarize() {
        asked++
        Date.now = () => real() + 4_000
        stop.abort(new Error('too long'))
        return new Promise(() => {})
      },
    }
    const wrapped = () => createCompactor<Message>({ codec: neutralCodec, ...withSharedStorage({ limits, summarizer: { ...summarizer } }, 'given up') })
    try {
      await expect(wrapped().session('s').beforeModelCall(long, { signal: stop.signal })).rejects.toThrow('too long')
      const before = asked
      const { messages, report } = await wrapped().session('s').beforeModelCall(long)
      sound(long, messages, report)
      expect(asked).toBe(before)
      expect(report.warnings.join()).toContain('the model that writes summaries is left alone for now')
    } finally {
      Date.now = real
    }
  })
  it('is not the last where it was soon, but several such add up', async () => {
    const { clock, state, summarizer, signal } = waiting(1_600)
    const session = make({ clock, summarizer }).session('s')
    for (let times = 0; times < 2; times++) await expect(session.beforeModelCall(long, { signal: signal() })).rejects.toThrow('too long')
    const before = state.asked
    expect((await session.beforeModelCall(long, { signal: signal() })).report.outcome).toBe('degraded')
    expect(state.asked).toBe(before)
  })
  it('counts as a failure of the model: after three of them no conversation asks it', async () => {
    const { clock, state, summarizer, signal } = waiting(4_000)
    const compactor = make({ clock, summarizer })
    for (const id of ['a', 'b', 'c']) await expect(compactor.session(id).beforeModelCall(long, { signal: signal() })).rejects.toThrow('too long')
    const before = state.asked
    expect((await compactor.session('d').beforeModelCall(long, { signal: signal() })).report.outcome).toBe('degraded')
    expect(state.asked).toBe(before)
  })
  it('need not have asked itself: one that is written in the background is not waited for either', async () => {
    const clock = movedClock()
    const summarizer = fakeSummarizer('hangs')
    const session = make({ clock, summarizer }).session('s')
    const { abort } = session.background(long)
    const stop = new AbortController()
    const asking = session.beforeModelCall(long, { signal: stop.signal })
    asking.catch(() => {})
    await sleep(100)
    const before = summarizer.requests.length
    clock.move(4_000)
    stop.abort(new Error('too long'))
    await expect(asking).rejects.toThrow('too long')
    const { messages, report } = await session.beforeModelCall(long)
    sound(long, messages, report)
    expect([before > 0, summarizer.requests.length]).toEqual([true, before])
    abort()
  })
  it('is forgiven after ten minutes, and once the model has answered', async () => {
    const { clock, state, summarizer, signal } = waiting(4_000)
    const good = fakeSummarizer()
    const mended: Summarizer = { ...good, summarize: (...given) => (state.asked === 0 ? summarizer : good).summarize(...given) }
    const session = make({ clock, summarizer: mended }).session('s')
    await expect(session.beforeModelCall(long, { signal: signal() })).rejects.toThrow('too long')
    clock.move(600_000)
    await session.beforeModelCall(long)
    const before = good.requests.length
    expect(before).toBeGreaterThan(0)
    await session.beforeModelCall(history(long, assistant('Done.'), user('And now?'), generateHistory(7, { turns: 20 })))
    expect(good.requests.length).toBeGreaterThan(before)
  })
})

describe('a call that has little time', () => {
  it('goes on with the record, and shuts the model out for nobody', async () => {
    let asked = 0
    const summarizer: Summarizer = {
      name: 'takes its time',
      async summarize(request, signal) {
        asked++
        await sleep(400, undefined, { signal })
        return fakeSummarizer().summarize(request, signal)
      },
    }
    const compactor = make({ summarizer })
    for (const name of ['a', 'b', 'c']) {
      const { report } = await compactor.session(name).beforeModelCall(long, { deadline: 600 })
      expect([report.outcome, report.warnings.join()]).toEqual(['degraded', expect.stringContaining("half of the call's deadline: 300 ms")])
    }
    expect((await compactor.session('d').beforeModelCall(long)).report.outcome).toBe('summarized')
    const before = asked
    expect((await compactor.session('e').beforeModelCall(long, { deadline: 0 })).report.outcome).toBe('degraded')
    expect(asked).toBe(before)
  })
})
