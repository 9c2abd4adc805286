import { createCodec, createCompaction, withCompaction } from '@precis/ai-sdk'
import { type CompactionReport, createArchive, createToolOutputStore, memoryStorage, type StorageDriver } from '@precis/core'
import { generateText, isStepCount, type ModelMessage, streamText, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { firstRequest, type Setup, scenario, setUp, tools } from '../scenario.ts'

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
const stopWhen = isStepCount(100)
let open: Setup | undefined
afterEach(async () => {
  await open?.provider.close()
  open = undefined
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const never = <T>(): Promise<T> => new Promise(() => {})
const hanging: StorageDriver = {
  name: 'hanging',
  get: () => never(),
  put: () => never(),
  delete: () => never(),
  list: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never() }) }),
}
const bug = (): never => {
  throw new TypeError('a bug of ours')
}
const common = { tools, prompt: firstRequest, stopWhen, maxRetries: 0, maxOutputTokens: 500 }

describe('an agent whose stores never answer', () => {
  it('finishes, through the middleware and through prepareStep', async () => {
    open = await setUp('openai', { window })
    const compaction = createCompaction({
      limits,
      effectDeadline: 10,
      storage: hanging,
      archive: createArchive(hanging),
      outputs: createToolOutputStore(hanging),
      trace: () => never(),
    })
    const model = wrapLanguageModel({ model: open.model as never, middleware: compaction.middleware() })
    expect((await generateText({ ...common, model })).text).toBe(scenario.final)
    expect((await generateText({ ...common, model: open.model, prepareStep: compaction.prepareStep({ tools }) })).text).toBe(scenario.final)
    const wrapped = withCompaction(open.model, { limits, effectDeadline: 10, storage: hanging, archive: createArchive(hanging), trace: () => never() })
    expect((await generateText({ ...common, model: wrapped })).text).toBe(scenario.final)
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
  }, 60_000)
  it('with the defaults a call waits five seconds and no longer', async () => {
    open = await setUp('openai', { window })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const reports: CompactionReport[] = []
      const session = createCompaction({ limits, storage: hanging, onReport: (report) => reports.push(report) }).session('s')
      const waiting = session.beforeModelCall([{ role: 'user', content: 'Hello' }])
      await vi.advanceTimersByTimeAsync(5_001)
      await waiting
      expect(reports[0]?.warnings.join()).toContain('did not answer within 5000 ms')
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a fault of ours', () => {
  const faulty = { limits, redact: bug, estimator: { name: 'broken', count: (text: string) => (text === 'word' ? 1 : bug()) } }
  it('lets requests out as they came: the provider’s own refusal is what ends a run that is too long', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    open = await setUp('openai', { window: 200_000 })
    const compaction = createCompaction({ ...faulty, onReport: bug })
    const model = wrapLanguageModel({ model: open.model as never, middleware: compaction.middleware() })
    expect((await generateText({ ...common, model })).text).toBe(scenario.final)
    const wrapped = withCompaction(open.model, { ...faulty, onReport: bug })
    expect((await generateText({ ...common, model: wrapped })).text).toBe(scenario.final)
    expect(await streamText({ ...common, model: wrapped }).text).toBe(scenario.final)
    const streamed = streamText({ ...common, model, prepareStep: compaction.prepareStep({ tools }) })
    await streamed.consumeStream()
    expect(await streamed.text).toBe(scenario.final)
  }, 60_000)
  it('in what the adapter itself does around a request is none of the run’s', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    open = await setUp('openai', { window: 200_000 })
    const compaction = createCompaction({ limits })
    // Tools that cannot even be looked at.
    const hostile = new Proxy({}, { ownKeys: bug })
    const prepareStep = compaction.prepareStep({ tools: hostile, prepareStep: () => ({ toolChoice: 'auto' }) })
    expect((await generateText({ ...common, model: open.model, prepareStep })).text).toBe(scenario.final)
  }, 60_000)
  it('of the user’s own prepareStep stays the user’s', async () => {
    open = await setUp('openai', { window })
    const prepareStep = createCompaction({ limits }).prepareStep({
      prepareStep: () => {
        throw new Error('mine')
      },
    })
    await expect(generateText({ ...common, model: open.model, prepareStep })).rejects.toThrow('mine')
  })
})

describe('PRECIS_DISABLED=1', () => {
  it('takes us out: the same requests as bare, and the same death', async () => {
    vi.stubEnv('PRECIS_DISABLED', '1')
    open = await setUp('openai', { window })
    const storage = memoryStorage()
    const onReport = vi.fn()
    const compaction = createCompaction({ limits, storage, onReport })
    const model = wrapLanguageModel({ model: open.model as never, middleware: compaction.middleware() })
    await expect(generateText({ ...common, model, prepareStep: compaction.prepareStep({ tools }) })).rejects.toThrow(/maximum context length|context window/)
    const seen = open.provider.requests.map((request) => request.inputTokens)
    await expect(generateText({ ...common, model: withCompaction(open.model, { limits, storage, onReport }) })).rejects.toThrow(
      /maximum context length|context window/,
    )
    expect(open.provider.requests.slice(seen.length).map((request) => request.inputTokens)).toEqual(seen)
    await open.provider.close()
    open = await setUp('openai', { window })
    await expect(generateText({ ...common, model: open.model })).rejects.toThrow(/maximum context length|context window/)
    expect(seen).toEqual(open.provider.requests.map((request) => request.inputTokens))
    expect(onReport).not.toHaveBeenCalled()
    expect(await storage.get('sessions/s/state.json')).toBeUndefined()
  }, 60_000)
})

/** A value with this many levels. */
const deep = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object
const hostileMessages: readonly (readonly [string, unknown])[] = [
  ['nothing', null],
  ['no content', { role: 'user', content: null }],
  ['no content at all', { role: 'assistant' }],
  ['a part of nothing', { role: 'user', content: [null] }],
  ['parts that are none', { role: 'assistant', content: ['text', 5, {}, { type: 7 }] }],
  ['a part of a kind nobody knows', { role: 'assistant', content: [{ type: 'hologram', data: 'x' }] }],
  ['options of nothing', { role: 'user', content: 'x', providerOptions: null }],
  ['our slot, filled with nothing', { role: 'user', content: 'x', providerOptions: { precis: { marker: null } } }],
  ['a result of nothing', { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: null }] }],
  [
    'a result that holds nothing',
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'content', value: [null] } }] },
  ],
  ['arguments ten thousand levels deep', { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: deep(10_000) }] }],
  [
    'a result ten thousand levels deep',
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'json', value: deep(10_000) } }] },
  ],
]

describe('the codec is total', () => {
  const codec = createCodec<ModelMessage>()
  const changes = { outputs: new Map([['c', { text: 'short', keepAttachments: true }]]), inputs: new Map([['c', '{"a":"short"}']]), media: '[1 image]' }
  it.each(hostileMessages)('%s', (_name, message) => {
    const read = codec.read(message as ModelMessage)
    expect(read.parts.every((part) => typeof part.type === 'string')).toBe(true)
    if (message === null) return
    codec.edit(message as ModelMessage, changes)
    codec.joinUsers([message as ModelMessage])
    codec.withoutToolResults(message as ModelMessage, new Set(['c']))
  })
  it('sizes what is deep by its length', () => {
    const [part] = codec.read(hostileMessages[10]?.[1] as ModelMessage).parts
    expect(part?.type === 'tool-call' && part.input.length).toBe(10_000 * 6 + 1)
  })
  it('a history of them is compacted: no warning of a fault, no raw error', async () => {
    const storage = memoryStorage()
    const compaction = createCompaction({
      limits: { contextWindow: 8_000, maxOutput: 500 },
      storage,
      archive: createArchive(storage),
      outputs: createToolOutputStore(storage),
    })
    const history = [
      { role: 'user', content: 'Go.' },
      ...hostileMessages.flatMap(([, message]) => (message === null ? [] : [message])),
      ...Array.from({ length: 20 }, (_, at) => ({ role: at % 2 === 0 ? 'assistant' : 'user', content: `${at} ${'word '.repeat(400)}` })),
    ] as ModelMessage[]
    const { report } = await compaction.session('s').beforeModelCall(history)
    expect(report.warnings).toEqual([])
    expect(report.outcome).not.toBe('unchanged')
  })
})
