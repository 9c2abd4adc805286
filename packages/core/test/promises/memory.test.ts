import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCompactor, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { fakeClock, fakeStorage, fakeSummarizer, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// A server that runs for weeks: conversations end without anybody saying so.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const conversation = (run: number): readonly Message[] => [
  user(`This is conversation ${run}.`),
  ...structuredClone(codingSession({ turns: 10, steps: 2, lines: 40 })),
]

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Megabytes in use after `count` conversations, counted from the tenth on. */
async function grown(count: number, more: object): Promise<number> {
  const compactor = createCompactor({ codec: neutralCodec, limits, ...more })
  const used = async (from: number, to: number): Promise<number> => {
    for (let run = from; run < to; run++) {
      const history = conversation(run)
      for (const share of [0.4, 0.8, 1]) await compactor.session(`run ${run}`).beforeModelCall(history.slice(0, Math.floor(history.length * share)))
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    collect()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = await used(0, 10)
  return (await used(10, count)) - before
}

describe('finished conversations', () => {
  it('are let go of: a hundred of them take no more room than ten', async () => {
    expect(await grown(110, { maxMemory: 500_000 })).toBeLessThan(6)
  })
  it('come back with the summary that was paid for, from the storage', async () => {
    const summarizer = fakeSummarizer()
    const compactor = createCompactor({ codec: neutralCodec, limits, summarizer, maxMemory: 100_000 })
    const history = conversation(0)
    await compactor.session('first').beforeModelCall(history)
    const paid = summarizer.requests.length
    expect(paid).toBeGreaterThan(0)
    compactor.session('first').close()
    const { report } = await compactor.session('first').beforeModelCall([...history, user('go on')])
    expect([report.outcome, summarizer.requests.length]).toEqual(['projected', paid])
  })
  it('that the default storage forgot are compacted once more, and nothing is lost', async () => {
    const compactor = createCompactor({ codec: neutralCodec, limits, maxMemory: 20_000 })
    for (let run = 0; run < 6; run++) await compactor.session(`run ${run}`).beforeModelCall(conversation(run))
    const { messages, report } = await compactor.session('run 0').beforeModelCall(conversation(0))
    expect(report.outcome).toBe('summarized')
    expect(JSON.stringify(messages)).toContain('This is conversation 0.')
  })
  it('an entry that somebody deleted is written again by the conversation that goes on', async () => {
    const storage = memoryStorage()
    const session = createCompactor({ codec: neutralCodec, limits, storage }).session('s')
    await session.beforeModelCall(conversation(0))
    await storage.delete('sessions/s/state.json')
    const more = [...conversation(0), ...conversation(1), user('go on')]
    const { report } = await session.beforeModelCall(more)
    expect(report.outcome).toBe('summarized')
    expect(report.warnings).toEqual([])
    expect(JSON.parse((await storage.get('sessions/s/state.json'))?.body ?? '{}').checkpoints).toHaveLength(2)
  })
  it('without a storage that answers goes on all the same after close', async () => {
    const session = createCompactor({ codec: neutralCodec, limits, storage: fakeStorage('get-throws') }).session('s')
    await session.beforeModelCall(conversation(0))
    session.close()
    expect((await session.beforeModelCall(conversation(0))).report.outcome).toBe('summarized')
  })
})

it('a chat that a server reads anew for each turn is held once, not once for each turn', async () => {
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 1_000_000, maxOutput: 500 } }).session('s')
  const used = async (turns: number): Promise<number> => {
    const history = Array.from({ length: 100 * turns }, (_, at) => user(`${at}: ${'nothing new of the build '.repeat(20)}`))
    for (let turn = 1; turn <= turns; turn++) {
      const { report } = await session.beforeModelCall(structuredClone(history.slice(0, 100 * turn)))
      session.afterModelCall({ report, usage: { input: 14_000 * turn, output: 10, cacheRead: 0, cacheWrite: 0 } })
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    collect()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = await used(1)
  expect((await used(40)) - before).toBeLessThan(12)
})

it('pictures in the outputs of tools count for what is held at most', async () => {
  const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 1_000_000, maxOutput: 500 }, maxMemory: 4_000_000 })
  for (let run = 0; run < 40; run++) {
    const data = Buffer.alloc(750_000, run).toString('base64')
    const attachments = [{ type: 'media', mediaType: 'image/png', bytes: 750_000, data }] as const
    await compactor
      .session(`run ${run}`)
      .beforeModelCall([
        user(`Look at page ${run}.`),
        { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c', tool: 'look', input: '{}' }] },
        { role: 'tool', parts: [{ type: 'tool-result', callId: 'c', tool: 'look', output: '', attachments }] },
      ])
  }
  await new Promise((resolve) => setTimeout(resolve, 20))
  collect()
  const held = process.memoryUsage().heapUsed / 1e6
  for (let run = 0; run < 40; run++) compactor.session(`run ${run}`).close()
  collect()
  expect(held - process.memoryUsage().heapUsed / 1e6).toBeLessThan(8)
})

describe('conversations that pause', () => {
  /** Two turns of one conversation, and a minute between them in which another one is talked in. */
  const afterPause = async (restAfter: number | undefined) => {
    let later = 0
    const { now, id } = fakeClock()
    const clock = { now: () => now() + later, id }
    const compactor = createCompactor({ codec: neutralCodec, limits, clock, ...(restAfter !== undefined && { restAfter }) })
    const session = compactor.session('first')
    const call = { model: 'm' }
    await session.beforeModelCall(conversation(0), call)
    session.afterModelCall({ usage: { input: 7_000, output: 10, cacheRead: 0, cacheWrite: 0 } })
    later = 60_000
    await compactor.session('second').beforeModelCall(conversation(1), call)
    // At rest a measurement is known by its fingerprint, as its messages are gone.
    const { anchor, ...state } = session.state()
    const held = { ...state, anchor: { ...anchor, fingerprint: undefined } }
    const { messages, report } = await session.beforeModelCall([...conversation(0), user('go on')], call)
    const refused = await session.recover([...conversation(0), user('go on')], new Error('maximum context length is 9000 tokens'), call)
    return { held, messages, tokens: report.tokens, refused: refused?.report.tokens.after }
  }
  it('go on with the same context, the same counts and the same answer to a refusal, whether they rested or not', async () => {
    const [rested, held] = [await afterPause(60_000), await afterPause(undefined)]
    expect(rested.held.checkpoints).toHaveLength(1)
    expect(rested.refused).toBeLessThan(8_500)
    expect(rested).toEqual(held)
  })
  it('hold their state alone: that is less than half of what they held', async () => {
    const [rested, held] = [await grown(50, { restAfter: 0 }), await grown(50, {})]
    expect(rested).toBeLessThan(held / 2)
  })
  it('are not told apart by what is no time', () => {
    expect(() => createCompactor({ codec: neutralCodec, restAfter: -1 })).toThrow('restAfter')
    expect(() => createCompactor({ codec: neutralCodec, restAfter: Number.NaN })).toThrow('restAfter')
  })
})

describe('memoryStorage', () => {
  it.each([
    [{ characters: '64mb' }, 'memoryStorage.characters is "64mb"; expected a number ≥ 0.'],
    [{ characters: Number.NaN }, 'memoryStorage.characters is NaN; expected a number ≥ 0.'],
    [{ characters: -1 }, 'memoryStorage.characters is -1; expected a number ≥ 0.'],
    [{ bytes: 64_000_000 }, 'unknown field "memoryStorage.bytes"; write one such as characters.'],
    [64_000_000, 'memoryStorage is 64000000; expected an object.'],
  ])('of %j is refused', (options, said) => {
    expect(() => memoryStorage(options as never)).toThrow(said)
  })
  it.each([undefined, {}, { characters: undefined }, { characters: Infinity }, { characters: 0 }])('of %j is a storage', (options) => {
    expect(memoryStorage(options).name).toBe('memory')
  })

  it('gives back what it was given, in every script', async () => {
    const storage = memoryStorage()
    for (const body of ['', 'plain', 'naïve', '→ 一 😀', '\uFEFFmark →', 'half a pair \uD83D →']) {
      await storage.put('k', body)
      expect((await storage.get('k'))?.body).toBe(body)
    }
  })
  it('forgets what was used longest ago when there is a limit', async () => {
    const storage = memoryStorage({ characters: 25 })
    for (const key of ['a', 'b']) await storage.put(key, '0123456789')
    await storage.get('a')
    await storage.put('c', '0123456789')
    expect(await Promise.all(['a', 'b', 'c'].map(async (key) => (await storage.get(key)) !== undefined))).toEqual([true, false, true])
    await storage.put('large', 'x'.repeat(100))
    expect(await storage.get('large')).toBeDefined()
  })
})
