import { HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { compaction } from '@precis/langchain'
import { type StrictProvider, strictProvider, ticketJob, ticketTools } from '@precis/testkit'
import { createAgent, tool } from 'langchain'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// One job of many steps, in one call of the agent: a model that goes by what it is shown does each thing once, whatever was compacted on the way.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

it.each([12_000, 24_000])('a window of %i', async (window) => {
  const job = ticketJob()
  provider = await strictProvider({ window, model: job.model })
  const model = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: provider.url }, maxTokens: 256, maxRetries: 0 })
  const tools = ticketTools.map((name) =>
    tool(({ id }: { id: string }) => job.call(name, id), { name, description: name, schema: z.object({ id: z.string() }) }),
  )
  const agent = createAgent({ model, tools, middleware: [compaction({ limits: { contextWindow: window, maxOutput: 256 } })], checkpointer: new MemorySaver() })
  const { messages } = await agent.invoke({ messages: [new HumanMessage(job.request)] }, { recursionLimit: 500, configurable: { thread_id: 't' } })
  expect([messages.at(-1)?.text, job.done]).toEqual([job.final, job.expected])
  expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
})
