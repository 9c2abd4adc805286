import { AIMessage, type BaseMessage, FunctionMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, messageCodec, withCompaction } from '@precis/langchain'
import { type ScriptedServer, scriptedServer } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'

// Replies as OpenAI's servers send them, read by OpenAI's package, and sent back with what comes next.

const open: ScriptedServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

const limits = { contextWindow: 100_000, maxOutput: 500 }
type Item = Readonly<Record<string, unknown>>
const response = (output: readonly Item[]): Item => ({
  id: 'resp_1',
  object: 'response',
  created_at: 0,
  model: 'm',
  status: 'completed',
  output,
  usage: { input_tokens: 10, output_tokens: 1, total_tokens: 11 },
})
const completion = (message: Item): Item => ({
  id: 'c',
  object: 'chat.completion',
  created: 0,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
})
const words = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'ok', annotations: [] }] }

type Door = (model: ChatOpenAI) => (messages: BaseMessage[]) => Promise<BaseMessage>
const asking =
  (agent: { invoke(state: { messages: BaseMessage[] }): Promise<{ messages: BaseMessage[] }> }) =>
  async (messages: BaseMessage[]): Promise<BaseMessage> =>
    (await agent.invoke({ messages })).messages[messages.length] as BaseMessage
const doors: Readonly<Record<string, Door>> = {
  bare: (model) => (messages) => model.invoke(messages),
  'withCompaction()': (model) => (messages) => withCompaction(model, { limits }).invoke(messages),
  agent: (model) => asking(createAgent({ model, tools: [] })),
  'compaction()': (model) => asking(createAgent({ model, tools: [], middleware: [compaction({ limits })] })),
}

/** What is sent with the second request, as its body has it. */
async function sentAfter(door: string, first: Item, next: readonly BaseMessage[], settings: object): Promise<readonly Item[]> {
  const isChat = 'choices' in first
  const server = await scriptedServer([{ body: first }, { body: isChat ? completion({ content: 'ok' }) : response([words]) }])
  open.push(server)
  const model = new ChatOpenAI({ model: 'm', apiKey: 'none', maxRetries: 0, configuration: { baseURL: server.url }, useResponsesApi: !isChat, ...settings })
  const ask = (doors[door] as Door)(model)
  const question = new HumanMessage('first')
  const reply = await ask([question])
  await ask([question, reply, ...next])
  const body = server.requests[1] as { readonly messages?: readonly Item[]; readonly input?: readonly Item[] } | undefined
  return body?.messages ?? body?.input ?? []
}

const goOn = [new HumanMessage('and now?')]
const replies: readonly (readonly [string, Item, readonly BaseMessage[], object?])[] = [
  ['a generated image', response([{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgoA'.repeat(40) }]), goOn],
  [
    'a request for approval, granted',
    response([
      { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [] },
      { type: 'mcp_approval_request', id: 'mcpr_1', name: 'x', server_label: 's', arguments: '{}' },
    ]),
    [new HumanMessage({ content: [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }] as never })],
  ],
  [
    'a request for approval, in standard blocks',
    response([{ type: 'mcp_approval_request', id: 'mcpr_1', name: 'x', server_label: 's', arguments: '{}' }]),
    [new HumanMessage({ content: [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false }] as never })],
    { outputVersion: 'v1' },
  ],
  ['a refusal', response([{ ...words, content: [{ type: 'refusal', refusal: 'I cannot.' }] }]), goOn],
  [
    'a screenshot that was asked for',
    response([{ type: 'computer_call', id: 'cu_1', call_id: 'call_1', action: { type: 'screenshot' }, pending_safety_checks: [], status: 'completed' }]),
    [
      new ToolMessage({
        content: [{ type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' }] as never,
        tool_call_id: 'call_1',
        additional_kwargs: { type: 'computer_call_output' },
      }),
    ],
  ],
  [
    'a command for a shell, answered',
    response([{ type: 'local_shell_call', id: 'ls_1', call_id: 'call_1', action: { type: 'exec', command: ['ls'], env: {} }, status: 'completed' }]),
    [new ToolMessage({ content: 'a b', tool_call_id: 'call_1' })],
  ],
  [
    'a command in the provider’s shell',
    response([{ type: 'shell_call', id: 'sh_1', call_id: 'call_1', action: { commands: ['ls'] }, status: 'completed' }]),
    goOn,
  ],
  ['code that was run', response([{ type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: '1+1', container_id: 'c', outputs: [] }]), goOn],
  ['a spoken reply', completion({ audio: { id: 'audio_1', data: 'AAAA'.repeat(100), transcript: 'The code is QX7.', expires_at: 1 } }), goOn],
  [
    'a call of the first form',
    completion({ function_call: { name: 'f', arguments: '{"a":1}' } }),
    [new FunctionMessage({ name: 'f', content: 'sunny' }), ...goOn],
  ],
]

const cases = replies.map(([name, first, next, settings = {}]) => ({ name, first, next, settings }))

describe.each([
  ['withCompaction()', 'bare'],
  ['compaction()', 'agent'],
] as const)('%s: where nothing has to be compacted, the request is as without us', (door, without) => {
  // An agent answers a computer's calls itself.
  it.each(cases.filter(({ name }) => door !== 'compaction()' || !name.startsWith('a screenshot')))('$name', async ({ first, next, settings }) => {
    expect(await sentAfter(door, first, next, settings)).toEqual(await sentAfter(without, first, next, settings))
  })
})

describe('what is read of them', () => {
  const openai = (output: readonly Item[], additional_kwargs: Item = {}): AIMessage =>
    new AIMessage({ content: [], additional_kwargs, response_metadata: { model_provider: 'openai', output } })
  it('an item of a reply counts as long as it is, once', () => {
    const code = { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: 'x = 1\n'.repeat(200), container_id: 'c', outputs: [] }
    const [part, ...more] = messageCodec.read(openai([code], { tool_outputs: [code] })).parts
    expect(part).toMatchObject({ type: 'opaque', kind: 'code_interpreter_call', size: JSON.stringify(code).length })
    expect(more).toEqual([])
  })
  it('a generated image is an image, whether or not the content shows it too', () => {
    const image = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgoA'.repeat(400) }
    const [part] = messageCodec.read(openai([image])).parts
    expect(part).toMatchObject({ type: 'opaque', attachments: [{ mediaType: 'image/*' }] })
    expect((part as { readonly size: number }).size).toBeLessThan(300)
    const shown = openai([image])
    shown.content = [{ type: 'image', mimeType: 'image/png', data: image.result, id: 'ig_1' }] as never
    expect(messageCodec.read(shown).parts.map(({ type }) => type)).toEqual(['media'])
  })
  it('the transcript of a spoken reply is its words', () => {
    const audio = { id: 'audio_1', data: 'AAAA'.repeat(9_000), transcript: 'The code is QX7.', expires_at: 1 }
    const { parts } = messageCodec.read(new AIMessage({ content: '', additional_kwargs: { audio } }))
    expect(parts).toMatchObject([
      { type: 'text', text: 'The code is QX7.' },
      { type: 'opaque', attachments: [{ mediaType: 'audio/*' }] },
    ])
  })
  it('a request for approval and its answer belong together', () => {
    const request = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'delete', server_label: 's', arguments: '{"id":7}' }
    const answer = new HumanMessage({ content: [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }] as never })
    const [asked] = messageCodec.read(openai([request])).parts
    expect(asked).toMatchObject({ type: 'tool-call', callId: 'mcp-approval:mcpr_1', providerExecuted: true })
    expect(messageCodec.read(answer).parts).toEqual([{ type: 'approval', callId: 'mcp-approval:mcpr_1', state: 'granted' }])
  })
  it('a compaction of the provider’s own is one', () => {
    expect(messageCodec.read(openai([{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x' }])).parts).toMatchObject([{ barrier: true }])
  })
  it('words, refusals and calls that stand in both places count once', () => {
    const message = new AIMessage({
      content: [{ type: 'text', text: 'N' }],
      additional_kwargs: { refusal: 'I cannot.' },
      tool_calls: [{ id: 'c1', name: 'f', args: { a: 1 } }],
      response_metadata: {
        output: [
          {
            ...words,
            content: [
              { type: 'output_text', text: 'N', annotations: [] },
              { type: 'refusal', refusal: 'I cannot.' },
            ],
          },
          { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        ],
      },
    })
    expect(messageCodec.read(message).parts).toEqual([
      { type: 'text', text: 'N' },
      { type: 'text', text: 'I cannot.' },
      { type: 'tool-call', callId: 'c1', tool: 'f', input: '{"a":1}' },
    ])
  })
})
