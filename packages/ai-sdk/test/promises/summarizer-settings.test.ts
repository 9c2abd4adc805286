import { createOpenAI } from '@ai-sdk/openai'
import { modelSummarizer, withCompaction } from '@precis/ai-sdk'
import { strictProvider } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { expect, it } from 'vitest'

const messages: ModelMessage[] = Array.from({ length: 31 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: `Line ${at}: ${'what is it '.repeat(150)}`,
}))

it('a seed and a temperature for the summarizer are on the wire, and nowhere else', async () => {
  const provider = await strictProvider({ window: 12_000, model: () => ({ text: 'ok', calls: [] }) })
  const openai = createOpenAI({ baseURL: provider.url, apiKey: 'none' })
  const summarizer = modelSummarizer({ model: openai.chat('gpt-4o-mini'), callOptions: { seed: 7, temperature: 0 } })
  const model = withCompaction(openai.chat('gpt-4o'), { limits: { contextWindow: 12_000, maxOutput: 500 }, summarizer })
  await generateText({ model, messages, maxRetries: 0 })
  const bodies = provider.requests.map(({ settings }) => settings)
  await provider.close()
  const asked = bodies.filter((body) => body['model'] === 'gpt-4o-mini')
  expect(asked.length).toBeGreaterThan(0)
  for (const body of asked) expect(body).toMatchObject({ seed: 7, temperature: 0 })
  for (const body of bodies.filter((one) => one['model'] === 'gpt-4o')) expect(body).not.toHaveProperty('seed')
})
