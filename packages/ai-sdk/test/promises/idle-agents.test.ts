import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, expect, it } from 'vitest'

// One process runs an agent for each of two people. Most of the time both find nothing to do, in the same words.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const ask: ModelMessage = { role: 'user', content: 'Look for new mail.' }
const looked = (id: string, found: string): ModelMessage[] => [
  ask,
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'inbox', input: { unread: true } }] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'inbox', output: { type: 'text', value: found } }] },
]
const nothing = `No new mail. ${Array.from({ length: 60 }, (_, at) => `folder${(at * 7) % 31}`).join(' ')}`
const idle = (turn: number): ModelMessage[] => [...looked(`c${turn}`, nothing), { role: 'assistant', content: 'Nothing new.' }]
const mail: ModelMessage[] = [
  ...looked('m', 'Dr. Weber: the result of Mrs. Quillfeather is there.'),
  { role: 'assistant', content: 'A mail says that the result of Mrs. Quillfeather is there.' },
  { role: 'user', content: 'Tell nobody about Mrs. Quillfeather.' },
  { role: 'assistant', content: 'I tell nobody about Mrs. Quillfeather.' },
]

it.each([
  ['without names', undefined],
  ['under one name', 'mail'],
])('two agents %s that find nothing for a long time: the mail that one had before is not shown to the other', async (_, session) => {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'Nothing new.', calls: [] }) })
  const inner = createOpenAICompatible({ baseURL: provider.url, apiKey: 'none', name: 'strict' })('strict')
  const model = withCompaction(inner, { limits: { contextWindow: 8_000, maxOutput: 400 }, session })
  const run = async (before: readonly ModelMessage[], turns: number): Promise<readonly string[]> => {
    const begun = provider?.requests.length
    const messages = [...before]
    for (let turn = 0; turn < turns; turn++) {
      messages.push(...idle(turn))
      await generateText({ model, messages: [...messages, ask], maxRetries: 0 })
    }
    return provider?.requests.slice(begun).map(({ prompt }) => JSON.stringify(prompt)) ?? []
  }
  const alice = await run([...idle(-1), ...mail], 50)
  expect(alice.at(-1)).toContain('context-summary')
  expect(alice.at(-1)).toContain('Quillfeather')
  const bob = await run([], 50)
  expect(bob.at(-1)).toContain('context-summary')
  expect(bob.filter((prompt) => prompt.includes('Quillfeather'))).toEqual([])
})
