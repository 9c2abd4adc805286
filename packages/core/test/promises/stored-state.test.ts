import { type CompactionState, createCompactor, InsufficientBudgetError, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { assistant, fakeExporter, fakeSummarizer, history, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

const limits = { contextWindow: 14_000, maxOutput: 1_500 }
const long: readonly Message[] = history(codingSession({ turns: 6, steps: 3, lines: 35 }), user('Go on with module6.'))
const key = 'sessions/s/state.json'

/** A state as a session really stores it: two compactions, a request that waits, measurements. */
async function storedState(): Promise<string> {
  const storage = memoryStorage()
  const session = createCompactor({ codec: neutralCodec, limits, storage }).session('s')
  await session.beforeModelCall(long.slice(0, 30))
  session.afterModelCall({ usage: { input: 9_000, cacheRead: 0, cacheWrite: 0, output: 100 } })
  await session.beforeModelCall(long)
  session.afterModelCall({ usage: { input: 9_000, cacheRead: 0, cacheWrite: 0, output: 100 } })
  await session.schedule({ by: 'user', focus: 'tests' })
  return (await storage.get(key))?.body ?? ''
}

/** Opens a session on what is stored, twice over: what it answered, what it warned of, and every body that the storage holds afterwards. */
async function opened(body: string, more: readonly Message[] = long) {
  const storage = memoryStorage()
  await storage.put(key, body)
  const events = fakeExporter()
  const compactor = createCompactor({ codec: neutralCodec, limits, storage, exporters: [events] })
  const session = compactor.session('s')
  const first = await session.beforeModelCall(more)
  const second = await session.beforeModelCall(history(more, assistant('Done.'), user('And now?')))
  await session.schedule()
  await compactor.flush()
  const bodies: string[] = []
  for await (const one of storage.list('')) bodies.push((await storage.get(one))?.body ?? '')
  return { first, second, bodies, warnings: [...first.report.warnings, ...second.report.warnings], events: events.events, state: session.state() }
}

const unreadable: readonly (readonly [string, string])[] = [
  ['a list of nothing', '{"format":1,"checkpoints":[null],"calibration":{"factor":1,"overhead":0},"breaker":{"failures":0}}'],
  ['an empty checkpoint', '{"format":1,"checkpoints":[{}],"calibration":{"factor":1,"overhead":0},"breaker":{"failures":0}}'],
  ['a factor without bounds', '{"format":1,"checkpoints":[],"calibration":{"factor":1e308,"overhead":0},"breaker":{"failures":0}}'],
  ['a factor of nothing', '{"format":1,"checkpoints":[],"calibration":{"factor":0,"overhead":0},"breaker":{"failures":0}}'],
  ['a newer format', '{"format":2,"checkpoints":{"by":"address"},"calibration":{},"breaker":{}}'],
  ['half a text', '{"format":1,"checkpoi'],
  ['no state at all', 'null'],
]

describe('a stored state that cannot be read', () => {
  it.each(unreadable)('%s: the agent goes on, the bytes are kept, the receipt and an event say so', async (_name, body) => {
    const { first, bodies, warnings, events } = await opened(body)
    expect(first.report.outcome).not.toBe('unchanged')
    expect(first.report.tokens.after).toBeLessThanOrEqual(12_500)
    expect(bodies).toContain(body)
    expect(warnings.filter((warning) => warning.includes('stored state'))).toHaveLength(1)
    expect(events.filter((event) => event.event === 'compact.state_set_aside')).toHaveLength(1)
  })

  it.each([
    ['more messages than there can be', { covered: 99_999_999, length: 99_999_999 }],
    ['an output behind all that it covers', { edits: [{ index: 99_999, callId: 'c', kind: 'view', text: '…', freed: 1 }] }],
  ])('a checkpoint of this history that speaks of %s', async (_name, lie) => {
    const storage = memoryStorage()
    await createCompactor({ codec: neutralCodec, limits, storage }).session('s').beforeModelCall(long)
    const state = JSON.parse((await storage.get(key))?.body ?? '')
    Object.assign(state.checkpoints[0], lie)
    const started = performance.now()
    const { warnings } = await opened(JSON.stringify(state))
    expect(performance.now() - started).toBeLessThan(3_000)
    expect(warnings.filter((warning) => /stored state|as it came/.test(warning))).toEqual([expect.stringContaining('stored state')])
  })

  it('is set aside once, however many processes find it', async () => {
    const storage = memoryStorage()
    await storage.put(key, '{"format":2}')
    for (let at = 0; at < 3; at++) {
      if (at > 0) await storage.put(key, '{"format":2}')
      await createCompactor({ codec: neutralCodec, limits, storage }).session('s').beforeModelCall(long)
    }
    const keys: string[] = []
    for await (const one of storage.list('sessions/s/')) keys.push(one)
    expect(keys).toHaveLength(2)
  })

  it('is not written over where it cannot be set aside', async () => {
    const inner = memoryStorage()
    await inner.put(key, '{"format":2}')
    const storage: typeof inner = {
      ...inner,
      put: async (where, ...rest) => {
        if (where !== key) throw new Error('full')
        return inner.put(where, ...rest)
      },
    }
    const { report } = await createCompactor({ codec: neutralCodec, limits, storage }).session('s').beforeModelCall(long)
    expect(report.outcome).not.toBe('unchanged')
    expect((await inner.get(key))?.body).toBe('{"format":2}')
  })

  it('a storage that was away for the first look is asked again, and what it holds is not written over', async () => {
    const inner = memoryStorage()
    await inner.put(key, await storedState())
    const before = JSON.parse((await inner.get(key))?.body ?? '') as CompactionState
    let looks = 0
    const storage: typeof inner = {
      ...inner,
      get: async (...args) => {
        if (++looks === 1) throw new Error('away')
        return inner.get(...args)
      },
    }
    const session = createCompactor({ codec: neutralCodec, limits, storage }).session('s')
    await session.beforeModelCall(long)
    await session.beforeModelCall(history(long, assistant('Done.'), user('And now?')))
    const after = JSON.parse((await inner.get(key))?.body ?? '') as CompactionState
    expect(after.checkpoints.map((one) => one.id)).toEqual(expect.arrayContaining(before.checkpoints.map((one) => one.id)))
  })
})

describe('whatever is stored', () => {
  it('a state that was written is read: nothing is set aside', async () => {
    const body = await storedState()
    const { warnings, state } = await opened(body)
    expect(warnings.filter((warning) => warning.includes('stored state'))).toEqual([])
    const { checkpoints } = JSON.parse(body) as CompactionState
    expect(checkpoints.length).toBeGreaterThan(0)
    expect(state.checkpoints.slice(0, checkpoints.length)).toEqual(checkpoints)
  })

  it('a state whose records were called digests is read', async () => {
    const body = (await storedState()).replaceAll('"record":', '"digest":')
    const { warnings, state } = await opened(body)
    expect(warnings.filter((warning) => warning.includes('stored state'))).toEqual([])
    expect(state.checkpoints[0]?.summary?.record).toBe((JSON.parse(body) as { checkpoints: { summary: { digest: string } }[] }).checkpoints[0]?.summary.digest)
  })

  it('never ends a call, never keeps it, and its bytes are never lost', async () => {
    const valid = await storedState()
    const json = fc.json({ maxDepth: 6 })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          json,
          json.map((inner) => `{"format":1,"checkpoints":[${inner}],"calibration":{"factor":1,"overhead":0},"breaker":{"failures":0}}`),
        ),
        async (body) => {
          const { bodies, warnings } = await opened(body)
          if (warnings.some((warning) => warning.includes('stored state'))) expect(bodies).toContain(body)
          else expect(readable(body)).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(1e308, -1, 0, 1e9, '', null, [], {}, [null])), async (at, value) => {
        const body = mutated(valid, at, value)
        const found = await opened(body).catch((error: unknown) => {
          // What reads as a measurement is one: a prompt of a million tokens besides the messages leaves no room, and the error says for what.
          if (InsufficientBudgetError.isInstance(error)) return undefined
          throw error
        })
        if (found === undefined) return
        const { first, bodies, warnings } = found
        expect(first.messages.length).toBeGreaterThan(0)
        expect(warnings.filter((warning) => warning.includes('as it came'))).toEqual([])
        if (warnings.some((warning) => warning.includes('stored state'))) expect(bodies).toContain(body)
      }),
      { numRuns: 250 },
    )
  }, 120_000)
})

it('another policy, another summarizer and other rules of redaction go on from the summary that is there', async () => {
  const storage = memoryStorage()
  const { report } = await createCompactor({ codec: neutralCodec, limits, storage }).session('s').beforeModelCall(long)
  const summarizer = fakeSummarizer()
  const changed = createCompactor({
    codec: neutralCodec,
    limits,
    storage,
    summarizer,
    policy: { summary: { style: 'structured', author: 'model' }, prune: { ladder: ['view'] }, retain: { turns: 1 } },
    redact: (text) => text.replaceAll('module', '[thing]'),
  }).session('s')
  const again = await changed.beforeModelCall(long)
  expect([again.report.outcome, again.report.checkpoint]).toEqual(['projected', report.checkpoint])
  expect(summarizer.requests).toEqual([])
})

function readable(body: string): boolean {
  const value = JSON.parse(body) as { format?: unknown } | null
  return value?.format === 1
}

/** The same JSON with one of its places (numbered in order) taken by another value. */
function mutated(json: string, at: number, value: unknown): string {
  const root: unknown = JSON.parse(json)
  const places: { readonly holder: Record<string, unknown>; readonly name: string }[] = []
  const walk = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return
    for (const name of Object.keys(holder)) {
      places.push({ holder: holder as Record<string, unknown>, name })
      // Lists of numbers are all alike: their first entries stand for them.
      if (!Array.isArray(holder) || Number(name) < 3) walk((holder as Record<string, unknown>)[name])
    }
  }
  walk(root)
  const place = places[at % places.length]
  if (place !== undefined) place.holder[place.name] = value
  return JSON.stringify(root)
}
