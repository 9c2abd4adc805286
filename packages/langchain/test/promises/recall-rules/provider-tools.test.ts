import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { type AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { readFile } from '../../vaults.ts'
import { asked, doors, limits, name } from './setup.ts'

type Block = Readonly<Record<string, unknown>>
interface Body {
  readonly stream?: boolean
  readonly messages?: readonly { readonly content: string | readonly Block[] }[]
  readonly input?: readonly Block[]
}

const url = 'https://example.org/vaults'
const searched = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'vaults' } }
const found = { type: 'web_search_result', url, title: 'Vaults', encrypted_content: 'AAAA', page_age: null }
const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [found] }
const citation = { type: 'web_search_result_location', url, title: 'Vaults', encrypted_index: 'AA', cited_text: 'a vault' }
const rounds: readonly (readonly Block[])[] = [
  [{ type: 'text', text: 'I search.' }, searched, result, { type: 'tool_use', id: 'toolu_1', name, input: { query: 'harbor' } }],
  [
    { type: 'text', text: 'It is said ' },
    { type: 'text', text: 'there.', citations: [citation] },
  ],
  [{ type: 'text', text: 'Goodbye.' }],
]

/** Anthropic's API: a search of its own beside a look-up, then the answer. */
function anthropic() {
  const bodies: Body[] = []
  const fetch = async (_: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const content = rounds[Math.min(bodies.length, 2)] as readonly Block[]
    const body = JSON.parse(String(init?.body)) as Body
    bodies.push(body)
    const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason, usage: { input_tokens: 10, output_tokens: 1 } }
    return body.stream === true ? new Response(events(message), { headers: { 'content-type': 'text/event-stream' } }) : Response.json(message)
  }
  return { bodies, model: new ChatAnthropic({ model: 'm', apiKey: 'none', maxRetries: 0, maxTokens: 500, clientOptions: { fetch: fetch as never } }) }
}

function events({ content, ...message }: { readonly content: readonly Block[]; readonly stop_reason: string; readonly usage: object }): string {
  const event = (type: string, fields: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const blocks = content.flatMap((block, index) => {
    const delta = (one: object): string => event('content_block_delta', { index, delta: one })
    const citations = (block['citations'] ?? []) as readonly object[]
    const [start, ...deltas] =
      block['type'] === 'text'
        ? [{ type: 'text', text: '' }, ...citations.map((citation) => ({ type: 'citations_delta', citation })), { type: 'text_delta', text: block['text'] }]
        : 'input' in block
          ? [
              { ...block, input: {} },
              { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) },
            ]
          : [block]
    return [event('content_block_start', { index, content_block: start }), ...deltas.map(delta), event('content_block_stop', { index })]
  })
  const { stop_reason, usage } = message
  return [
    event('message_start', { message: { ...message, stop_reason: null, content: [] } }),
    ...blocks,
    event('message_delta', { delta: { stop_reason }, usage }),
    event('message_stop', {}),
  ].join('')
}

const call = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'vaults' } }
const said = (text: string, annotations: readonly object[] = []): Block => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations }],
})
const cited = { type: 'url_citation', url, title: 'Vaults', start_index: 0, end_index: 5 }
const outputs: readonly (readonly Block[])[] = [
  [call, said('I search.'), { type: 'function_call', id: 'fc_1', call_id: 'c_1', name, arguments: '{"query":"harbor"}', status: 'completed' }],
  [said('It is said there.', [cited])],
  [said('Goodbye.')],
]

/** The same of OpenAI's Responses. */
function responses() {
  const bodies: Body[] = []
  const fetch = async (_: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const output = outputs[Math.min(bodies.length, 2)]
    bodies.push(JSON.parse(String(init?.body)) as Body)
    const usage = { input_tokens: 10, output_tokens: 1, total_tokens: 11 }
    return Response.json({ id: 'resp_1', object: 'response', created_at: 0, model: 'm', status: 'completed', output, usage })
  }
  return { bodies, model: new ChatOpenAI({ model: 'm', apiKey: 'none', maxRetries: 0, configuration: { fetch: fetch as never }, useResponsesApi: true }) }
}

/** One call through a door. */
async function through(door: (typeof doors)[number], model: BaseChatModel, messages: readonly BaseMessage[]): Promise<AIMessage> {
  if (door === 'compaction()') {
    const agent = createAgent({ model, tools: [readFile], middleware: [compaction({ limits })] })
    return (await agent.invoke({ messages: [...messages] })).messages.at(-1) as AIMessage
  }
  const bound = withCompaction(model, { limits }).bindTools?.([readFile])
  if (door === 'withCompaction()') return (await bound?.invoke([...messages])) as AIMessage
  let whole: AIMessageChunk | undefined
  for await (const chunk of (await bound?.stream([...messages])) ?? []) whole = whole?.concat(chunk as AIMessageChunk) ?? (chunk as AIMessageChunk)
  return whole as unknown as AIMessage
}

describe.each(doors)('tools that the provider runs in a round of a look-up, by %s', (door) => {
  it('over Anthropic: the search, its result and the source are passed on, in the order in which they were said', async () => {
    const { bodies, model } = anthropic()
    const reply = await through(door, model, asked())
    expect(bodies).toHaveLength(2)
    const kinds = (reply.content as readonly Block[]).map(({ type }) => type)
    // In streams LangChain keeps pieces of arguments as blocks of their own.
    expect(kinds.filter((type) => type !== 'input_json_delta')).toEqual(['text', 'server_tool_use', 'web_search_tool_result', 'text', 'text'])
    expect(reply.text).toMatch(/^I search\.\s+It is said there\.$/)
    expect(JSON.stringify(reply)).not.toContain(name)
    for (const part of [searched.id, found.encrypted_content, citation.cited_text]) expect(JSON.stringify(reply.content)).toContain(part)
    // The round is sent back as it came, and once.
    await through(door, model, [...asked(), reply, new HumanMessage('Thanks.')])
    for (const { messages = [] } of bodies.slice(1)) {
      const sent = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
      const at = sent.findIndex(({ type }) => type === 'server_tool_use')
      expect(sent.slice(at, at + 2)).toMatchObject([
        { type: searched.type, id: searched.id },
        { type: result.type, tool_use_id: searched.id },
      ])
      expect(sent.filter(({ type }) => type === 'server_tool_use')).toHaveLength(1)
    }
  })
})

describe.each(doors.slice(0, 2))('tools that the provider runs in a round of a look-up, by %s', (door) => {
  it('over OpenAI’s Responses: the search and the source are passed on', async () => {
    const { bodies, model } = responses()
    const reply = await through(door, model, asked())
    expect(bodies).toHaveLength(2)
    expect(JSON.stringify(bodies[1]?.input?.filter(({ type }) => type === 'web_search_call'))).toContain('ws_1')
    expect(reply.text).toMatch(/^I search\.\s+It is said there\.$/)
    const shown = JSON.stringify(reply)
    expect(shown).not.toContain(name)
    for (const part of ['ws_1', cited.url]) expect(shown).toContain(part)
  })
})
