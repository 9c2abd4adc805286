import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, modelSummarizer } from '@precis/langchain'
import { strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { expect, it } from 'vitest'

const messages = Array.from({ length: 31 }, (_, at) => {
  const content = `Line ${at}: ${'what is it '.repeat(150)}`
  return at % 2 === 0 ? new HumanMessage(content) : new AIMessage(content)
})

it('a seed and a temperature for the summarizer are on the wire, and nowhere else', async () => {
  const provider = await strictProvider({ window: 12_000, model: () => ({ text: 'ok', calls: [] }) })
  const of = (model: string, more: object = {}) => new ChatOpenAI({ model, apiKey: 'none', configuration: { baseURL: provider.url }, maxRetries: 0, ...more })
  const summarizer = modelSummarizer({ model: of('gpt-4o-mini', { temperature: 0 }), callOptions: { seed: 7 } })
  const middleware = [compaction({ limits: { contextWindow: 12_000, maxOutput: 500 }, summarizer })]
  await createAgent({ model: of('gpt-4o'), tools: [], middleware }).invoke({ messages })
  const bodies = provider.requests.map(({ settings }) => settings)
  await provider.close()
  const asked = bodies.filter((body) => body['model'] === 'gpt-4o-mini')
  expect(asked.length).toBeGreaterThan(0)
  for (const body of asked) expect(body).toMatchObject({ seed: 7, temperature: 0 })
  for (const body of bodies.filter((one) => one['model'] === 'gpt-4o')) expect(body).not.toHaveProperty('seed')
})
