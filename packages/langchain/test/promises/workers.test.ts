import { HumanMessage } from '@langchain/core/messages'
import { compaction } from '@precis/langchain'
import { createAgent } from 'langchain'
import { expect, it, vi } from 'vitest'
import { start } from '../strict.ts'
import { modelAt } from '../vaults.ts'

vi.mock('@langchain/core/context', async (original) => ({
  ...(await original()),
  setContextVariable() {
    throw new Error('asyncLocalStorage.enterWith() is not implemented')
  },
}))

it('an agent runs, and is compacted, where no context can be entered, as in Cloudflare Workers', async () => {
  const provider = await start(8_000)
  const agent = createAgent({ model: modelAt('openai', provider.url), tools: [], middleware: [compaction()] })
  const messages = Array.from({ length: 16 }, (_, at) => new HumanMessage(`Question ${at}: ${'words '.repeat(1_000)}`))
  const answer = await agent.invoke({ messages })
  expect(answer.messages.at(-1)?.text).toBe('done')
  expect(provider.requests.map(({ status }) => status)).toEqual([400, 200])
})
