import { type AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { type ModelReply, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { readFile } from '../vaults.ts'

const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})

const limits = { contextWindow: 100_000, maxOutput: 500 }
const malformed = { id: 'c1', tool: 'read_file', input: '{"path": oops}' }
const spoken: ModelReply = { text: 'It is fine now.', calls: [] }

async function strict(first: ModelReply): Promise<StrictProvider> {
  const provider = await strictProvider({ window: 100_000, model: (prompt) => (prompt.length < 2 ? first : spoken) })
  open.push(provider)
  return provider
}

const wires = {
  chat: {},
  'chat, streamed': { streaming: true },
  responses: { useResponsesApi: true },
  'responses, streamed': { useResponsesApi: true, streaming: true },
} as const
const modelOf = (wire: keyof typeof wires, { url }: StrictProvider): ChatOpenAI =>
  new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0, ...wires[wire] })

type Ask = (messages: readonly BaseMessage[]) => Promise<AIMessage>
const doors = {
  bare: (model: ChatOpenAI): Ask => {
    const bound = model.bindTools([readFile])
    return async (messages) => {
      if (!model.streaming) return (await bound.invoke([...messages])) as AIMessage
      // `invoke` of a model that streams would load a tokenizer to count with.
      let reply: AIMessageChunk | undefined
      for await (const chunk of await bound.stream([...messages]))
        reply = reply === undefined ? (chunk as AIMessageChunk) : reply.concat(chunk as AIMessageChunk)
      return reply as AIMessage
    }
  },
  'withCompaction()': (model: ChatOpenAI): Ask => doors.bare(withCompaction(model, { limits })),
  'compaction()': (model: ChatOpenAI): Ask => {
    const agent = createAgent({ model, tools: [readFile], middleware: [compaction({ limits })] })
    return async (messages) => (await agent.invoke({ messages: [...messages] })).messages[messages.length] as AIMessage
  },
}
const ours = ['withCompaction()', 'compaction()'] as const

/** A graph whose repair node answers calls that could not be read. */
function repairing(ask: Ask) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await ask(messages)] }))
    .addNode('repair', ({ messages }) => ({
      messages: ((messages.at(-1) as AIMessage).invalid_tool_calls ?? []).map(
        ({ id = '', name = '' }) => new ToolMessage({ content: 'Error: no JSON. Call again.', tool_call_id: id, name, status: 'error' }),
      ),
    }))
    .addEdge('__start__', 'model')
    .addConditionalEdges('model', ({ messages }) => ((messages.at(-1) as AIMessage).invalid_tool_calls?.length ? 'repair' : '__end__'))
    .addEdge('repair', 'model')
    .compile()
}

describe.each(Object.keys(wires) as (keyof typeof wires)[])('a call whose arguments are no JSON, %s', (wire) => {
  /** Two turns of a conversation, and the prompts that came of them. */
  const promptsOf = async (door: keyof typeof doors): Promise<readonly unknown[]> => {
    const provider = await strict({ text: '', calls: [malformed] })
    const graph = repairing(doors[door](modelOf(wire, provider)))
    const { messages } = await graph.invoke({ messages: [new HumanMessage('Read it.')] })
    expect((await graph.invoke({ messages: [...messages, new HumanMessage('And now?')] })).messages.at(-1)?.text).toBe(spoken.text)
    return provider.requests.map(({ prompt }) => prompt)
  }
  it.each(ours)('%s: that was answered goes out with its answer, as without us', async (door) => {
    expect(await promptsOf(door)).toEqual(await promptsOf('bare'))
  })
  it.each(ours)('%s: that nobody answered is answered for the model', async (door) => {
    const provider = await strict({ text: 'I read.', calls: [malformed] })
    const ask = doors[door](modelOf(wire, provider))
    const question = new HumanMessage('Read it.')
    const reply = await ask([question])
    expect(reply.invalid_tool_calls).toHaveLength(1)
    expect((await ask([question, reply, new HumanMessage('Well?')])).text).toBe(spoken.text)
    const entry = provider.requests.at(-1)?.prompt.find(({ isResult }) => isResult)
    expect(entry?.text).toContain('No result was recorded for this call')
  })
  it.each(ours)('%s: beside one that could be read', async (door) => {
    const provider = await strict({ text: '', calls: [{ id: 'c0', tool: 'read_file', input: '{"path":"b"}' }, malformed] })
    const ask = doors[door](modelOf(wire, provider))
    const question = new HumanMessage('Read both.')
    const [good, bad] = ['c0', 'c1'].map((id) => new ToolMessage({ content: `of ${id}`, tool_call_id: id, name: 'read_file' }))
    const reply = door === 'compaction()' ? await doors.bare(modelOf(wire, provider))([question]) : await ask([question])
    expect((await ask([question, reply, good as ToolMessage, bad as ToolMessage, new HumanMessage('Well?')])).text).toBe(spoken.text)
    const prompt = provider.requests.at(-1)?.prompt ?? []
    // Chat Completions is sent the calls that could be read, the Responses API all that were made.
    expect(prompt.filter(({ isResult }) => isResult).map(({ text }) => text)).toEqual(wire.startsWith('chat') ? ['of c0'] : ['of c0', 'of c1'])
  })
})
