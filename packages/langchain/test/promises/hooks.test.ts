import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import type { CompactionReport } from '@precis/core'
import { type CompactionOptions, compaction, createCompactionNode, createCompactor, createPreModelHook, withCompaction } from '@precis/langchain'
import { recallModel, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const open: StrictProvider[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
const words = (seed: number, count = 160): string => Array.from({ length: count }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const start = async (options: Parameters<typeof strictProvider>[0]): Promise<StrictProvider> => {
  const provider = await strictProvider(options)
  open.push(provider)
  return provider
}
const refused = ({ requests }: StrictProvider): number => requests.filter(({ status }) => status !== 200).length
const modelOf = ({ url }: StrictProvider, name = 'strict') =>
  new ChatOpenAI({ model: name, apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0, maxTokens: 500 })

/** Thirty-one tools with long descriptions: about half of the window. */
const tools = Array.from({ length: 31 }, (_, at) =>
  tool(async () => words(at + 3, 300), {
    name: at === 0 ? 'read_file' : `tool_${at}`,
    description: `Does ${words(at + 3, 60)}.`,
    schema: z.object({
      path: z.string().describe(words(at + 5, 40)),
      mode: z
        .enum(['a', 'b'])
        .optional()
        .describe(words(at + 7, 20)),
    }),
  }),
)
const limits = { contextWindow: 24_000, maxOutput: 500 }
const reading = () =>
  recallModel({ steps: Array.from({ length: 60 }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `src/m${at}.ts` }) })), final: 'All read.' })

describe('what stands before a model and is told which: tools count, and what the provider counted is learned', () => {
  it.each([1, 1.3])('createPreModelHook, a tokenizer at %f times ours', async (skew) => {
    const provider = await start({ window: 24_000, maxOutput: 500, skew, model: reading() })
    const llm = modelOf(provider)
    const agent = createReactAgent({ llm, tools, preModelHook: createPreModelHook({ limits, model: llm.bindTools(tools) }) })
    const { messages } = await agent.invoke({ messages: [new HumanMessage('Read all.')] }, { recursionLimit: 300 })
    expect([messages.at(-1)?.text, refused(provider)]).toEqual(['All read.', 0])
  })
  it.each([1, 1.3])('createCompactionNode, a tokenizer at %f times ours', async (skew) => {
    const provider = await start({ window: 24_000, maxOutput: 500, skew, model: reading() })
    const model = modelOf(provider).bindTools(tools)
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('fit', createCompactionNode({ limits, model }) as never)
      .addNode('call', async (state) => ({ messages: [await model.invoke(state.messages)] }))
      .addNode('tools', new ToolNode(tools))
      .addEdge(START, 'fit' as never)
      .addEdge('fit' as never, 'call')
      .addConditionalEdges('call', ({ messages }) => ((messages.at(-1) as AIMessage).tool_calls?.length ? 'tools' : END))
      .addEdge('tools', 'fit' as never)
      .compile()
    const { messages } = await graph.invoke({ messages: [new HumanMessage('Read all.')] }, { recursionLimit: 300, configurable: { thread_id: 't' } })
    expect([messages.at(-1)?.text, refused(provider)]).toEqual(['All read.', 0])
  })
  it.each([1, 1.3])('a Runnable, a tokenizer at %f times ours', async (skew) => {
    const provider = await start({ window: 24_000, maxOutput: 500, skew, model: () => ({ text: words(7), calls: [] }) })
    const model = modelOf(provider).bindTools(tools)
    const chain = createCompactor({ limits, model }).pipe(model)
    const history: BaseMessage[] = []
    for (let turn = 0; turn < 80; turn++) {
      history.push(new HumanMessage(`Question ${turn}: ${words(turn + 3)}`))
      history.push((await chain.invoke(history)) as AIMessage)
    }
    expect(refused(provider)).toBe(0)
  })
})

describe('a model that states nothing of its window', () => {
  const unstated = (provider: StrictProvider) => Object.defineProperty(modelOf(provider, 'gpt-4o'), 'profile', { value: {} })
  const run: Readonly<Record<string, (provider: StrictProvider, options: CompactionOptions) => Promise<string | undefined>>> = {
    'compaction()': async (provider, options) => {
      const agent = createAgent({ model: unstated(provider), tools: [tools[0] as never], middleware: [compaction(options)] })
      return (await agent.invoke({ messages: [new HumanMessage('Read all.')] }, { recursionLimit: 300 })).messages.at(-1)?.text
    },
    'withCompaction()': async (provider, options) => {
      const agent = createReactAgent({ llm: withCompaction(unstated(provider), options), tools: [tools[0] as never] })
      return (await agent.invoke({ messages: [new HumanMessage('Read all.')] }, { recursionLimit: 300 })).messages.at(-1)?.text
    },
  }
  it.each(Object.keys(run))('has the published one: %s', async (door) => {
    const provider = await start({ window: 128_000, maxOutput: 500, model: reading() })
    const reports: CompactionReport[] = []
    expect(await run[door]?.(provider, { onReport: (report) => reports.push(report) })).toBe('All read.')
    expect(new Set(reports.map(({ tokens }) => tokens.budget))).toEqual(new Set([127_500]))
  })
})

describe('middleware that is misspelt', () => {
  it.each([
    ['a mode of another name', { mode: 'x' }, 'mode is "x"; write "view" or "persist"'],
    ['a model that writes summaries', { summarizer: new ChatOpenAI({ model: 'm', apiKey: 'none' }) }, 'write modelSummarizer({ model })'],
  ])('%s is refused', (_, options, said) => {
    expect(() => compaction(options as never)).toThrow(said)
  })
  it('the function itself in place of what it makes says at the first call what to write', async () => {
    const model = new ChatOpenAI({ model: 'm', apiKey: 'none', maxRetries: 0 })
    const agent = createAgent({ model, tools: [], middleware: [compaction as unknown as ReturnType<typeof compaction>] })
    await expect(agent.invoke({ messages: [new HumanMessage('Hello')] })).rejects.toThrow('write compaction()')
  })
})

describe('messages that are only ever added to', () => {
  const State = Annotation.Root({ messages: Annotation<BaseMessage[]>({ reducer: (before, more) => before.concat(more), default: () => [] }) })

  it('a node that would replace them says at its first call which line to write', async () => {
    const provider = await start({ window: 24_000, maxOutput: 500, model: () => ({ text: words(7), calls: [] }) })
    const model = modelOf(provider)
    const graph = new StateGraph(State)
      .addNode('fit', createCompactionNode({ limits, model }) as never)
      .addNode('call', async (state) => ({ messages: [await model.invoke(state.messages)] }))
      .addEdge(START, 'fit' as never)
      .addEdge('fit' as never, 'call')
      .addEdge('call', END)
      .compile()
    const history = Array.from({ length: 41 }, (_, at) => (at % 2 === 0 ? new HumanMessage(words(at + 3)) : new AIMessage(words(at + 3))))
    await expect(graph.invoke({ messages: history })).rejects.toThrow(/expected one that can remove: StateGraph\(MessagesAnnotation\)/)
    expect(provider.requests).toEqual([])
  })
})
