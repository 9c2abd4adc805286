import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, expect, it } from 'vitest'

// OpenAI's Responses API refuses without saying how large the window is.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

it.each([undefined, { contextWindow: 28_000, maxOutput: 500 }])('is learned from two refusals, for good, where limits are %j', async (limits) => {
  provider = await strictProvider({ window: 14_000, maxOutput: 500, model: () => ({ text: 'Noted.', calls: [] }) })
  const { requests, url } = provider
  const model = withCompaction(createOpenAI({ baseURL: url, apiKey: 'none' }).responses('small'), limits === undefined ? {} : { limits })
  const messages: ModelMessage[] = []
  for (let at = 0; at < 80; at++) {
    messages.push({ role: 'user', content: `${at}: ${`What does Anna need in week ${at}? `.repeat(60)}` })
    const { responseMessages } = await generateText({ model, messages, maxRetries: 0 })
    messages.push(...responseMessages)
  }
  expect(requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBeGreaterThan(15 * 14_000)
  expect(requests.filter(({ status }) => status !== 200)).toHaveLength(2)
})
