import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { type ModelReply, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { readFile, vaults, vaultText } from '../vaults.ts'

let provider: StrictProvider | undefined
afterEach(() => provider?.close())

const limits = { contextWindow: 12_000, maxOutput: 500 }
const history = [
  new HumanMessage('Read the file of each vault.'),
  ...vaults.flatMap(({ path }) => [new HumanMessage(`Here is ${path}:\n${vaultText(path)}`), new HumanMessage('Keep it in mind, please.')]),
  new HumanMessage('What did I say first?'),
]
const tooLong = {
  code: 'context_length_exceeded',
  type: 'invalid_request_error',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
}
const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

/** A model that says something and looks up, then answers; the requests behind the look-up are refused so many times, or the first stream fails behind its words. */
async function modelThat(refuses: number | 'behind its words') {
  const said: ModelReply[] = [{ text: 'Let me look.', calls: [{ id: 'look_1', tool: 'precis_recall', input: '{"query":"vault code"}' }] }]
  provider = await strictProvider({
    window: 60_000,
    model: (_, { tools }) => (tools.includes('precis_recall') && said.shift()) || { text: 'It is found.', calls: [] },
  })
  let [refused, first] = [0, true]
  const gateway = async (url: string, init: { readonly body: string }): Promise<Response> => {
    if (typeof refuses === 'number' && init.body.includes('look_1') && refused++ < refuses)
      return new Response(JSON.stringify({ error: tooLong }), { status: 400, headers: { 'content-type': 'application/json' } })
    if (refuses !== 'behind its words' || !first) return fetch(url, init)
    first = false
    const failed = { id: 'resp_x', object: 'response', status: 'failed', output: [], error: tooLong, usage: null }
    const item = { output_index: 0, content_index: 0, item_id: 'msg_x' }
    return new Response(
      event('response.created', { response: { ...failed, status: 'in_progress', error: null } }) +
        event('response.output_text.delta', { ...item, delta: 'Let me' }) +
        event('response.failed', { response: failed }),
      { headers: { 'content-type': 'text/event-stream' } },
    )
  }
  const configuration = { baseURL: provider.url, fetch: gateway as never }
  return new ChatOpenAI({ model: 'm', apiKey: 'none', configuration, maxRetries: 0, useResponsesApi: true, streaming: true })
}

interface Heard {
  text: string
  starts: number
  ends: number
  errors: number
}

const doors: Readonly<Record<string, (model: ChatOpenAI, callbacks: object[]) => Promise<string>>> = {
  'streamMode "messages"': async (model, callbacks) => {
    const agent = createAgent({ model, tools: [readFile], middleware: [compaction({ limits })] })
    let text = ''
    for await (const [chunk] of await agent.stream({ messages: history }, { streamMode: 'messages', callbacks: callbacks as never })) text += chunk.text
    return text
  },
  'streamEvents v2': async (model, callbacks) => {
    const agent = createAgent({ model, tools: [readFile], middleware: [compaction({ limits })] })
    let text = ''
    const events = agent.streamEvents({ messages: history }, { version: 'v2', callbacks: callbacks as never })
    for await (const { event, data } of events) if (event === 'on_chat_model_stream') text += data.chunk.text
    return text
  },
  'a model': async (model, callbacks) => {
    let text = ''
    for await (const chunk of (await withCompaction(model, { limits })
      .bindTools?.([readFile])
      .stream(history, { callbacks: callbacks as never })) ?? [])
      text += chunk.text
    return text
  },
}

describe.each(Object.keys(doors))('each word is streamed once, in one run: %s', (door) => {
  it.each([0, 1, 2, 3, 4, 6, 'behind its words'] as const)('refused %s', async (refuses) => {
    const heard: Heard = { text: '', starts: 0, ends: 0, errors: 0 }
    const callbacks = [
      {
        handleChatModelStart: () => void heard.starts++,
        handleLLMNewToken: (token: string) => {
          heard.text += token
        },
        handleLLMEnd: () => void heard.ends++,
        handleLLMError: () => void heard.errors++,
      },
    ]
    const model = await modelThat(refuses)
    const shown = await doors[door]?.(model, callbacks).catch((error: unknown) => String(error))
    // Behind its first words a refusal is a failure like any other: another reply would begin with other words.
    const [text, ends] = refuses === 'behind its words' ? ['Let me', 0] : ['Let me look.\n\nIt is found.', 1]
    expect(heard).toEqual({ text, starts: 1, ends, errors: 1 - ends })
    expect(shown).toEqual(ends === 0 ? expect.stringContaining(tooLong.message) : text)
  })
})
