import { HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { compaction } from '@precis/langchain'
import { createAgent, createMiddleware, modelFallbackMiddleware } from 'langchain'
import { expect, it } from 'vitest'
import { start } from '../strict.ts'
import { modelAt } from '../vaults.ts'

// Middleware may ask models of its own. What these fail with is not the agent's, and what one thread learned is not another's.

const ask = (agent: { invoke(input: object, config: object): Promise<unknown> }, thread: string, turn: number) =>
  agent.invoke({ messages: [new HumanMessage(`${thread}, question ${turn}: ${'words '.repeat(1_000)}`)] }, { configurable: { thread_id: thread } })

/** What the agent's model is sent, turn by turn, with a middleware that asks a small one first, and does without it where that fails. */
async function sent(title: string, isBeside: boolean): Promise<readonly unknown[]> {
  const [own, small] = [await start(20_000), await start(4_000)]
  const selector = createMiddleware({
    name: 'Selector',
    wrapModelCall: async (request, handler) => {
      await modelAt('openai', small.url)
        .invoke(request.messages)
        .catch(() => undefined)
      return handler(request)
    },
  })
  const middleware = isBeside ? [compaction(), selector] : [compaction()]
  const agent = createAgent({ model: modelAt('openai', own.url), tools: [], middleware: middleware as never, checkpointer: new MemorySaver() })
  for (let turn = 0; turn < 24; turn++) await ask(agent as never, title, turn)
  if (isBeside) expect(small.requests.some(({ status }) => status === 400)).toBe(true)
  return own.requests.map(({ status, inputTokens }) => [status, inputTokens])
}

it('a small model that a middleware asks and does without changes nothing', async () => {
  expect(await sent('Beside', true)).toEqual(await sent('Beside', false))
})

it('a small model that stood in for a thread narrows no other', async () => {
  const [own, small] = [await start(200_000, { hiccups: { 16: 503, 17: 503 } }), await start(4_000)]
  const agent = createAgent({
    model: modelAt('openai', own.url),
    tools: [],
    middleware: [compaction() as never, modelFallbackMiddleware(modelAt('openai', small.url) as never)],
    checkpointer: new MemorySaver(),
  })
  for (let turn = 0; turn < 8; turn++) for (const thread of ['ann', 'ben']) await ask(agent as never, thread, turn)
  await ask(agent as never, 'ann', 8)
  const [before = 0] = own.requests
    .filter(({ status }) => status === 200)
    .map(({ inputTokens }) => inputTokens)
    .slice(-1)
  await ask(agent as never, 'ben', 8)
  expect(own.requests.at(-1)?.inputTokens).toBeGreaterThan(before)
})
