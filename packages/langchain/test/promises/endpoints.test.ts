import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { AzureChatOpenAI, ChatOpenAI } from '@langchain/openai'
import { memoryStorage } from '@precis/core'
import { compactionMiddleware, withCompaction } from '@precis/langchain'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, expect, it } from 'vitest'
import { endpointOf } from '../../src/endpoint.ts'

// One name, two servers: what the small one refuses says nothing of the large one.

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
const told = (count: number): BaseMessage[] => [
  ...Array.from({ length: count }, (_, at) => (at % 2 === 0 ? new HumanMessage(`${at}: ${words}`) : new AIMessage(`${at}: ${words}`))),
  new HumanMessage('And now?'),
]
const refusals = ({ requests }: StrictProvider): number => requests.filter(({ status }) => status !== 200).length
const chat = ({ url }: StrictProvider): ChatOpenAI =>
  new ChatOpenAI({ model: 'own-gpt', apiKey: 'sk-own', configuration: { baseURL: url }, maxRetries: 0, streaming: false })
const thread = { configurable: { thread_id: 't' } }

it.each(['an agent with the middleware', 'a wrapped model'] as const)(
  '%s: the small one refuses once, and the large one is not held to its window',
  async (door) => {
    const [small, large] = [await server(5_000), await server(100_000)]
    const storage = memoryStorage()
    const options = { storage, limits: () => undefined }
    const middleware = compactionMiddleware(options)
    const made = (model: ChatOpenAI): ((messages: BaseMessage[]) => Promise<unknown>) => {
      if (door === 'a wrapped model') return (messages) => withCompaction(model, options).invoke(messages, thread)
      const agent = createAgent({ model, tools: [], middleware: [middleware] })
      return (messages) => agent.invoke({ messages }, thread)
    }
    const [little, much] = [made(chat(small)), made(chat(large))]
    // The same conversation, which grows by as much as the small one holds, and on.
    const turns = [
      [little, 40],
      [much, 80],
      [little, 82],
      [much, 120],
    ] as const
    for (const [send, count] of turns) await send(told(count))
    expect(refusals(small)).toBe(1)
    expect(refusals(large)).toBe(0)
    for (const { inputTokens } of large.requests) expect(inputTokens).toBeGreaterThan(7_000)
    const stored = (await storage.get('sessions/t/state.json'))?.body ?? ''
    expect(stored).toContain('"endpoint":"')
    for (const part of ['sk-own', '127.0.0.1', 'localhost']) expect(stored).not.toContain(part)
  },
)

it('base URLs, instances, deployments and regions tell places apart; keys and settings of a call do not', () => {
  const azure = (azureOpenAIApiInstanceName: string) =>
    new AzureChatOpenAI({
      model: 'gpt',
      azureOpenAIApiKey: 'k',
      azureOpenAIApiInstanceName,
      azureOpenAIApiDeploymentName: 'd',
      azureOpenAIApiVersion: '2024-10-21',
    })
  const openai = (baseURL: string, more: object = {}) => new ChatOpenAI({ model: 'gpt', apiKey: 'k', configuration: { baseURL }, ...more })
  const anthropic = (anthropicApiUrl: string) => new ChatAnthropic({ model: 'claude', apiKey: 'k', anthropicApiUrl })
  const places = [azure('one'), azure('two'), openai('http://a/v1'), openai('http://b/v1'), anthropic('http://a'), anthropic('http://b')].map(endpointOf)
  expect(new Set(places).size).toBe(6)
  expect(endpointOf(openai('http://a/v1', { temperature: 1, apiKey: 'another' }))).toBe(endpointOf(openai('http://a/v1')))
  expect(places.join()).not.toContain('k ')
})
