import { createCompaction, type SdkMessage, type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { type CompactionReport, createToolOutputStore, memoryStorage } from '@precis/core'
import { createCodec } from '@precis/wire/ai-sdk'
import { expect, it } from 'vitest'
import { sdkOf } from '../majors.ts'

// A file of text is a text wherever it stands, and what a client keeps to itself is none.

const codec = createCodec<SdkMessage>()
const lines = Array.from({ length: 900 }, (_, at) => `${at}: The contract names ${at * 7} parts, and who makes them.`).join('\n')
const data = Buffer.from(lines).toString('base64')
const result = (value: readonly object[]): SdkMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'read_file', output: { type: 'content', value } }],
})
const picture = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }

it.each([
  ['AI SDK 5', { type: 'media', data, mediaType: 'text/plain' }],
  ['AI SDK 6', { type: 'file-data', data, mediaType: 'text/plain' }],
  ['AI SDK 7', { type: 'file', data: { type: 'data', data }, mediaType: 'text/plain' }],
  ['AI SDK 7, as a text', { type: 'file', data: { type: 'text', text: lines }, mediaType: 'text/plain' }],
])('the view of an output that is a file stands in its place: %s', async (_, file) => {
  const history = [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'read_file', input: {} }] },
    result([file, picture]),
  ]
  const { messages } = await createCompaction({ limits: { contextWindow: 8_000, maxOutput: 500 } })
    .session('s')
    .beforeModelCall(history as never)
  const sent = JSON.stringify(messages)
  expect([sent.includes(data.slice(0, 99)), sent.length < 32_000, sent.includes('image/png')]).toEqual([false, true, true])
})

it('a file of text stays where an old picture of its message goes', () => {
  const contract = { type: 'file', mediaType: 'text/plain', data: Buffer.from('The contract.').toString('base64'), filename: 'contract.txt' }
  const message: SdkMessage = { role: 'user', content: [{ type: 'text', text: 'Look.' }, picture, contract] }
  const edited = codec.edit(message, { outputs: new Map(), inputs: new Map(), media: '[not shown any more]' })
  expect(edited.content).toEqual([{ type: 'text', text: 'Look.' }, { type: 'text', text: '[not shown any more]' }, contract])
})

it('what announces a reply of Anthropic’s, and is never sent back, counts for nothing; a reference to a tool counts by its letters', () => {
  const announced = { type: 'custom', kind: 'anthropic.message_start', providerMetadata: { anthropic: { message: { id: 'msg_1', model: 'x'.repeat(400) } } } }
  expect(codec.read({ role: 'assistant', content: [announced] }).parts).toMatchObject([{ type: 'opaque', size: 0 }])
  const reference = { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference', toolName: 'get_weather' } } }
  const [part] = codec.read(result([reference])).parts
  expect(part).not.toHaveProperty('attachments')
  expect(part).toMatchObject({ output: expect.stringContaining('get_weather') })
})

it('a refusal behind the beginning of a message is answered', async () => {
  const reports: CompactionReport[] = []
  const sent: number[] = []
  const part = (...parts: readonly object[]) => ({
    stream: new ReadableStream<object>({
      start(to) {
        for (const one of parts) to.enqueue(one)
        to.close()
      },
    }),
  })
  const model = {
    specificationVersion: 'v4',
    provider: 'anthropic.messages',
    modelId: 'claude',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked')),
    async doStream({ prompt }: { readonly prompt: readonly object[] }) {
      sent.push(prompt.length)
      const begun = { type: 'custom', kind: 'anthropic.message_start' }
      if (prompt.length > 20)
        return part({ type: 'stream-start', warnings: [] }, begun, { type: 'error', error: new Error('prompt is too long: 30000 tokens > 20000 maximum') })
      const words = [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'ok' },
        { type: 'text-end', id: 't' },
      ]
      return part({ type: 'stream-start', warnings: [] }, begun, ...words, {
        type: 'finish',
        finishReason: { unified: 'stop' },
        usage: { inputTokens: { total: 5 }, outputTokens: { total: 1 } },
      })
    },
  }
  const wrapped = withCompaction(model as unknown as WrappableModel, { onReport: (report) => reports.push(report) })
  const messages = Array.from({ length: 61 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `Turn ${at}: ${'words '.repeat(400)}` }))
  const { streamText } = await sdkOf('AI SDK 7')
  expect(await streamText({ model: wrapped, messages, maxRetries: 0 }).text).toBe('ok')
  expect([sent[0], (sent.at(-1) ?? 99) <= 20]).toEqual([61, true])
})

it('what the SDK hides in a tool is there when its outputs are cached', () => {
  const hidden = Object.defineProperty({ execute: () => 'x' }, 'experimental_toolCaller', { value: 'bound', enumerable: false })
  const compaction = createCompaction({ limits: { contextWindow: 8_000 }, outputs: createToolOutputStore(memoryStorage()) })
  expect(compaction.cacheToolOutputs({ hidden } as never)).toHaveProperty('hidden.experimental_toolCaller', 'bound')
})
