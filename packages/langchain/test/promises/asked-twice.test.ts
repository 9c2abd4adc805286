import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
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

describe('a state whose messages are replaced', () => {
  const call = new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'read_file', args: {} }] })
  const result = new ToolMessage({ content: 'result of c1', tool_call_id: 'c1' })
  it.each([
    ['a result that came late', () => [new HumanMessage('Read.'), call, new HumanMessage('Wait.'), result], 'result of c1'],
    ['a call that nobody answered', () => [new HumanMessage('Read.'), call], 'No result was recorded'],
  ] as const)('stays valid: %s', async (name, end, text) => {
    const url = await start()
    const agent = createAgent({ model: modelAt('openai', url), tools: [], middleware: [compaction({ limits, mode: 'persist' })] as Middleware[] })
    const { messages } = await agent.invoke({ messages: [...talk(name), ...end(), new HumanMessage('Now?')] })
    const bare = createAgent({ model: modelAt('openai', url), tools: [] })
    await bare.invoke({ messages: [...messages, new HumanMessage('And now?')] })
    expect(provider?.requests.map(({ status }) => status)).toEqual([200, 200])
    expect(messages.find((one) => ToolMessage.isInstance(one))?.text).toContain(text)
  })
  it('holds nothing that other middleware put into the request alone', async () => {
    const dated = createMiddleware({
      name: 'Dated',
      wrapModelCall: (request, handler) => handler({ ...request, messages: [...request.messages, new HumanMessage('Today is Monday.')] }),
    })
    const middleware = [dated, compaction({ limits, mode: 'persist' })] as Middleware[]
    const agent = createAgent({ model: modelAt('openai', await start()), tools: [], middleware })
    const { messages } = await agent.invoke({ messages: [...talk('dated'), new HumanMessage('What now?')] })
    expect([messages.length < 40, messages.filter(({ text }) => text.includes('Monday')).length]).toEqual([true, 0])
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

  it('also where an earlier turn had a plain reply', async () => {
    const url = await start(() => ({ text: '{"answer":"x"}', calls: [] }))
    const [summarizer, checkpointer] = [fakeSummarizer(), new MemorySaver()]
    for (let turn = 0; turn < 6; turn++) {
      const middleware = [compaction({ limits, summarizer })] as Middleware[]
      const format = turn === 0 ? {} : { responseFormat: providerStrategy(schema) as never }
      const agent = createAgent({ model: modelAt('openai', url), tools: [], middleware, checkpointer, ...format })
      // The second turn has to be compacted again.
      await agent.invoke({ messages: [...(turn < 2 ? talk(`plain ${turn}`) : []), new HumanMessage(`Turn ${turn}.`)] }, config)
    }
    expect(summarizer.requests.length).toBeLessThanOrEqual(2)
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
