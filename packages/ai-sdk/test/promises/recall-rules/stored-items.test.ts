import { type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { type ScriptedServer, scriptedServer, validateOpenAIResponses } from '@precis/testkit'
import { type ModelMessage, streamText } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, sdkOf } from '../../majors.ts'
import { history, limits, look, name, tools } from './setup.ts'

const open: ScriptedServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

const reasoning = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: 'sealed' })
const searched = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'vaults' } }
const looked = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name, arguments: '{"query":"vault of the harbor"}', status: 'completed' }
const message = (text: string) => ({
  type: 'message',
  id: `msg_${text.length}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const replyOf = (output: readonly object[]) => ({
  body: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'strict',
    output,
    usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  },
})

const cases = [
  ['what is stored can be sent by the bare model', [reasoning('rs_0'), searched, reasoning('rs_1'), looked], {}],
  ['with words between', [reasoning('rs_0'), searched, message('Let me see.'), reasoning('rs_1'), looked], {}],
  ['beside a response format', [reasoning('rs_0'), searched, message('Let me see.'), looked], { responseFormat: true }],
] as const

describe.each(majors)('a search of the provider’s own before a look-up, %s', (major) => {
  // Version 5 sends no search back where nothing is stored, so that the thought before it has nothing to stand before.
  it.each(major === 'AI SDK 5' ? cases.slice(0, 2) : cases)('%s', async (_, output, { responseFormat = false }: { readonly responseFormat?: boolean }) => {
    const answer = responseFormat ? '{"port":8123}' : 'The answer.'
    const server = await scriptedServer([replyOf(output), replyOf([reasoning('rs_2'), message(answer)]), replyOf([message('Goodbye.')])])
    open.push(server)
    const sdk = await sdkOf(major)
    const inner = sdk.modelAt('openai-responses', server.url) as WrappableModel
    const web_search = { description: 'Searches the web.', inputSchema: sdk.jsonSchema({ type: 'object', properties: {} }) }
    const call = (model: unknown, messages: readonly ModelMessage[]) => ({
      model,
      messages,
      tools: { ...sdk.tools, web_search },
      stopWhen: sdk.stopWhen,
      maxRetries: 0,
      providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } },
    })
    const wrapped = withCompaction(inner, { limits })
    const chat: ModelMessage[] = [...history, { role: 'user', content: 'What do I type?' }]
    const first = await sdk.generateText(call(responseFormat ? withFormat(wrapped) : wrapped, chat))
    expect(first.text).toContain(answer)
    expect(first.text.includes('Let me see.')).toBe(!responseFormat && output.length === 5)
    chat.push(...(first.responseMessages ?? first.response.messages), { role: 'user', content: 'And now?' })
    expect((await sdk.generateText(call(inner, chat))).text).toBe('Goodbye.')
    const issued = new Map([
      ['rs_0', new Set(['ws_1', 'msg_11'])],
      ['rs_1', new Set(['fc_1', 'call_1'])],
      ['rs_2', new Set([`msg_${answer.length}`])],
    ])
    expect(validateOpenAIResponses(server.requests[2]?.['input'] as never, issued)).toEqual([])
  })
})

it('a thought of several parts before a look-up in a stream: none of them keeps the item', async () => {
  const item = { openai: { itemId: 'rs_0' } }
  const thought = (id: string) => [
    { type: 'reasoning-start', id, providerMetadata: item },
    { type: 'reasoning-delta', id, delta: 'Hm.' },
    { type: 'reasoning-end', id, providerMetadata: item },
  ]
  const { id: toolCallId, tool: toolName, input } = look()
  const usage = { inputTokens: { total: 9 }, outputTokens: { total: 1 } }
  const rounds = [
    [
      ...thought('a'),
      ...thought('b'),
      { type: 'tool-call', toolCallId, toolName, input },
      { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'x' }, usage },
    ],
    [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Done.' },
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'x' }, usage },
    ],
  ]
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream: convertArrayToReadableStream((rounds.shift() ?? []) as never[]) }) })
  const result = streamText({ model: withCompaction(model, { limits }), messages: [...history, { role: 'user', content: 'What do I type?' }], tools })
  expect(await result.text).toBe('Done.')
  expect(JSON.stringify(await result.responseMessages)).not.toContain('rs_0')
})

/** The same model, asked for JSON. */
function withFormat(inner: WrappableModel): WrappableModel {
  const { specificationVersion, provider, modelId } = inner
  const asked = (options: object) => ({ ...options, responseFormat: { type: 'json' } })
  return {
    specificationVersion,
    provider,
    modelId,
    doGenerate: (options) => inner.doGenerate(asked(options)),
    doStream: (options) => inner.doStream(asked(options)),
  }
}
