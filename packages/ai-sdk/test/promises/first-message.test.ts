import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { fakeSummarizer } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, it } from 'vitest'
import { words } from '../traps/setup.ts'

/** A chat whose first message begins with a memory, another at every turn: what its summaries cost, and what its receipts say. */
async function chat(memoryOf: (turn: number) => string, session?: string): Promise<{ readonly summaries: number; readonly warnings: string }> {
  const usage = { inputTokens: { total: undefined }, outputTokens: { total: undefined } }
  const inner = new MockLanguageModelV4({
    doGenerate: async () => ({ content: [{ type: 'text', text: 'Noted.' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }) as never,
  })
  const summarizer = fakeSummarizer()
  const warnings: string[] = []
  const model = withCompaction(inner, {
    limits: { contextWindow: 8_192, maxOutput: 500 },
    storage: memoryStorage(),
    summarizer,
    onReport: (report) => void warnings.push(...report.warnings),
  })
  const messages: ModelMessage[] = []
  for (let turn = 0; turn < 24; turn++) {
    messages.push({ role: 'user', content: `Turn ${turn}: ${words(200, `t${turn}w`)}` })
    const shown = messages.map((message, at): ModelMessage => (at === 0 ? { role: 'user', content: `${memoryOf(turn)}${String(message.content)}` } : message))
    await generateText({ model, messages: shown, ...(session !== undefined && { providerOptions: { precis: { session } } }) })
    messages.push({ role: 'assistant', content: 'Noted.' })
  }
  return { summaries: summarizer.requests.length, warnings: warnings.join() }
}

const memory = (turn: number): string => `<memory>turn ${turn}</memory>\n`

it('a memory before the first message, another at every turn, costs a named chat at most one summary more', async () => {
  const plain = await chat(() => '', 'plain')
  expect(plain.summaries).toBeGreaterThan(1)
  const { summaries, warnings } = await chat(memory, 'named')
  expect(summaries).toBeLessThanOrEqual(plain.summaries + 1)
  expect(warnings).not.toContain('is another one each time')
})

it('without a name it is known from its seventh message on, and costs at most three more', async () => {
  const plain = await chat(() => '')
  expect((await chat(memory)).summaries).toBeLessThanOrEqual(plain.summaries + 3)
})

it('a chat that begins in other words at every turn is told which message it is', async () => {
  const other = (turn: number): string => `${words(200, `memory${'abcdefghijklmnopqrstuvwxyz'[turn]}`)}\n`
  expect((await chat(other)).warnings).toContain('message 0 of the history is another one each time')
})
