import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { compactionTools, createCompaction } from '@precis/ai-sdk'
import { createArchive, memoryStorage } from '@precis/core'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, expect, it } from 'vitest'

// Nobody names the conversations of two people that begin alike. What left their contexts is on record.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const words = (seed: number): string => Array.from({ length: 150 }, (_, at) => `word${(at * seed) % 97}`).join(' ')
const turn = (question: string, seed: number): ModelMessage[] => [
  { role: 'user', content: `${question} ${words(seed)}` },
  { role: 'assistant', content: `Answered. ${words(seed + 1)}` },
]
const shared = Array.from({ length: 8 }, (_, at) => turn(`Example ${at}:`, at + 3)).flat()
const of = (name: string): ModelMessage[] => [...shared, ...Array.from({ length: 14 }, (_, at) => turn(`${name} asks ${at}.`, at + 5)).flat()]

it('recall_history finds what the person said, and nothing that another did', async () => {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'Good.', calls: [] }) })
  const model = createOpenAICompatible({ name: 'strict', baseURL: provider.url, apiKey: 'none' })('strict')
  const storage = memoryStorage()
  const compaction = createCompaction({ limits: { contextWindow: 8_000, maxOutput: 400 }, storage, archive: createArchive(storage) })
  const all = { Quillfeather: of('Quillfeather'), Bob: of('Bob') }
  for (let end = shared.length; end < 40; end += 2)
    for (const messages of Object.values(all))
      await generateText({
        model,
        messages: [...messages.slice(0, end), { role: 'user', content: 'Go on.' }],
        prepareStep: compaction.prepareStep(),
        maxRetries: 0,
      })
  for (const [name, messages] of Object.entries(all)) {
    const session = compaction.compactor.conversation([...messages.slice(0, 38), { role: 'user', content: 'Go on.' }])
    const find = async (query: string): Promise<unknown> =>
      compactionTools(session)['recall_history']?.execute?.({ query }, { toolCallId: 'x', messages: [] } as never)
    expect(await find(`${name} asks 3.`)).toContain(`user: ${name} asks 3.`)
    for (const other of Object.keys(all)) if (other !== name) expect(await find(`${other} asks 3.`)).not.toContain(`${other} asks`)
  }
})
