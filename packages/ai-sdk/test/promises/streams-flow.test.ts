import { createCompaction, type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { describe, expect, it } from 'vitest'
import { majors, sdkOf } from '../majors.ts'

// What a model says is told as it says it; a reader that goes away is the end of it.

const versions: Readonly<Record<string, string>> = { 'AI SDK 5': 'v2', 'AI SDK 6': 'v3', 'AI SDK 7': 'v4' }
const reasonOf = (major: string, reason: string) => (major === 'AI SDK 5' ? reason : { unified: reason, raw: reason })
const usageOf = (major: string) =>
  major === 'AI SDK 5' ? { inputTokens: 9, outputTokens: 1, totalTokens: 10 } : { inputTokens: { total: 9 }, outputTokens: { total: 1 } }
const start = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'r1', modelId: 'm' },
]
const said = (major: string, text: string) => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: text },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: reasonOf(major, 'stop'), usage: usageOf(major) },
]
const thinks = { type: 'reasoning-start', id: 'r' }
const looked = [
  { type: 'tool-call', toolCallId: 'l', toolName: 'precis_recall', input: '{"query":"word"}' },
  { type: 'finish', finishReason: 'tool-calls', usage: {} },
]

interface Source {
  readonly requests: { readonly abortSignal?: AbortSignal }[]
  readonly cancelled: unknown[]
}

/** A model with these streams, one a request; a promise in one is waited for. */
function modelOf(major: string, streams: readonly (readonly (object | Promise<void>)[])[]): WrappableModel & Source {
  const requests: { readonly abortSignal?: AbortSignal }[] = []
  const cancelled: unknown[] = []
  const model = {
    specificationVersion: versions[major] ?? '',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    requests,
    cancelled,
    doGenerate: async () => ({}),
    async doStream(options: { readonly abortSignal?: AbortSignal }) {
      const parts = streams[requests.push(options) - 1] ?? []
      let at = 0
      const pull = async (controller: ReadableStreamDefaultController<object>): Promise<void> => {
        const part = parts[at++]
        if (part instanceof Promise) await part
        if (part === undefined) controller.close()
        else if (part instanceof Promise) await pull(controller)
        else controller.enqueue(part)
      }
      return { stream: new ReadableStream<object>({ pull, cancel: (reason) => void cancelled.push(reason) }) }
    },
  }
  return model
}

const long = Array.from({ length: 61 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `${at} ${'word '.repeat(200)}` }))
const limits = { contextWindow: 8_000, maxOutput: 500 }
const never = new Promise<void>(() => {})

describe.each(majors)('streams flow, %s', (major) => {
  const wrapped = async (model: WrappableModel, how: 'withCompaction' | 'middleware'): Promise<unknown> => {
    if (how === 'withCompaction') return withCompaction(model, { limits })
    const { wrapLanguageModel } = await sdkOf(major)
    return wrapLanguageModel({ model, middleware: createCompaction({ limits }).middleware() })
  }
  describe.each(['withCompaction', 'middleware'] as const)('%s', (how) => {
    const kindsOf = async (model: WrappableModel, until: string): Promise<readonly string[]> => {
      const { streamText } = await sdkOf(major)
      const result = streamText({ model: await wrapped(model, how), prompt: 'Hi.', maxRetries: 0 }) as unknown as {
        fullStream: AsyncIterable<{ type: string }>
      }
      const kinds: string[] = []
      for await (const { type } of result.fullStream) {
        kinds.push(type)
        if (type === until) break
      }
      return kinds
    }
    it('the step begins with the provider’s stream, a thought with its first part', async () => {
      expect(await kindsOf(modelOf(major, [[...start, never]]), 'start-step')).toEqual(['start', 'start-step'])
      expect(await kindsOf(modelOf(major, [[...start, thinks, never]]), 'reasoning-start')).toEqual(['start', 'start-step', 'reasoning-start'])
    })
    it('a refusal behind the beginning is answered all the same, in the same step', async () => {
      const refusal = { type: 'error', error: new Error('Your input exceeds the context window of this model') }
      const model = modelOf(major, [
        [...start, refusal],
        [...start, ...said(major, 'Done.')],
      ])
      const { streamText } = await sdkOf(major)
      const result = streamText({ model: await wrapped(model, how), messages: long.slice(0, 15), maxRetries: 0 }) as unknown as {
        fullStream: AsyncIterable<{ type: string }>
      }
      const kinds: string[] = []
      for await (const { type } of result.fullStream) kinds.push(type)
      expect(kinds).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'])
      expect(model.requests).toHaveLength(2)
    })
  })
  it('a stream that is cancelled ends the request behind it, and no other is sent', async () => {
    const left: { readonly parts: readonly (object | Promise<void>)[]; readonly requests: number }[] = [
      { parts: [...start, thinks, never], requests: 1 },
      { parts: [...start, thinks, ...looked], requests: 2 },
    ]
    for (const { parts, requests } of left) {
      const model = modelOf(major, [parts, [...start, never]])
      const options = { prompt: long.map(({ role, content }) => ({ role, content: [{ type: 'text', text: content }] })), tools: [readTool] }
      const { stream } = (await withCompaction(model, { limits }).doStream(options)) as { readonly stream: ReadableStream<{ readonly type: string }> }
      const reader = stream.getReader()
      while ((await reader.read()).value?.type !== 'reasoning-start');
      // What comes next is asked for, as the SDK does, and nobody waits for it.
      void reader.read()
      await expect.poll(() => model.requests.length).toBe(requests)
      await reader.cancel('gone')
      expect(model.cancelled).toEqual(['gone'])
      expect(model.requests.slice(1).map(({ abortSignal }) => abortSignal?.aborted)).toEqual(requests === 1 ? [] : [true])
    }
  })
  it('a round that breaks off is handed on with its error, and nothing is looked up for it', async () => {
    const broken = { type: 'error', error: new Error('overloaded') }
    const circular: Record<string, unknown> = { choices: [] }
    circular['self'] = circular
    const model = modelOf(major, [
      [...start, thinks, { type: 'raw', rawValue: circular }, ...looked.slice(0, 1), broken, ...looked.slice(1)],
      [...start, ...said(major, 'Done.')],
    ])
    const options = { prompt: long.map(({ role, content }) => ({ role, content: [{ type: 'text', text: content }] })), tools: [readTool] }
    const { stream } = (await withCompaction(model, { limits }).doStream(options)) as { readonly stream: ReadableStream<{ readonly type: string }> }
    const kinds: string[] = []
    for await (const { type } of stream) kinds.push(type)
    expect(kinds).toContain('error')
    expect(kinds).not.toContain('tool-call')
    expect(kinds.at(-1)).toBe('finish')
    expect(model.requests).toHaveLength(1)
  })
  it('nothing is read, or sent, that nobody asked for', async () => {
    const model = modelOf(major, [
      [...start, thinks, ...looked],
      [...start, never],
    ])
    const options = { prompt: long.map(({ role, content }) => ({ role, content: [{ type: 'text', text: content }] })), tools: [readTool] }
    const { stream } = (await withCompaction(model, { limits }).doStream(options)) as { readonly stream: ReadableStream<{ readonly type: string }> }
    const reader = stream.getReader()
    while ((await reader.read()).value?.type !== 'reasoning-start');
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(model.requests).toHaveLength(1)
  })
})

const readTool = { type: 'function', name: 'read_file', inputSchema: { type: 'object', properties: {} } }
