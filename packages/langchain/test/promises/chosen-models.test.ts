import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { RunnableBinding } from '@langchain/core/runnables'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent, initChatModel } from 'langchain'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// A model that is chosen by a name, or by the run, and one that settings are bound to: each is known by its own name.

const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})
const words = Array.from({ length: 400 }, (_, at) => `word${at % 89}`).join(' ')
const history: readonly BaseMessage[] = [
  ...Array.from({ length: 12 }, (_, at) => [new HumanMessage(`${at} ${words}`), new AIMessage(`${at} ${words}`)]).flat(),
  new HumanMessage('And now?'),
]
const start = async () => {
  const provider = await strictProvider({ window: 6_000, model: () => ({ text: '{"a":"x"}', calls: [] }) })
  open.push(provider)
  const settings = { apiKey: 'none', configuration: { baseURL: provider.url }, maxTokens: 500, maxRetries: 0 }
  return { provider, settings, chosen: () => initChatModel('openai:small', settings as never) }
}
const statuses = ({ requests }: StrictProvider): readonly number[] => requests.map(({ status }) => status)

it.each(['by a name', 'by the run', 'with settings bound'] as const)('chosen %s: limits are asked for by the name of the model', async (how) => {
  const { provider, settings, chosen } = await start()
  const names = new Set<string>()
  const limits = (name: string) => {
    names.add(name)
    return { contextWindow: name === 'small' ? 6_000 : 1_000_000, maxOutput: 500 }
  }
  const bound = new RunnableBinding({ bound: new ChatOpenAI({ model: 'small', ...settings }), config: { tags: ['x'] } })
  const large = await initChatModel('openai:large', settings as never)
  const model = how === 'with settings bound' ? bound : how === 'by the run' ? large : await chosen()
  const agent = createAgent({ model: model as never, tools: [], middleware: [compaction({ limits })] })
  await agent.invoke({ messages: [...history] }, how === 'by the run' ? { configurable: { model: 'small' } } : {})
  expect([...names]).toEqual(['small'])
  expect(statuses(provider)).toEqual([200])
})
it('a chosen model that is asked for an object is kept inside its window', async () => {
  const { provider, chosen } = await start()
  const model = withCompaction((await chosen()) as never, { limits: { contextWindow: 6_000, maxOutput: 500 } }) as unknown as ChatOpenAI
  const asked = model.withStructuredOutput(z.object({ a: z.string() }))
  expect(await asked.invoke([...history])).toEqual({ a: 'x' })
  expect(await asked.withConfig({ tags: ['x'] }).invoke([...history])).toEqual({ a: 'x' })
  expect(statuses(provider)).toEqual([200, 200])
})
