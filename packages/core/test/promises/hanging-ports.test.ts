import {
  type Archive,
  type CompactorOptions,
  createArchive,
  createCompactor,
  createToolOutputStore,
  lexicalEmbedder,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
} from '@precis/core'
import { assistant, brokenLaws, fakeExporter, fakeSummarizer, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

const limits = { contextWindow: 14_000, maxOutput: 1_500 }
const long: readonly Message[] = history(codingSession({ turns: 6, steps: 3, lines: 35 }), user('Go on with module6.'))
const never = <T>(): Promise<T> => new Promise(() => {})
const hanging: StorageDriver = {
  name: 'hanging',
  get: () => never(),
  put: () => never(),
  delete: () => never(),
  // biome-ignore lint/correctness/useYield: it never comes to that
  async *list() {
    await never()
  },
}

const ports: Readonly<Record<string, Partial<CompactorOptions<Message>>>> = {
  storage: { storage: hanging },
  'storage that reads and never writes': { storage: { ...memoryStorage(), put: () => never() } },
  archive: { archive: createArchive<Message>(hanging) },
  'output store': { outputs: createToolOutputStore(hanging, { keep: 'all' }) },
  embedder: { embedder: { name: 'hanging', embed: () => never() }, policy: { retain: { semantic: { tokens: { tokens: 500 }, clusters: 2 } } } },
  'trace that never begins': { trace: () => never() },
  'trace that never ends': {
    trace: async (_attributes, work) => {
      await work(() => {})
      return never()
    },
  },
  'lease and queue': { queue: { name: 'hanging', enqueue: () => never() }, storage: hanging },
}

describe.each(Object.keys(ports))('a %s that never answers', (name) => {
  const options = ports[name] ?? {}
  it('does not keep the agent: the context is whole and within budget, and the receipt and an event say what was skipped', async () => {
    const events = fakeExporter()
    const compactor = createCompactor<Message>({
      codec: neutralCodec,
      limits,
      summarizer: fakeSummarizer(),
      exporters: [events],
      effectDeadline: 20,
      ...options,
    })
    const session = compactor.session('s')
    const { messages, report } = await session.beforeModelCall(long)
    expect(brokenLaws({ history: long, context: messages, plan: report.plan, tokens: { after: report.tokens.after, budget: report.tokens.budget } })).toEqual(
      [],
    )
    expect(report.outcome).not.toBe('unchanged')
    const again = await session.beforeModelCall(history(long, assistant('Done.'), user('And now?')))
    expect(again.report.tokens.after).toBeLessThanOrEqual(12_500)
    // A span ends after its receipt was written: then the next one says it.
    const warnings = [...report.warnings, ...again.report.warnings]
    expect(warnings.some((warning) => warning.includes('did not answer within 20 ms (effectDeadline)'))).toBe(true)
    await compactor.flush()
    expect(events.events.filter((event) => event.event === 'compact.effect_late').length).toBeGreaterThan(0)
  })

  it('does not outlast an abort', async () => {
    const session = createCompactor<Message>({ codec: neutralCodec, limits, summarizer: fakeSummarizer(), effectDeadline: Infinity, ...options }).session('s')
    const stop = new AbortController()
    const call = session.compact(long, { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('enough')), 20)
    await expect(call).rejects.toThrow('enough')
  })
})

describe('one deadline for all effects of a call', () => {
  it('is used up by the first that hangs: the others are not waited for', async () => {
    let asked = 0
    const counting: StorageDriver = {
      ...hanging,
      get: () => {
        asked++
        return never()
      },
    }
    const session = createCompactor<Message>({
      codec: neutralCodec,
      limits,
      effectDeadline: 20,
      storage: counting,
      archive: createArchive<Message>(counting),
      outputs: createToolOutputStore(counting, { keep: 'all' }),
    }).session('s')
    const { report } = await session.beforeModelCall(long)
    expect(report.warnings.filter((warning) => warning.includes('effectDeadline'))).toHaveLength(3)
    expect(asked).toBe(1)
  })
  it.each([0, -1, Number.NaN])('%d is refused by its name', (effectDeadline) => {
    expect(() => createCompactor({ codec: neutralCodec, effectDeadline })).toThrow('effectDeadline')
  })
})

/** A storage whose writes take effect when they are let through, whenever that is. */
function held() {
  const inner = memoryStorage()
  const waiting: (() => void)[] = []
  let holding = false
  const storage: StorageDriver = {
    ...inner,
    // What it was asked, it does: no signal stops a request that is on its way.
    put: async (key, body, options) => {
      if (holding) await new Promise<void>((resolve) => waiting.push(resolve))
      return inner.put(key, body, options?.ifVersion === undefined ? {} : { ifVersion: options.ifVersion })
    },
  }
  return {
    inner,
    storage,
    hold: () => {
      holding = true
    },
    let: async () => {
      holding = false
      for (const go of waiting.splice(0)) go()
      await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}

describe('what comes after the deadline', () => {
  it('a state that was written late is followed, not written over and not taken for a rival', async () => {
    const { inner, storage, hold, let: letThrough } = held()
    const options = { codec: neutralCodec, limits, storage, effectDeadline: 20 }
    const session = createCompactor<Message>(options).session('s')
    hold()
    const first = await session.beforeModelCall(long)
    await letThrough()
    const more = history(long, codingSession({ turns: 4, steps: 3, lines: 40 }).slice(1), user('And now?'))
    const second = await session.beforeModelCall(more)
    expect(second.report.warnings.filter((warning) => warning.includes('stored'))).toEqual([])
    const other = createCompactor<Message>({ ...options, storage: inner }).session('s')
    expect((await other.beforeModelCall(more)).messages).toEqual(second.messages)
    expect(other.state().checkpoints.map((one) => one.id)).toEqual(expect.arrayContaining([first.report.checkpoint, second.report.checkpoint]))
  })

  it('a lease that was written late is given back', async () => {
    const { inner, storage, hold, let: letThrough } = held()
    await inner.put('redaction/salt.json', '{"key":"of all"}')
    hold()
    const slow = fakeSummarizer()
    const session = createCompactor<Message>({
      codec: neutralCodec,
      limits,
      storage,
      effectDeadline: 20,
      queue: { name: 'none', enqueue: async () => {} },
      summarizer: {
        ...slow,
        async summarize(request, signal) {
          await letThrough()
          return slow.summarize(request, signal)
        },
      },
    }).session('s')
    await session.beforeModelCall(long)
    const lease = JSON.parse((await inner.get('sessions/s/lease.json'))?.body ?? '{}') as { until: number }
    expect(lease.until).toBe(0)
  })
})

describe('where the write is the only copy', () => {
  const archiveOf = (storage: StorageDriver): Archive<Message> => createArchive<Message>(storage)
  it.each([
    ['archive', { archive: archiveOf(hanging) }],
    ['output store', { outputs: createToolOutputStore(hanging, { keep: 'all' }) }],
  ])('a context that replaces its history is not made without the %s', async (_name, options) => {
    const session = createCompactor<Message>({ codec: neutralCodec, limits, effectDeadline: 20, ...options }).session('s')
    const { messages, report } = await session.beforeModelCall(long, { replaces: true })
    expect(messages).toBe(long)
    expect(report.outcome).toBe('unchanged')
    expect(report.warnings.join()).toContain('nothing else would hold')
    expect(session.state().checkpoints).toEqual([])
  })
  it('nor is one that was made for a view before', async () => {
    const storage = memoryStorage()
    const options = { codec: neutralCodec, limits, storage, effectDeadline: 20 }
    const more = history(long, assistant('Done.'))
    await createCompactor<Message>(options).session('s').beforeModelCall(long)
    const { messages, report } = await createCompactor<Message>({ ...options, archive: archiveOf(hanging) })
      .session('s')
      .beforeModelCall(more, { replaces: true })
    expect(messages).toBe(more)
    expect(report.outcome).toBe('unchanged')
  })
  it('is made where they answer', async () => {
    const storage = memoryStorage()
    const session = createCompactor<Message>({ codec: neutralCodec, limits, archive: archiveOf(storage) }).session('s')
    const { report } = await session.beforeModelCall(long, { replaces: true })
    expect(report.outcome).not.toBe('unchanged')
    expect((await archiveOf(storage).read('s')).messages).toEqual(long)
  })
  it('an output that arrives stays whole', async () => {
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, effectDeadline: 20, outputs: createToolOutputStore(hanging) })
    const output = 'line of a log\n'.repeat(20_000)
    expect(await compactor.receiveOutput('logs', output)).toBe(output)
  })
  it('a stream is read to its end, however long the tool takes and the store hangs; both ends are kept', async () => {
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, effectDeadline: 20, outputs: createToolOutputStore(hanging) })
    const stream = async function* () {
      yield 'first line\n'
      await new Promise((resolve) => setTimeout(resolve, 60))
      yield `${'x'.repeat(60)}\n`.repeat(40_000)
      yield 'last line'
    }
    const view = await compactor.receiveOutput('logs', stream())
    expect(view).toContain('first line')
    expect(view).toContain('last line')
    expect(view).toContain('could not be stored')
  })
  it('a slow tool is no slow store', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, effectDeadline: 20, outputs })
    const stream = async function* () {
      yield `${'y'.repeat(60)}\n`.repeat(5_000)
      await new Promise((resolve) => setTimeout(resolve, 80))
      yield 'last line'
    }
    expect(await compactor.receiveOutput('logs', stream())).toMatch(/ref=out-[0-9a-f]{16}/)
  })
})

describe('tools', () => {
  it('a model that asks a store that hangs is told so', async () => {
    const session = createCompactor<Message>({
      codec: neutralCodec,
      limits,
      effectDeadline: 20,
      archive: createArchive<Message>(hanging),
      outputs: createToolOutputStore(hanging),
      embedder: lexicalEmbedder(),
    }).session('s')
    for (const tool of session.tools().filter((one) => one.name !== 'compact_context')) {
      expect(await tool.execute({ query: 'x', ref_id: 'out-0123456789abcdef', pattern: 'x' })).toContain('did not answer within 20 ms')
    }
  })
})
