import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { type ModelReply, type PromptEntry, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { readFile, vaults, vaultText } from '../vaults.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const wires = {
  chat: (url: string) => new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0 }),
  responses: (url: string) => new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0, useResponsesApi: true }),
  anthropic: (url: string) => new ChatAnthropic({ model: 'm', apiKey: 'none', anthropicApiUrl: url.replace(/\/v1$/, ''), maxRetries: 0, maxTokens: 500 }),
} as const
type Wire = keyof typeof wires
const allWires = Object.keys(wires) as Wire[]
type Model = ChatOpenAI | ChatAnthropic

const doors = {
  bare: (model: Model) => createAgent({ model, tools: [readFile] }),
  'compaction()': (model: Model, limits?: object) =>
    createAgent({ model, tools: [readFile], middleware: [compaction({ ...(limits && { limits }) } as never)] }),
  'withCompaction()': (model: Model, limits?: object) =>
    createAgent({ model: withCompaction(model as ChatOpenAI, { ...(limits && { limits }) } as never), tools: [readFile] }),
  'withCompaction(), createReactAgent': (model: Model, limits?: object) =>
    createReactAgent({ llm: withCompaction(model as ChatOpenAI, { ...(limits && { limits }) } as never), tools: [readFile] }),
} as const
type Door = keyof typeof doors
const ours = (Object.keys(doors) as Door[]).filter((door) => door !== 'bare')

interface Event {
  readonly event: string
  readonly index?: number
  readonly content: { readonly type: string; readonly text?: string }
}

/** The stream of a model with a tool. */
const eventsOf = (model: Model, messages: BaseMessage[]) =>
  (model.bindTools([readFile]) as unknown as { streamEvents(input: unknown, options: object): AsyncIterable<Event> }).streamEvents(messages, { version: 'v3' })

interface Run {
  readonly messages: AsyncIterable<{ readonly text: AsyncIterable<string> }>
  readonly output: Promise<{ readonly messages: BaseMessage[] }>
}

/** What a stream of the third version shows of a run, and what the state holds of it then. */
async function shownOf(agent: unknown, messages: readonly BaseMessage[]) {
  const run = await (agent as { streamEvents(input: object, options: object): Promise<Run> }).streamEvents(
    { messages: [...messages] },
    { version: 'v3', recursionLimit: 40 },
  )
  const streamed: string[][] = []
  for await (const message of run.messages) {
    const texts: string[] = []
    for await (const text of message.text) texts.push(text)
    streamed.push(texts)
  }
  const state = (await run.output).messages.slice(messages.length)
  return { streamed, state: state.map((one) => [one.getType(), one.text, (AIMessage.isInstance(one) && one.tool_calls) || []]), last: state.at(-1) }
}

async function strict(model: (prompt: readonly PromptEntry[], tools: readonly string[]) => ModelReply): Promise<StrictProvider> {
  const provider = await strictProvider({ window: 100_000, model: (prompt, { tools }) => model(prompt, tools) })
  open.push(provider)
  return provider
}

const reads: ModelReply = { text: 'Let me read it.', calls: [{ id: 'c1', tool: 'read_file', input: '{"path":"src/a.ts"}' }] }

describe.each(allWires)('streamEvents v3, %s: as without us, where there is nothing to do', (wire) => {
  it.each(ours)('%s', async (door) => {
    const provider = await strict((prompt) => (prompt.some(({ isResult }) => isResult) ? { text: 'It is read.', calls: [] } : reads))
    const question = [new HumanMessage('Read it.')]
    const bare = await shownOf(doors.bare(wires[wire](provider.url)), question)
    const made = await shownOf(doors[door](wires[wire](provider.url)), question)
    expect(bare.state.map(([type]) => type)).toEqual(['ai', 'tool', 'ai'])
    expect([made.streamed, made.state]).toEqual([bare.streamed, bare.state])
    expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
  it('a model, event by event', async () => {
    const provider = await strict(() => reads)
    const events = async (model: Model): Promise<unknown[]> => {
      const seen: unknown[] = []
      for await (const event of eventsOf(model, [new HumanMessage('Read it.')])) seen.push(event)
      return JSON.parse(JSON.stringify(seen).replaceAll(/"(?:id|item_id)":"[^"]*"|"created_at":\d+/g, '"id":""')) as unknown[]
    }
    expect(await events(withCompaction(wires[wire](provider.url) as ChatOpenAI))).toEqual(await events(wires[wire](provider.url)))
  })
})

const limits = { contextWindow: 12_000, maxOutput: 500 }
const long = [
  new HumanMessage('Read the file of each vault.'),
  ...vaults.flatMap(({ path }) => [new HumanMessage(`Here is ${path}:\n${vaultText(path)}`), new HumanMessage('Keep it in mind, please.')]),
  new HumanMessage('What did I say first?'),
]
const look = { id: 'look_1', tool: 'precis_recall', input: '{"query":"vault code"}' }
const found: ModelReply = { text: 'It is found.', calls: [] }

/** Answers with these replies in turn wherever our tool is offered, then with `found`. */
const inTurn = (...replies: ModelReply[]) => strict((_, tools) => (tools.includes('precis_recall') && replies.shift()) || found)

describe.each(allWires)('streamEvents v3, %s: look-ups', (wire) => {
  it.each(ours)('%s: no round is seen, each word is streamed once', async (door) => {
    const provider = await inTurn({ text: 'Let me look.', calls: [look] })
    const { streamed, state, last } = await shownOf(doors[door](wires[wire](provider.url), limits), long)
    expect(provider.requests.map(({ status }) => status)).toEqual([200, 200])
    expect(streamed.map((texts) => texts.join(''))).toEqual(['Let me look.\n\nIt is found.'])
    expect(state).toEqual([['ai', 'Let me look.\n\nIt is found.', []]])
    const { usage_metadata, response_metadata: metadata } = last as AIMessage
    expect((usage_metadata as { readonly output_tokens?: number } | undefined)?.output_tokens).toBe(
      provider.requests.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    )
    expect(metadata['precis']).toMatchObject({ lookUps: 1, said: 1 })
  })
  it.each(ours)('%s: a call of the agent beside a look-up is made', async (door) => {
    const provider = await inTurn({ text: 'Let me look and read.', calls: [look, { id: 'c1', tool: 'read_file', input: '{"path":"src/a.ts"}' }] })
    const { state } = await shownOf(doors[door](wires[wire](provider.url), limits), long)
    expect(state.map(([type, text]) => [type, type === 'tool' ? '' : text])).toEqual([
      ['ai', 'Let me look and read.'],
      ['tool', ''],
      ['ai', 'It is found.'],
    ])
    expect(state[0]?.[2]).toEqual([expect.objectContaining({ id: 'c1', name: 'read_file' })])
    expect(JSON.stringify(state)).not.toContain('precis_recall')
    expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
  it('a thought that leads to a look-up goes back with it as the provider takes it', async () => {
    const provider = await inTurn({ thinking: 'Hm. I do not know.', text: 'Let me look.', calls: [look] })
    const { streamed } = await shownOf(doors['compaction()'](wires[wire](provider.url), limits), long)
    expect(streamed.map((texts) => texts.join(''))).toEqual(['Let me look.\n\nIt is found.'])
    expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
  it('no event of a model names them, and blocks are numbered without a gap', async () => {
    const provider = await inTurn(
      { text: 'Let me look.', calls: [look] },
      { text: 'Once more.', calls: [{ ...look, id: 'look_2', input: '{"query":' }] },
      { text: 'So:', calls: [{ id: 'c1', tool: 'read_file', input: '{"path":"src/a.ts"}' }] },
    )
    const events: Event[] = []
    for await (const event of eventsOf(withCompaction(wires[wire](provider.url) as ChatOpenAI, { limits }), long)) events.push(event)
    expect(JSON.stringify(events)).not.toMatch(/precis_recall|look_[12]|vault code/)
    const named = (name: string) => events.filter(({ event }) => event === name)
    expect([named('message-start').length, named('message-finish').length]).toEqual([1, 1])
    const indices = named('content-block-start').map(({ index }) => index)
    expect(indices).toEqual(indices.map((_, at) => at))
    expect(
      named('content-block-finish')
        .flatMap(({ index = -1 }) => index)
        .sort(),
    ).toEqual(indices)
    const texts = named('content-block-finish').flatMap(({ content }) => (content.type === 'text' ? [content.text] : []))
    expect(texts.join('')).toBe('Let me look.\n\nOnce more.\n\nSo:')
  })
})

describe.each(['chat', 'responses'] as const)('streamEvents v3, %s: an object', (wire) => {
  it('words before a look-up are no part of it', async () => {
    const provider = await strict((prompt, tools) =>
      tools.includes('precis_recall') && prompt.at(-1)?.isResult !== true ? { text: 'Let me look.', calls: [look] } : { text: '{"code":"KX-1"}', calls: [] },
    )
    const response_format = { type: 'json_schema', json_schema: { name: 'code', schema: { type: 'object', properties: { code: { type: 'string' } } } } }
    const model = withCompaction(wires[wire](provider.url), { limits }).bindTools([readFile], { response_format } as never) as unknown as ChatOpenAI
    const stream = model.streamEvents(long, { version: 'v3' } as never) as unknown as { readonly output: Promise<AIMessage> }
    expect((await stream.output).text).toBe('{"code":"KX-1"}')
    expect(provider.requests.map(({ status }) => status)).toEqual([200, 200])
  })
})
