import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction, withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type LanguageModel, type ModelMessage, wrapLanguageModel } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { endpointOf } from '../../src/endpoint.ts'

// One name, two servers: what the small one refuses says nothing of the large one.

type Model = Exclude<LanguageModel, string>
const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})
const server = async (window: number): Promise<StrictProvider> => {
  const made = await strictProvider({ window, model: () => ({ text: 'ok', calls: [] }) })
  open.push(made)
  return made
}
const words = Array.from({ length: 160 }, (_, at) => `word${at % 89}`).join(' ')
const told = (count: number): ModelMessage[] => [
  ...Array.from({ length: count }, (_, at): ModelMessage => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `${at}: ${words}` })),
  { role: 'user', content: 'And now?' },
]
const refusals = ({ requests }: StrictProvider): number => requests.filter(({ status }) => status !== 200).length
const chat = ({ url }: StrictProvider): Model =>
  createOpenAICompatible({
    name: 'ours',
    baseURL: url,
    apiKey: 'none',
    queryParams: { key: 'sk-in-the-query' },
    // The server knows no queries.
    fetch: (address, init) => fetch(String(address).split('?')[0] as string, init),
  })('gpt') as Model

it.each(['withCompaction', 'middleware'] as const)('through %s: the small one refuses once, and the large one is not held to its window', async (door) => {
  const [small, large] = [await server(5_000), await server(100_000)]
  const storage = memoryStorage()
  const compaction = createCompaction({ storage })
  const wrap = (model: Model): LanguageModel =>
    door === 'middleware'
      ? wrapLanguageModel({ model, middleware: compaction.middleware({ session: 's' }) })
      : (withCompaction(model as never, { storage, session: 's', limits: () => undefined }) as LanguageModel)
  const [little, much] = [wrap(chat(small)), wrap(chat(large))]
  // The same conversation, which grows by as much as the small one holds, and on.
  const turns = [
    [little, 40],
    [much, 80],
    [little, 82],
    [much, 120],
  ] as const
  for (const [model, count] of turns) await generateText({ model, messages: told(count), maxRetries: 0 })
  expect(refusals(small)).toBe(1)
  expect(refusals(large)).toBe(0)
  for (const { inputTokens } of large.requests) expect(inputTokens).toBeGreaterThan(7_000)
  const stored = (await storage.get('sessions/s/state.json'))?.body ?? ''
  expect(stored).toContain('"endpoint":"')
  for (const secret of ['sk-in-the-query', '127.0.0.1', 'localhost']) expect(stored).not.toContain(secret)
})

it.each([
  ['openai', (baseURL: string) => createOpenAI({ baseURL, apiKey: 'none' })('gpt')],
  ['openai.chat', (baseURL: string) => createOpenAI({ baseURL, apiKey: 'none' }).chat('gpt')],
  ['compatible with it', (baseURL: string) => createOpenAICompatible({ name: 'ours', baseURL, apiKey: 'none' })('gpt')],
  ['anthropic', (baseURL: string) => createAnthropic({ baseURL, apiKey: 'none' })('claude')],
])('%s: provider and base URL tell places apart, and an API key is no part of them', (_, make) => {
  expect(endpointOf(make('http://a/v1'))).not.toBe(endpointOf(make('http://b/v1')))
  expect(endpointOf(make('http://a/v1'))).toContain('http://a/v1')
})

it('what cannot be seen is left out', () => {
  expect(endpointOf('openai/gpt-5.2')).toBeUndefined()
  expect(endpointOf({ provider: 'own', modelId: 'm' })).toBe('own')
  const throws = { provider: 'own', modelId: 'm', config: { url: () => new URL('nowhere').href } }
  expect(endpointOf(throws)).toBe('own')
})
