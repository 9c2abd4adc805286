import { Agent, type AgentInputItem, MemorySession, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from '@openai/agents'
import { createArchive, createCompactor, createToolOutputStore, memoryStorage, type StorageDriver } from '@precis/core'
import { type AgentItem, cacheToolOutputs, compactionFilter, compactionSession, createCodec, withCompaction } from '@precis/openai-agents'
import { recallModel, type Scenario, type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

setTracingDisabled(true)
const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
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
const stores = {
  effectDeadline: 10,
  storage: hanging,
  archive: createArchive<AgentItem>(hanging),
  outputs: createToolOutputStore(hanging, { keep: 'all' }),
  trace: () => never<never>(),
}
const bug = (): never => {
  throw new TypeError('a bug of ours')
}
const broken = { redact: bug, onReport: bug, estimator: { name: 'broken', count: (text: string) => (text === 'word' ? 1 : bug()) } }
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) =>
    `// ${path}\n${Array.from({ length: 60 }, (_, at) => `export const ${path.replace(/\W/g, '')}${at} = load('${at}.json')`).join('\n')}`,
})
const scenario: Scenario = {
  steps: Array.from({ length: 24 }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `src/module-${at}.ts` }) })),
  questions: [{ asks: 'which ticket', pattern: /(PRE-\d{3})/ }],
  final: 'All modules are read.',
}
const request = 'Read all modules one by one. This is for ticket PRE-205.'
const agentOver = async (size: number, wrap: (model: OpenAIChatCompletionsModel) => OpenAIChatCompletionsModel = (model) => model) => {
  provider = await strictProvider({ window: size, model: recallModel(scenario), maxOutput: 500 })
  const client = new OpenAI({ baseURL: provider.url, apiKey: 'none', maxRetries: 0 })
  const model = wrap(new OpenAIChatCompletionsModel(client as never, 'strict'))
  return new Agent({ name: 'reader', model, tools: [readFile], modelSettings: { maxTokens: 500 } })
}

describe('an agent whose stores never answer', () => {
  it.each([false, true])(
    'finishes with a wrapped model (stream: %s)',
    async (stream) => {
      const agent = await agentOver(window, (model) => withCompaction(model, { limits, ...stores }))
      const runner = new Runner()
      const result = stream ? await runner.run(agent, request, { maxTurns: 100, stream: true }) : await runner.run(agent, request, { maxTurns: 100 })
      if ('completed' in result) await result.completed
      expect(result.finalOutput).toBe(scenario.final)
      expect(provider?.requests.filter((one) => one.status !== 200)).toEqual([])
    },
    60_000,
  )
  it('finishes with a filter', async () => {
    const callModelInputFilter = compactionFilter({ limits, ...stores })
    const result = await new Runner({ callModelInputFilter }).run(await agentOver(window), request, { maxTurns: 100 })
    expect(result.finalOutput).toBe(scenario.final)
  }, 60_000)
  it('finishes with a session', async () => {
    const session = compactionSession(new MemorySession(), { limits, ...stores })
    const result = await new Runner().run(await agentOver(200_000), request, { maxTurns: 100, session })
    expect(result.finalOutput).toBe(scenario.final)
  }, 60_000)
})

describe('a fault of ours', () => {
  it.each([false, true])(
    'in a wrapped model lets requests out as they came (stream: %s)',
    async (stream) => {
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      const agent = await agentOver(200_000, (model) => withCompaction(model, { limits, ...broken }))
      const runner = new Runner({ callModelInputFilter: compactionFilter({ limits, ...broken }) })
      const result = stream ? await runner.run(agent, request, { maxTurns: 100, stream: true }) : await runner.run(agent, request, { maxTurns: 100 })
      if ('completed' in result) await result.completed
      expect(result.finalOutput).toBe(scenario.final)
    },
    60_000,
  )
})

describe('PRECIS_DISABLED=1', () => {
  it('takes us out of model, filter and session', async () => {
    vi.stubEnv('PRECIS_DISABLED', '1')
    const storage = memoryStorage()
    const onReport = vi.fn()
    const options = { limits, storage, onReport }
    const agent = await agentOver(window, (model) => withCompaction(model, options))
    const session = compactionSession(new MemorySession(), options)
    const runner = new Runner({ callModelInputFilter: compactionFilter(options) })
    await expect(runner.run(agent, request, { maxTurns: 100, session })).rejects.toThrow(/context/)
    expect(onReport).not.toHaveBeenCalled()
    const keys: string[] = []
    for await (const key of storage.list('')) keys.push(key)
    expect(keys).toEqual([])
  }, 60_000)
})

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const hostileItems: readonly (readonly [string, unknown])[] = [
  ['nothing', null],
  ['no content', { type: 'message', role: 'user', content: null }],
  ['pieces of nothing', { type: 'message', role: 'user', content: [null, 'text', 5, {}, { type: 7 }] }],
  ['an item of a kind nobody knows', { type: 'hologram', data: 'x' }],
  ['a call of nothing', { type: 'function_call', callId: null, name: null, arguments: null }],
  ['a call whose arguments are an object', { type: 'function_call', callId: 'c', name: 't', arguments: JSON.parse(deep(10_000)) as object }],
  ['a result of nothing', { type: 'function_call_result', callId: 'c', name: null, output: null }],
  ['a result that holds nothing', { type: 'function_call_result', callId: 'c', name: 't', output: [null] }],
  ['reasoning of nothing', { type: 'reasoning', content: [null], rawContent: null }],
  ['arguments ten thousand levels deep', { type: 'function_call', callId: 'd', name: 't', arguments: deep(10_000) }],
]

describe('a tool whose output is ten thousand lists deep', () => {
  it('is cached like any other', async () => {
    const nested = JSON.parse(`${'['.repeat(10_000)}"${'word '.repeat(20_000)}"${']'.repeat(10_000)}`) as unknown
    const own = { type: 'function', name: 'nest', invoke: async () => nested }
    const [cached] = cacheToolOutputs([own], { limits, outputs: createToolOutputStore(memoryStorage()) })
    expect(await cached?.invoke()).toBeTypeOf('string')
  })
})

describe('the codec is total', () => {
  const codec = createCodec()
  const changes = { outputs: new Map([['c', { text: 'short', keepAttachments: true }]]), inputs: new Map([['c', '{"a":"short"}']]), media: '[1 image]' }
  it.each(hostileItems)('%s', (_name, item) => {
    const read = codec.read(item as AgentItem)
    expect(read.parts.every((part) => typeof part.type === 'string')).toBe(true)
    if (item === null) return
    codec.edit(item as AgentItem, changes)
    codec.withoutToolResults(item as AgentItem, new Set(['c']))
    codec.joinUsers([item as AgentItem])
  })
  it('a history of them is compacted: no warning of a fault, no raw error', async () => {
    const storage = memoryStorage()
    const session = createCompactor<AgentItem>({
      codec,
      limits: { contextWindow: 8_000, maxOutput: 500 },
      storage,
      archive: createArchive<AgentItem>(storage),
      outputs: createToolOutputStore(storage),
    }).session('s')
    const items = [
      { type: 'message', role: 'user', content: 'Go.' },
      ...hostileItems.flatMap(([, item]) => (item === null ? [] : [item])),
      ...Array.from({ length: 20 }, (_, at) => ({ type: 'message', role: at % 2 === 0 ? 'assistant' : 'user', content: `${at} ${'word '.repeat(400)}` })),
    ] as AgentItem[] & AgentInputItem[]
    const { report } = await session.beforeModelCall(items)
    expect(report.warnings).toEqual([])
    expect(report.outcome).not.toBe('unchanged')
  })
})
