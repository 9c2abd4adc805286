import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { compaction } from '@precis/langchain'
import { fakeSummarizer, type ModelReply, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent, createMiddleware, modelRetryMiddleware, providerStrategy, toolStrategy } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modelAt } from '../vaults.ts'

// A step that calls the model more than once, a reply that is no message, a graph inside a graph: the state is written once, and nothing is paid for twice.

type Middleware = ReturnType<typeof createMiddleware>
let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})
const limits = { contextWindow: 6_000, maxOutput: 500 }
const talk = (topic: string): BaseMessage[] =>
  Array.from({ length: 40 }, (_, at) => [
    new HumanMessage(`Question ${at} of ${topic}: ${'words '.repeat(80)}`),
    new AIMessage(`Answer ${at}: ${'words '.repeat(80)}`),
  ]).flat()
const start = async (model: () => ModelReply = () => ({ text: 'ok', calls: [] })): Promise<string> => {
  provider = await strictProvider({ window: 100_000, maxOutput: 500, model })
  return provider.url
}
const config = { configurable: { thread_id: 't' } }
const modes = ['view', 'persist'] as const

describe.each(modes)('mode: %s', (mode) => {
  it('middleware that dislikes the first answer asks again', async () => {
    const again = createMiddleware({
      name: 'Again',
      wrapModelCall: async (request, handler) => {
        await handler(request)
        return handler(request)
      },
    })
    const middleware = [again, compaction({ limits, mode })] as Middleware[]
    const agent = createAgent({ model: modelAt('openai', await start()), tools: [], middleware, checkpointer: new MemorySaver() })
    const { messages } = await agent.invoke({ messages: [...talk(`again ${mode}`), new HumanMessage('What now?')] }, config)
    expect([messages.at(-1)?.text, messages.filter(({ text }) => text === 'ok').length]).toEqual(['ok', 1])
    expect(((await agent.getState(config)) as { readonly values: object }).values).toHaveProperty('_precis')
  })

  it('a check behind a retry that throws once', async () => {
    let checks = 0
    const checked = createMiddleware({
      name: 'Checked',
      wrapModelCall: async (request, handler) => {
        const answer = await handler(request)
        if (checks++ === 0) throw new Error('not good enough')
        return answer
      },
    })
    const middleware = [modelRetryMiddleware({ initialDelayMs: 1 }), checked, compaction({ limits, mode })] as Middleware[]
    const agent = createAgent({ model: modelAt('openai', await start()), tools: [], middleware })
    const { messages } = await agent.invoke({ messages: [...talk(`checked ${mode}`), new HumanMessage('What now?')] })
    expect(messages.at(-1)?.text).toBe('ok')
  })

  it('what other middleware makes of the reply stays', async () => {
    const hidden = createMiddleware({
      name: 'Hidden',
      wrapModelCall: async (request, handler) => {
        const answer = (await handler(request)) as AIMessage
        return new AIMessage({ id: answer.id ?? 'x', content: answer.text.replace('42', 'XX') })
      },
    })
    const middleware = [hidden, compaction({ limits, mode })] as Middleware[]
    const url = await start(() => ({ text: 'It is 42.', calls: [] }))
    const agent = createAgent({ model: modelAt('openai', url), tools: [], middleware })
    const { messages } = await agent.invoke({ messages: [...talk(`hidden ${mode}`), new HumanMessage('What now?')] })
    expect(messages.at(-1)?.text).toBe('It is XX.')
    expect(messages.length).toBeLessThan(mode === 'persist' ? 40 : 90)
  })
})

describe('an agent that is made for each request pays for one summary', () => {
  const schema = z.object({ answer: z.string() })
  it.each([
    ['providerStrategy', providerStrategy(schema), { text: '{"answer":"x"}', calls: [] }],
    ['toolStrategy', toolStrategy(schema), undefined],
  ] as const)('with a checkpointer and a structured reply: %s', async (name, responseFormat, reply) => {
    let calls = 0
    provider = await strictProvider({
      window: 100_000,
      model: (_, { tools }) =>
        reply ?? { text: '', calls: [{ id: `c${++calls}`, tool: tools.find((tool) => tool.startsWith('extract')) ?? '', input: '{"answer":"x"}' }] },
    })
    const [summarizer, checkpointer] = [fakeSummarizer(), new MemorySaver()]
    for (let turn = 0; turn < 4; turn++) {
      const middleware = [compaction({ limits, summarizer })] as Middleware[]
      const agent = createAgent({ model: modelAt('openai', provider.url), tools: [], middleware, checkpointer, responseFormat: responseFormat as never })
      const messages = [...(turn === 0 ? talk(name) : []), new HumanMessage(`Turn ${turn}.`)]
      expect((await agent.invoke({ messages }, config)).structuredResponse).toEqual({ answer: 'x' })
    }
    expect(summarizer.requests).toHaveLength(1)
  })

  it.each([true, false])('inside a graph that has the checkpointer; its config is passed on: %s', async (passes) => {
    const url = await start()
    const [summarizer, checkpointer] = [fakeSummarizer(), new MemorySaver()]
    for (let turn = 0; turn < 4; turn++) {
      const agent = createAgent({ model: modelAt('openai', url), tools: [], middleware: [compaction({ limits, summarizer })] as Middleware[] })
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('agent', async ({ messages }, given) => {
          const said = await agent.invoke({ messages }, passes ? given : undefined)
          return { messages: said.messages.slice(messages.length) }
        })
        .addEdge(START, 'agent')
        .compile({ checkpointer })
      await graph.invoke({ messages: [...(turn === 0 ? talk(`nested ${passes}`) : []), new HumanMessage(`Turn ${turn}.`)] }, config)
    }
    expect(summarizer.requests).toHaveLength(1)
  })
})
