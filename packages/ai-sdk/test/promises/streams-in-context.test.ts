import { AsyncLocalStorage } from 'node:async_hooks'
import { type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { expect, it } from 'vitest'

// What a host follows from call to call, a span of OpenTelemetry’s say, is kept in an AsyncLocalStorage.
const host = new AsyncLocalStorage<string>()

const usage = { inputTokens: { total: 9 }, outputTokens: { total: 1 } }
const looked = [
  { type: 'tool-call', toolCallId: 'l', toolName: 'precis_recall', input: '{"query":"word"}' },
  { type: 'finish', finishReason: { unified: 'tool-calls' }, usage },
]
const said = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Found.' },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop' }, usage },
]
const readTool = { type: 'function', name: 'read_file', inputSchema: { type: 'object', properties: {} } }
const prompt = Array.from({ length: 61 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: [{ type: 'text', text: `${at} ${'word '.repeat(200)}` }],
}))

it('a look-up in a stream, and the request behind it, belong to the call, whoever reads the stream', async () => {
  const [requests, traced]: [unknown[], unknown[]] = [[], []]
  const model = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    doGenerate: async () => ({}),
    async doStream() {
      const parts = requests.push(host.getStore()) === 1 ? looked : said
      return {
        stream: new ReadableStream<object>({
          start(controller) {
            for (const part of parts) controller.enqueue(part)
            controller.close()
          },
        }),
      }
    },
  }
  const wrapped = withCompaction(model as WrappableModel, {
    limits: { contextWindow: 8_000, maxOutput: 500 },
    trace: async (attributes, work) => {
      traced.push(`${host.getStore()}: ${attributes['trigger']}`)
      return work(() => {})
    },
  }) as unknown as typeof model
  const { stream } = await host.run('the call', () =>
    (wrapped.doStream as (options: object) => ReturnType<typeof model.doStream>)({ prompt, tools: [readTool] }),
  )
  const told: unknown[] = []
  await host.run('the reader', async () => {
    for await (const part of stream) told.push((part as { type: string }).type)
  })
  expect(told).toEqual(['text-start', 'text-delta', 'text-end', 'finish'])
  expect(requests).toEqual(['the call', 'the call'])
  expect(traced).toContain('the call: recall')
  expect(traced.filter((one) => !String(one).startsWith('the call'))).toEqual([])
})
