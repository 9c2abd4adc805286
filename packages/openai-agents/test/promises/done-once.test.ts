import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { type StrictProvider, strictProvider, ticketJob, ticketTools } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// One job of many steps, in one run: a model that goes by what it is shown does each thing once, whatever was compacted on the way.

setTracingDisabled(true)
let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

it.each([
  [false, 12_000],
  [true, 12_000],
  [true, 24_000],
])('with Responses: %s, a window of %i', async (useResponses, window) => {
  const job = ticketJob()
  provider = await strictProvider({ window, model: job.model })
  const inner = new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: provider.url, maxRetries: 0 }) as never, useResponses })
  const modelProvider = withCompaction(inner, { limits: { contextWindow: window, maxOutput: 256 } })
  const tools = ticketTools.map((name) =>
    tool({ name, description: name, parameters: z.object({ id: z.string() }), execute: async ({ id }) => job.call(name, id) }),
  )
  const agent = new Agent({ name: 'clerk', instructions: 'You work through tickets.', model: 'strict', modelSettings: { maxTokens: 256 }, tools })
  const { finalOutput } = await new Runner({ modelProvider }).run(agent, job.request, { maxTurns: 200 })
  expect([finalOutput, job.done]).toEqual([job.final, job.expected])
  expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
})
