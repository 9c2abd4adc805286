import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { createArchive, createCompactor as createCore, createToolOutputStore, memoryStorage, type StorageDriver } from '@precis/core'
import { compactionMiddleware, createCompactionNode, createPreModelHook, messageCodec } from '@precis/langchain'
import { recallModel, type Scenario, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent, tool } from 'langchain'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

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
const bug = (): never => {
  throw new TypeError('a bug of ours')
}
const readFile = tool(
  ({ path }: { path: string }) =>
    `// ${path}\n${Array.from({ length: 60 }, (_, at) => `export const ${path.replace(/\W/g, '')}${at} = load('${at}.json')`).join('\n')}`,
  {
    name: 'read_file',
    description: 'Reads a file.',
    schema: z.object({ path: z.string() }),
  },
)
const scenario: Scenario = {
  steps: Array.from({ length: 24 }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `src/module-${at}.ts` }) })),
  questions: [{ asks: 'which ticket', pattern: /(PRE-\d{3})/ }],
  final: 'All modules are read.',
}
const request = 'Read all modules one by one. This is for ticket PRE-205.'

async function ran(size: number, options: Parameters<typeof compactionMiddleware>[0]): Promise<readonly BaseMessage[]> {
  provider = await strictProvider({ window: size, model: recallModel(scenario), maxOutput: 500 })
  const model = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: provider.url }, maxTokens: 500, maxRetries: 0 })
  const agent = createAgent({ model, tools: [readFile], middleware: [compactionMiddleware(options) as never], checkpointer: new MemorySaver() })
  const config = { recursionLimit: 300, configurable: { thread_id: 't' } }
  const result = (await agent.invoke({ messages: [new HumanMessage(request)] } as never, config as never)) as unknown as {
    readonly messages: BaseMessage[]
  }
  return result.messages
}

describe('an agent whose stores never answer', () => {
  it.each(['view', 'persist'] as const)(
    'finishes in mode %s; where the state would be replaced, it is left whole',
    async (mode) => {
      const stores = { storage: hanging, archive: createArchive<BaseMessage>(hanging), outputs: createToolOutputStore(hanging, { keep: 'all' as const }) }
      const messages = await ran(window, { limits, mode, effectDeadline: 10, ...stores, trace: () => never() })
      expect(messages.at(-1)?.text).toBe(scenario.final)
      expect(messages.filter((message) => ToolMessage.isInstance(message))).toHaveLength(24)
      expect(provider?.requests.filter((one) => one.status !== 200)).toEqual([])
    },
    60_000,
  )
  it('a node that replaces the state changes nothing', async () => {
    const node = createCompactionNode({ limits, effectDeadline: 10, archive: createArchive<BaseMessage>(hanging) })
    const messages = [
      new HumanMessage('Go.'),
      ...Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? new AIMessage(`${at} ${'word '.repeat(900)}`) : new HumanMessage(`on ${at}`))),
    ]
    expect(await node({ messages })).toEqual({})
    const { llmInputMessages } = await createPreModelHook({ limits, effectDeadline: 10, storage: hanging, archive: createArchive<BaseMessage>(hanging) })({
      messages,
    })
    expect(llmInputMessages.length).toBeLessThan(messages.length)
  })
  it('what a graph remembers is read where the storage has nothing, and kept where it cannot be read', async () => {
    const storage = memoryStorage()
    const session = createCore<BaseMessage>({ codec: messageCodec, limits, storage }).session('t', { format: 2, newer: true })
    await session.beforeModelCall([new HumanMessage('Go.')])
    const bodies: string[] = []
    for await (const key of storage.list('sessions/')) bodies.push((await storage.get(key))?.body ?? '')
    expect(bodies).toEqual(['{"format":2,"newer":true}'])
  })
})

describe('a fault of ours', () => {
  it.each(['view', 'persist'] as const)(
    'in mode %s lets requests out as they came',
    async (mode) => {
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      const messages = await ran(200_000, {
        limits,
        mode,
        redact: bug,
        onReport: bug,
        estimator: { name: 'broken', count: (text) => (text === 'word' ? 1 : bug()) },
      })
      expect(messages.at(-1)?.text).toBe(scenario.final)
    },
    60_000,
  )
})

describe('PRECIS_DISABLED=1', () => {
  it('takes us out: the provider sees the bare requests', async () => {
    vi.stubEnv('PRECIS_DISABLED', '1')
    const storage = memoryStorage()
    const onReport = vi.fn()
    await expect(ran(window, { limits, storage, onReport })).rejects.toThrow(/context/)
    expect(onReport).not.toHaveBeenCalled()
    const keys: string[] = []
    for await (const key of storage.list('')) keys.push(key)
    expect(keys).toEqual([])
  }, 60_000)
})

const deep = (levels: number): Record<string, unknown> => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Record<string, unknown>
const hostileMessages: readonly (readonly [string, () => unknown])[] = [
  ['nothing', () => null],
  ['no content', () => new HumanMessage({ content: null as never })],
  ['a stored message without content', () => ({ id: ['langchain_core', 'messages', 'AIMessage'], kwargs: null })],
  ['blocks of nothing', () => new AIMessage({ content: [null, 'text', 5, {}, { type: 7 }] as never })],
  ['a block of a kind nobody knows', () => new HumanMessage({ content: [{ type: 'hologram', data: 'x' }] as never })],
  ['our slot, filled with nothing', () => new HumanMessage({ content: 'x', additional_kwargs: { precis: { marker: null } } })],
  ['a result of nothing', () => new ToolMessage({ content: null as never, tool_call_id: 'c' })],
  ['a result that holds nothing', () => new ToolMessage({ content: [null] as never, tool_call_id: 'c' })],
  ['arguments ten thousand levels deep', () => new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 't', args: deep(10_000) }] })],
]

describe('the codec is total', () => {
  const changes = { outputs: new Map([['c', { text: 'short', keepAttachments: true }]]), inputs: new Map([['c', '{"a":"short"}']]), media: '[1 image]' }
  it.each(hostileMessages)('%s', (_name, make) => {
    const message = make() as BaseMessage
    const read = messageCodec.read(message)
    expect(read.parts.every((part) => typeof part.type === 'string')).toBe(true)
    if (!(message instanceof Object) || typeof message.getType !== 'function') return
    messageCodec.edit(message, changes)
    messageCodec.withoutToolResults(message, new Set(['c']))
  })
  it('a history of them is compacted: no warning of a fault, no raw error', async () => {
    const storage = memoryStorage()
    const session = createCore<BaseMessage>({
      codec: messageCodec,
      limits: { contextWindow: 8_000, maxOutput: 500 },
      storage,
      archive: createArchive<BaseMessage>(storage),
      outputs: createToolOutputStore(storage),
    }).session('s')
    const history = [
      new HumanMessage('Go.'),
      ...hostileMessages.flatMap(([, make]) => (make() === null ? [] : [make() as BaseMessage])),
      ...Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? new AIMessage(`${at} ${'word '.repeat(400)}`) : new HumanMessage(`on ${at}`))),
    ]
    const { report } = await session.beforeModelCall(history)
    expect(report.warnings).toEqual([])
    expect(report.outcome).not.toBe('unchanged')
  })
})
