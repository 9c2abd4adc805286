import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider, ticketJob, ticketTools } from '@precis/testkit'
import { generateText, isStepCount, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// One job of many steps, in one call of the SDK: a model that goes by what it is shown does each thing once, whatever was compacted on the way.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const models = {
  chat: (baseURL: string) => createOpenAI({ baseURL, apiKey: 'none' }).chat('strict'),
  responses: (baseURL: string) => createOpenAI({ baseURL, apiKey: 'none' }).responses('strict'),
  anthropic: (baseURL: string) => createAnthropic({ baseURL, apiKey: 'none' })('strict'),
}

it.each([
  ['chat', 12_000],
  ['chat', 24_000],
  ['responses', 12_000],
  ['anthropic', 12_000],
] as const)('%s, a window of %i', async (wire, window) => {
  const job = ticketJob()
  provider = await strictProvider({ window, model: job.model })
  const act = (name: string) =>
    [name, tool({ description: name, inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => job.call(name, id) })] as const
  const { text } = await generateText({
    model: withCompaction(models[wire](provider.url), { limits: { contextWindow: window, maxOutput: 256 } }),
    tools: Object.fromEntries(ticketTools.map(act)),
    prompt: job.request,
    maxOutputTokens: 256,
    maxRetries: 0,
    stopWhen: isStepCount(200),
  })
  expect([text, job.done]).toEqual([job.final, job.expected])
  expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
})
