import { type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { compaction } from '@precis/langchain'
import { fakeSummarizer, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { modelAt } from '../vaults.ts'

// A route makes its agent for each request, and is handed all messages: no checkpointer, no storage.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const talk = (who: string, turn: number): string => `${who} asks for the ${turn}th time. ${`What does ${who} need in week ${turn}? `.repeat(60)}`

/** Turns of conversations that take turns, each request with a middleware of its own or all with one. */
async function run(whos: readonly string[], thread: string | undefined, anew: boolean) {
  provider = await strictProvider({ window: 8_000, maxOutput: 300, model: () => ({ text: 'Noted.', calls: [] }) })
  const summarizer = fakeSummarizer()
  const make = () => compaction({ summarizer })
  const one = make()
  const histories = new Map<string, BaseMessage[]>(whos.map((who) => [who, []]))
  for (let turn = 0; turn < 24; turn++)
    for (const [who, before] of histories) {
      const agent = createAgent({ model: modelAt('openai', provider.url), tools: [], middleware: [anew ? make() : one] })
      const config = thread === undefined ? {} : { configurable: { thread_id: thread } }
      const { messages } = await agent.invoke({ messages: [...before, new HumanMessage(talk(who, turn))] }, config)
      histories.set(who, messages)
    }
  const refused = provider.requests.filter(({ status }) => status !== 200).length
  await provider.close()
  return { prompts: summarizer.requests.map(({ prompt }) => prompt), refused }
}

describe('compaction() that is made for each request', () => {
  it.each([
    ['of a conversation that nobody named', undefined],
    ['of a thread that no checkpointer keeps', 'thread-1'],
  ])('%s pays and learns as one that is kept', async (what, thread) => {
    const kept = await run([`Kept ${what}`], thread, false)
    const anew = await run([`Anew ${what}`], thread, true)
    expect(kept.prompts.length).toBeGreaterThan(2)
    expect(anew.prompts.length).toBeLessThanOrEqual(kept.prompts.length)
    expect(anew.refused).toBe(kept.refused)
  })
  it('agents that share a thread and say different things have each its own', async () => {
    const alone = await run(['Solo'], 'thread-2', true)
    const { prompts } = await run(['Anna', 'Bert'], 'thread-2', true)
    expect(prompts.map((prompt) => ['Anna', 'Bert'].filter((who) => prompt.includes(who)).length)).toEqual(prompts.map(() => 1))
    expect(prompts.length).toBeLessThanOrEqual(2 * alone.prompts.length)
  })
})
