import { AsyncLocalStorage } from 'node:async_hooks'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { CompactionReport } from '@precis/core'
import { assistant, recallModel, strictProvider, user } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, expect, it, vi } from 'vitest'

// What Cloudflare Workers forbid: random values, timers and I/O before the first request, and what belongs to one request in another.

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const forbidden = (): never => {
  throw new Error('Disallowed operation called within global scope.')
}

const request = new AsyncLocalStorage<number>()
class OfOneRequest extends AbortController {
  readonly #made = request.getStore()
  override abort(reason?: unknown): void {
    if (this.#made !== request.getStore()) throw new Error('Cannot perform I/O on behalf of a different request.')
    super.abort(reason)
  }
}

it('a model is wrapped, and an archive made, before the first request', async () => {
  vi.resetModules()
  for (const name of ['randomUUID', 'getRandomValues'] as const) vi.spyOn(crypto, name).mockImplementation(forbidden)
  for (const name of ['setTimeout', 'setImmediate', 'fetch', 'AbortController']) vi.stubGlobal(name, forbidden)
  const { createCompaction, withCompaction } = await import('@precis/ai-sdk')
  const { createArchive, createToolOutputStore, memoryStorage } = await import('@precis/core')
  const model = createOpenAICompatible({ name: 'own', baseURL: 'http://localhost/v1', apiKey: 'none' })('m')
  const storage = memoryStorage()
  expect(withCompaction(model).modelId).toBe('m')
  expect(createCompaction({ storage, archive: createArchive<ModelMessage>(storage), outputs: createToolOutputStore(storage) })).toBeDefined()
})

it('each turn of a chat is a request of its own: one aborts nothing that another made', async () => {
  vi.stubGlobal('AbortController', OfOneRequest)
  const { withCompaction } = await import('@precis/ai-sdk')
  const provider = await strictProvider({ window: 8_000, model: recallModel({ steps: [], final: 'Noted.' }) })
  const reports: CompactionReport[] = []
  const model = withCompaction(createOpenAICompatible({ name: 'own', baseURL: provider.url, apiKey: 'none' })('m'), {
    limits: { contextWindow: 8_000, maxOutput: 500 },
    onReport: (report) => void reports.push(report),
  })
  const messages: ModelMessage[] = []
  for (let turn = 0; turn < 20; turn++) {
    messages.push({ role: 'user', content: `Turn ${turn}. ${'The build of the parser is slow again. '.repeat(60)}` })
    const { text } = await request.run(turn, () => generateText({ model, messages: [...messages], maxRetries: 0 }))
    messages.push({ role: 'assistant', content: text })
  }
  await provider.close()
  expect(provider.requests.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(reports.filter(({ outcome }) => outcome === 'summarized').length).toBeGreaterThan(1)
})

it('a request that is over while it waits keeps no other of its chat waiting', async () => {
  vi.resetModules()
  vi.stubGlobal('WebSocketPair', class {})
  const { withCompaction } = await import('@precis/ai-sdk')
  const provider = await strictProvider({ window: 8_000, model: recallModel({ steps: [], final: 'Noted.' }) })
  let asked = 0
  const model = withCompaction(createOpenAICompatible({ name: 'own', baseURL: provider.url, apiKey: 'none' })('m'), {
    limits: { contextWindow: 8_000, maxOutput: 500 },
    policy: { summary: { author: 'model' } },
    summarizer: { name: 'gone with its request', summarize: () => new Promise(() => void asked++) },
  })
  const long: ModelMessage[] = Array.from({ length: 21 }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: `Turn ${turn}. ${'The build of the parser is slow again. '.repeat(40)}`,
  }))
  const one = (): Promise<unknown> => generateText({ model, messages: long, maxRetries: 0, providerOptions: { precis: { session: 'chat' } } })
  void one().catch(() => {})
  await vi.waitUntil(() => asked === 2) // it is asked for in two pieces
  await one()
  await provider.close()
  expect(asked).toBe(2)
  expect(provider.requests.map(({ status }) => status)).toEqual([200])
})

it('a chat is deleted whose summary another request began', async () => {
  vi.resetModules()
  vi.stubGlobal('WebSocketPair', class {})
  vi.stubGlobal('AbortController', OfOneRequest)
  const { createCompactor, neutralCodec } = await import('@precis/core')
  let asked = 0
  const compactor = createCompactor({
    codec: neutralCodec,
    limits: { contextWindow: 8_000 },
    policy: { trigger: { background: true, soft: { fraction: 0.3 }, hard: { fraction: 0.95 } }, summary: { author: 'model' } },
    summarizer: { name: 'gone with its request', summarize: () => new Promise(() => void asked++) },
  })
  const history = Array.from({ length: 13 }, (_, turn) =>
    (turn % 2 === 0 ? user : assistant)(`Turn ${turn}. ${'The build of the parser is slow again. '.repeat(30)}`),
  )
  await request.run(1, () => compactor.session('chat').beforeModelCall(history))
  await vi.waitUntil(() => asked > 0)
  expect((await request.run(2, () => compactor.forget('chat'))).left).toEqual([])
})
