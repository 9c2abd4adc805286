import {
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
import { hanging, limits, long, never } from './setup.ts'

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
    // An embedder leaves half of it to the others. A span ends after its receipt was written: then the next one says it.
    const warnings = [...report.warnings, ...again.report.warnings]
    expect(warnings.some((warning) => warning.includes(`did not answer within ${name === 'embedder' ? 10 : 20} ms (effectDeadline)`))).toBe(true)
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
