import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { type CompactionReport, createArchive, memoryStorage } from '@precis/core'
import { createRandom, recallModel, type Scenario, type StrictProvider, strictProvider } from '@precis/testkit'
import { createDeepAgent } from 'deepagents'
import { createAgent, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compactionMiddleware, createCompactor, createPreModelHook, modelSummarizer } from '../src/index.ts'

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
const steps = 30
let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

function fileText(path: string): string {
  const random = createRandom([...path].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0)
  const lines = Array.from(
    { length: 60 },
    () => `export const value${random.between(100, 999)} = load('${random.pick(['alpha', 'beta'])}-${random.between(1_000, 9_999)}')`,
  )
  if (path === 'src/module-2.ts') lines.splice(20, 0, "throw new Error('E4711: ledger checksum mismatch in shard kappa-9')")
  return [`// ${path}`, ...lines].join('\n')
}
const readFile = tool(({ path }: { path: string }) => fileText(path), {
  name: 'read_file',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
})
const scenario: Scenario = {
  steps: Array.from({ length: steps }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `src/module-${at}.ts` }) })),
  questions: [
    { asks: 'exact error', pattern: /(E4711: ledger checksum mismatch in shard [a-z]+-\d+)/ },
    { asks: 'which ticket', pattern: /(PRE-\d{3})/ },
  ],
  final: 'All modules are read.',
}
const request = 'Read all modules one by one. This is for ticket PRE-205.'

const open = async (): Promise<StrictProvider> => {
  provider = await strictProvider({ window, model: recallModel(scenario), maxOutput: 500 })
  return provider
}
const models = {
  openai: (url: string) => new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url }, maxTokens: 500, maxRetries: 0 }),
  'openai-responses': (url: string) =>
    new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url }, maxTokens: 500, maxRetries: 0, useResponsesApi: true }),
  anthropic: (url: string) => new ChatAnthropic({ model: 'strict', apiKey: 'none', anthropicApiUrl: url, maxTokens: 500, maxRetries: 0 }),
}
const refused = (): readonly unknown[] => provider?.requests.filter((one) => one.status !== 200) ?? []

describe.each(['openai', 'openai-responses', 'anthropic'] as const)('a LangChain agent over a strict %s provider', (shape) => {
  it('dies bare', async () => {
    const { url } = await open()
    const agent = createAgent({ model: models[shape](url), tools: [readFile] })
    await expect(agent.invoke({ messages: [new HumanMessage(request)] }, { recursionLimit: 200 })).rejects.toThrow(
      /maximum context length|prompt is too long|context/i,
    )
  })
  it('finishes with the middleware; the state stays complete, and the next turns remember', async () => {
    const { url } = await open()
    const reports: CompactionReport[] = []
    const middleware = compactionMiddleware({ limits, onReport: (report) => reports.push(report) })
    const agent = createAgent({ model: models[shape](url), tools: [readFile], middleware: [middleware], checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: 't1' }, recursionLimit: 400 }
    const run = await agent.invoke({ messages: [new HumanMessage(request)] }, config)
    expect(run.messages.at(-1)?.text).toBe(scenario.final)
    expect(run.messages).toHaveLength(2 + 2 * steps)
    expect(
      run.messages.filter((message: BaseMessage) => ToolMessage.isInstance(message)).every((message: BaseMessage) => String(message.content).length > 1_000),
    ).toBe(true)
    expect(Object.keys(run)).not.toContain('_precis')
    expect(refused()).toEqual([])
    expect(reports.filter((report) => report.outcome === 'summarized').length).toBeGreaterThan(2)
    for (const [question, answer] of [
      ['What was the exact error?', 'E4711: ledger checksum mismatch in shard kappa-9'],
      ['For which ticket?', 'PRE-205'],
    ] as const) {
      const asked = question === 'For which ticket?' ? 'And for which ticket is it?' : question
      const next = await agent.invoke({ messages: [new HumanMessage(asked)] }, config)
      expect(next.messages.at(-1)?.text).toBe(answer)
    }
    expect(refused()).toEqual([])
  })
})

describe('the middleware', () => {
  it('another process goes on from the graph’s own checkpoint, without a second summary', async () => {
    const { url } = await open()
    const checkpointer = new MemorySaver()
    const reports: CompactionReport[] = []
    const agentOf = () =>
      createAgent({
        model: models.openai(url),
        tools: [readFile],
        middleware: [compactionMiddleware({ limits, onReport: (report) => reports.push(report) })],
        checkpointer,
      })
    const config = { configurable: { thread_id: 't1' }, recursionLimit: 400 }
    await agentOf().invoke({ messages: [new HumanMessage(request)] }, config)
    const before = reports.length
    await agentOf().invoke({ messages: [new HumanMessage('And for which ticket is it?')] }, config)
    expect(reports[before]?.outcome).toBe('projected')
  })
  it('recovers from a refusal whose window nobody knew', async () => {
    const { url } = await open()
    const reasons: string[] = []
    const middleware = compactionMiddleware({ onReport: (report) => reasons.push(report.plan.decision.reason) })
    const agent = createAgent({ model: models.anthropic(url), tools: [readFile], middleware: [middleware] })
    const run = await agent.invoke({ messages: [new HumanMessage(request)] }, { recursionLimit: 400 })
    expect(run.messages.at(-1)?.text).toBe(scenario.final)
    expect(reasons).toContain('overflow')
    expect(refused()).toHaveLength(1)
  })
  it('a summarizer that fails costs nothing, one that works does not leak into the stream', async () => {
    const { url } = await open()
    const failing = compactionMiddleware({
      limits,
      summarizer: modelSummarizer({
        model: {
          invoke: async () => {
            throw new Error('503 upstream')
          },
        },
      }),
    })
    const agent = createAgent({ model: models.openai(url), tools: [readFile], middleware: [failing] })
    const run = await agent.invoke({ messages: [new HumanMessage(request)] }, { recursionLimit: 400 })
    expect(run.messages).toHaveLength(2 + 2 * steps)
    expect(JSON.stringify(run.messages)).not.toContain('503 upstream')
    const talking = compactionMiddleware({ limits, summarizer: modelSummarizer({ model: models.openai(url) }) })
    const streaming = createAgent({ model: models.openai(url), tools: [readFile], middleware: [talking] })
    const words: string[] = []
    for await (const [chunk] of await streaming.stream({ messages: [new HumanMessage(request)] }, { recursionLimit: 400, streamMode: 'messages' })) {
      if (AIMessage.isInstance(chunk) && typeof chunk.content === 'string') words.push(chunk.content)
    }
    expect(words.join('')).toBe(scenario.final)
  })
  it('gives the model our tools: it looks up what left its context, thread by thread', async () => {
    const calls = [
      ...Array.from({ length: 12 }, (_, at) => ({ tool: 'read_file', input: { path: `src/module-${at}.ts` } })),
      { tool: 'recall_history', input: { query: 'ledger checksum' } },
    ]
    provider = await strictProvider({
      window,
      maxOutput: 500,
      model: (prompt) => {
        const done = Math.max(-1, ...prompt.flatMap((entry) => entry.callIds.map((id) => Number(id.replace('step_', '')))))
        const next = calls[done + 1]
        return next === undefined
          ? { text: 'done', calls: [] }
          : { text: '', calls: [{ id: `step_${done + 1}`, tool: next.tool, input: JSON.stringify(next.input) }] }
      },
    })
    const middleware = compactionMiddleware({ limits, modelTools: true, archive: createArchive<BaseMessage>(memoryStorage()) })
    const agent = createAgent({ model: models.openai(provider.url), tools: [readFile], middleware: [middleware], checkpointer: new MemorySaver() })
    const run = await agent.invoke({ messages: [new HumanMessage('Start.')] }, { configurable: { thread_id: 't9' }, recursionLimit: 200 })
    expect(run.messages.at(-1)?.text).toBe('done')
    expect(String(run.messages.at(-2)?.content)).toContain('E4711: ledger checksum mismatch')
    expect(refused()).toEqual([])
  })
  it('persists on demand: the state is replaced, and stays small', async () => {
    const { url } = await open()
    const agent = createAgent({ model: models.openai(url), tools: [readFile], middleware: [compactionMiddleware({ limits, mode: 'persist' })] })
    const run = await agent.invoke({ messages: [new HumanMessage(request)] }, { recursionLimit: 400 })
    expect(run.messages.at(-1)?.text).toBe(scenario.final)
    expect(run.messages.length).toBeLessThan(40)
    expect(refused()).toEqual([])
  })
  it('takes the place of deepagents’ own summarizer', async () => {
    const { url } = await open()
    const reports: CompactionReport[] = []
    const agent = createDeepAgent({
      model: models.openai(url),
      tools: [],
      middleware: [
        compactionMiddleware({
          name: 'SummarizationMiddleware',
          limits: { contextWindow: window, maxOutput: 500 },
          onReport: (report) => reports.push(report),
        }),
      ],
    })
    const run = await agent.invoke({ messages: [new HumanMessage('And for which ticket is PRE-205?')] }, { recursionLimit: 50 })
    expect(reports.length).toBeGreaterThan(0)
    expect(run.messages.length).toBeGreaterThan(1)
  })
})

describe('without an agent', () => {
  const conversation = (turns: number): BaseMessage[] =>
    Array.from({ length: turns }, (_, at) => [
      new HumanMessage(`Question ${at}: ${'words '.repeat(80)}`),
      new AIMessage(`Answer ${at}: ${'words '.repeat(80)}`),
    ]).flat()
  it('a Runnable in front of any model; message-like inputs are coerced', async () => {
    const { url } = await open()
    const chain = createCompactor({ limits, archive: createArchive<BaseMessage>(memoryStorage()) }).pipe(models.openai(url))
    const answer = await chain.invoke([...conversation(100), { role: 'user', content: 'The ticket is PRE-777. And for which ticket is it?' }] as never)
    expect(answer.content).toBeDefined()
    expect(refused()).toEqual([])
    expect(provider?.requests.at(-1)?.inputTokens).toBeLessThan(window)
  })
  it('a pre-model hook shows a view', async () => {
    const hook = createPreModelHook({ limits })
    const messages = [...conversation(100), new HumanMessage('go on')]
    const { llmInputMessages } = await hook({ messages }, { configurable: { thread_id: 'a' } })
    expect(llmInputMessages.length).toBeLessThan(messages.length)
    expect(llmInputMessages.at(-1)).toBe(messages.at(-1))
    const again = await hook({ messages }, { configurable: { thread_id: 'a' } })
    expect(again.llmInputMessages.map((message) => message.content)).toEqual(llmInputMessages.map((message) => message.content))
  })
})
