import { type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { compaction } from '@precis/langchain'
import type { StrictProvider } from '@precis/testkit'
import { createAgent, type createMiddleware, modelFallbackMiddleware, modelRetryMiddleware } from 'langchain'
import { describe, expect, it } from 'vitest'
import { start } from '../strict.ts'
import { modelAt } from '../vaults.ts'

type Middleware = ReturnType<typeof createMiddleware>
const down = { hiccups: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [at, 503])) }
const refusals = ({ requests }: StrictProvider): number => requests.filter(({ status }) => status === 400).length
const answers = ({ requests }: StrictProvider): number => requests.filter(({ status }) => status === 200).length

const orders = [
  'compaction retry fallback',
  'compaction fallback retry',
  'retry compaction fallback',
  'fallback compaction retry',
  'retry fallback compaction',
  'fallback retry compaction',
]
let conversation = 0
/** Sixteen questions of one conversation, each with a thousand tokens beside it. */
async function talk(order: string, onFailure: 'continue' | 'error', [own, other]: readonly [StrictProvider, StrictProvider]): Promise<readonly string[]> {
  const known: Record<string, () => unknown> = {
    compaction: () => compaction(),
    retry: () => modelRetryMiddleware({ maxRetries: 2, initialDelayMs: 1, onFailure }),
    fallback: () => modelFallbackMiddleware(modelAt('openai', other.url) as never),
  }
  const agent = createAgent({
    model: modelAt('openai', own.url),
    tools: [],
    middleware: order.split(' ').map((name) => known[name]?.() as Middleware),
    checkpointer: new MemorySaver(),
  })
  const begin = `Conversation ${conversation++}.`
  const said: string[] = []
  for (let turn = 0; turn < 16; turn++) {
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage(`${begin} Question ${turn}: ${'words '.repeat(1_000)}`)] },
      { configurable: { thread_id: 't' } },
    )
    said.push((messages.at(-1) as BaseMessage).text)
  }
  return said
}
const all = Array.from({ length: 16 }, () => 'done')

/** A retry in front of the fallback makes a reply of what it gave up, and nobody asks another model. */
const givesUp = (order: string, onFailure: string): boolean => onFailure === 'continue' && order.indexOf('fallback') < order.indexOf('retry')

describe.each(orders)('no window is known, and the middleware is %s', (order) => {
  describe.each(['continue', 'error'] as const)('a call that failed ends as: %s', (onFailure) => {
    it('a model that refuses is answered with what fits into it', async () => {
      const [own, other] = [await start(8_000), await start(5_000)]
      expect(await talk(order, onFailure, [own, other])).toEqual(all)
      expect(answers(own)).toBe(16)
      // Each is asked three times at most before it is our turn, and never again.
      expect(refusals(own)).toBeLessThanOrEqual(3)
      expect(refusals(other)).toBeLessThanOrEqual(3)
    })
    it('one that refuses what a wider one answers is sent what fits, from the next call on', async () => {
      const [own, other] = [await start(5_000), await start(12_000)]
      expect(await talk(order, onFailure, [own, other])).toEqual(all)
      expect(answers(own)).toBeGreaterThanOrEqual(15)
      expect(refusals(own)).toBe(1)
      expect(refusals(other)).toBe(0)
    })
    it.skipIf(givesUp(order, onFailure))('one in the place of one that is down is sent what fits into it, and its window is not learned twice', async () => {
      const [own, other] = [await start(8_000, down), await start(5_000)]
      expect(await talk(order, onFailure, [own, other])).toEqual(all)
      expect(answers(other)).toBe(16)
      expect(refusals(other)).toBeLessThanOrEqual(3)
    })
  })
})

it('a model that is back is sent what fits into it, and not what fitted into the one in its place', async () => {
  const [own, other] = [await start(12_000, { hiccups: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [at, 503])) }), await start(5_000)]
  expect(await talk('compaction fallback', 'error', [own, other])).toEqual(all)
  expect(refusals(own)).toBeLessThanOrEqual(1)
  expect(Math.max(...own.requests.filter(({ status }) => status === 200).map(({ inputTokens }) => inputTokens))).toBeGreaterThan(8_000)
})
