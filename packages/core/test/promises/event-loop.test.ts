import { builtInEstimator, createCompactor, type Message, neutralCodec, type TokenEstimator } from '@precis/core'
import { fakeClock, generateHistory } from '@precis/testkit'
import { describe, expect, it, vi } from 'vitest'
import type { Pieces } from '../../src/history/pieces.ts'
import { inSlices } from '../../src/runtime/platform/slices.ts'

// A server with many conversations: one of them that compacts does not keep the others.

const messages = generateHistory(11, { turns: 40, steps: 5, output: 9_000 })
const make = (estimator: TokenEstimator = builtInEstimator) =>
  createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 48_000 }, clock: fakeClock(), estimator })

/** Counts as the built-in one does, and calls back at a certain count. */
const interrupting = (at: number, then: () => void): TokenEstimator => {
  let counts = 0
  return {
    name: 'interrupting',
    count(text) {
      if (++counts === at) then()
      return builtInEstimator.count(text)
    },
  }
}

describe('long work', () => {
  it('lets others have their turn: it goes on until a timer says so', async () => {
    let isTime = false
    setTimeout(() => {
      isTime = true
    })
    const work = function* (): Pieces<string> {
      while (!isTime) yield
      return 'done'
    }
    expect(await Promise.all([inSlices(work()), inSlices(work()), inSlices(work())])).toEqual(['done', 'done', 'done'])
  })

  it('ends when it is aborted, with the reason', async () => {
    const stop = new AbortController()
    const work = function* (): Pieces<never> {
      setTimeout(() => stop.abort('enough'))
      for (;;) yield
    }
    await expect(inSlices(work(), stop.signal)).rejects.toBe('enough')
  })

  it.each([
    ['throws, as at the edge of Next.js', () => expect.unreachable('not supported in the Edge Runtime')],
    ['is missing, as in browsers', undefined],
  ])('is done where setImmediate %s', async (_, setImmediate) => {
    vi.resetModules()
    vi.stubGlobal('setImmediate', setImmediate)
    try {
      const core = await import('@precis/core')
      const compactor = core.createCompactor<Message>({ codec: core.neutralCodec, limits: { contextWindow: 48_000 } })
      expect((await compactor.session('s').beforeModelCall(messages)).report.outcome).toBe('summarized')
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('keeps timers of others no longer where setImmediate is missing, however many conversations there are', async () => {
    vi.resetModules()
    vi.stubGlobal('setImmediate', undefined)
    const work = function* (): Pieces<void> {
      for (const began = performance.now(); performance.now() - began < 8; ) yield
    }
    // Each piece that runs is counted until another's timer has had its turn.
    let [held, most] = [0, 0]
    const others = setInterval(() => {
      held = 0
    })
    const piece = function* (): Pieces<void> {
      yield* work()
      most = Math.max(most, ++held)
    }
    try {
      const { inSlices: sliced } = await import('../../src/runtime/platform/slices.ts')
      await Promise.all(Array.from({ length: 20 }, () => sliced(piece())))
      expect(most).toBeLessThan(5)
    } finally {
      clearInterval(others)
      vi.unstubAllGlobals()
    }
  })

  it('is done in Cloudflare Workers, where a timer is gone with the request that set it', async () => {
    vi.resetModules()
    vi.stubGlobal('WebSocketPair', class {})
    let isGone = true
    vi.stubGlobal('setImmediate', () => {})
    vi.stubGlobal('setTimeout', (work: () => void, ms?: number) => (isGone ? undefined : globalThis.setInterval(work, ms)))
    try {
      const { inSlices: sliced } = await import('../../src/runtime/platform/slices.ts')
      const work = function* (): Pieces<string> {
        for (const began = performance.now(); performance.now() - began < 10; ) yield
        return 'done'
      }
      void sliced(work()) // its request ends while it waits for its turn
      isGone = false
      expect(await sliced(work())).toBe('done')
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('throws what goes wrong in it', async () => {
    const work = function* (): Pieces<never> {
      yield
      throw new Error('broken')
    }
    await expect(inSlices(work())).rejects.toThrow('broken')
  })
})

describe('a compaction', () => {
  it.each([10, 400, 900, 1_400])('aborted at the %d. count loses nothing: the next call gives what it would have given', async (at) => {
    const stop = new AbortController()
    const session = make(interrupting(at, () => stop.abort(new Error('the user left')))).session('aborted')
    await expect(session.beforeModelCall(messages, { signal: stop.signal })).rejects.toThrow('the user left')
    expect(session.state().checkpoints).toEqual([])
    const { messages: context } = await session.beforeModelCall(messages)
    expect(context).toEqual((await make().session('untroubled').beforeModelCall(messages)).messages)
  })

  it('gives what it gives alone, however many others go on beside it', async () => {
    const compactor = make()
    const lengths = [120, 160, 200, messages.length]
    const together = await Promise.all(lengths.map((length) => compactor.session(`beside ${length}`).beforeModelCall(messages.slice(0, length))))
    for (const [at, length] of lengths.entries()) {
      const alone = await make()
        .session('alone')
        .beforeModelCall(structuredClone(messages.slice(0, length)))
      expect(together[at]?.messages).toEqual(alone.messages)
    }
  })

  it('plans the same at once', async () => {
    const session = make().session('planned')
    const planned = session.plan(messages)
    expect((await session.beforeModelCall(messages)).report.plan).toEqual(planned)
  })
})
