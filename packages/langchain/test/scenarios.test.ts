import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { freezeDeep } from '@precis/testkit'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { goal, histories, Recorder, tokensOf, violations, window } from '../bench/histories.ts'
import { compactionMiddleware, createCompactor, createPreModelHook } from '../src/index.ts'

const limits = { contextWindow: window, maxInput: window }
type Way = (messages: BaseMessage[]) => Promise<{ readonly sent: readonly BaseMessage[]; readonly kept?: readonly BaseMessage[] }>
const ways: Readonly<Record<string, Way>> = {
  'the middleware': async (messages) => {
    const model = new Recorder('ok')
    const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware({ limits })] })
    const { messages: kept } = await agent.invoke({ messages }, { recursionLimit: 50 })
    return { sent: model.seen.at(-1) ?? [], kept }
  },
  'the middleware, persisting': async (messages) => {
    const model = new Recorder('ok')
    const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware({ limits, mode: 'persist' })] })
    await agent.invoke({ messages }, { recursionLimit: 50 })
    return { sent: model.seen.at(-1) ?? [] }
  },
  'a Runnable': async (messages) => ({ sent: await createCompactor({ limits }).invoke(messages) }),
  'a pre-model hook': async (messages) => ({ sent: (await createPreModelHook({ limits })({ messages })).llmInputMessages }),
}

/** All but the ids, which LangGraph gives to whatever has none. */
const contentOf = (messages: readonly BaseMessage[]): string =>
  JSON.stringify(messages.map((message) => [message.getType(), message.content, AIMessage.isInstance(message) && message.tool_calls]))

// The same histories as in `npm run bench:peers`, where LangChain's own ways stand beside ours.
describe.each(Object.keys(ways))('%s', (name) => {
  it.each(Object.keys(histories))('%s: valid, inside the window, the goal word for word, nothing changed in place', async (title) => {
    const history = histories[title] as readonly BaseMessage[]
    const before = contentOf(history)
    const { sent, kept } = await (ways[name] as Way)([...history])
    expect(violations(sent)).toBe(0)
    expect(tokensOf(sent)).toBeLessThanOrEqual(window)
    expect(sent.some((message) => message.text.includes(goal))).toBe(true)
    expect(contentOf(history)).toBe(before)
    if (kept === undefined) return
    expect(kept).toHaveLength(history.length + 1)
    const outputs = (messages: readonly BaseMessage[]) => messages.filter((message) => ToolMessage.isInstance(message)).map((message) => message.content)
    expect(outputs(kept)).toEqual(outputs(history))
  })
})

it('frozen messages pass: nothing is ever written into what we are given', async () => {
  const history = (histories['long, single tools'] as readonly BaseMessage[]).map((message) => freezeDeep(message))
  expect((await createCompactor({ limits }).invoke([...history])).length).toBeLessThan(history.length)
})
