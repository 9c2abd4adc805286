import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction, modelSummarizer } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, expect, it } from 'vitest'

// Two conversations begin alike. The summarizer rides on the last request, and writes down all that it is shown.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const turn = (at: number, more = ''): ModelMessage[] => [
  { role: 'user', content: `Look at room ${at}.${more}` },
  { role: 'assistant', content: `Room ${at}: ${Array.from({ length: 120 }, (_, word) => `shelf${(word * 7 + at) % 97}`).join(' ')}.` },
]
const shared = Array.from({ length: 24 }, (_, at) => turn(at)).flat()
const sections = ['Session Intent', 'Current Task', 'Files Modified', 'Files Read', 'Key Decisions', 'Failed Approaches', 'Errors Encountered', 'Next Steps']
const names = /\b[A-Z]\w+feather\b/g

it('what one conversation says behind what its summary speaks for is not in the summary that another is shown', async () => {
  const written: string[] = []
  provider = await strictProvider({
    window: 100_000,
    model: (prompt) => {
      if (prompt.at(-1)?.text.includes('Write the memory now') !== true) return { text: 'Good.', calls: [] }
      const all = prompt.map((entry) => entry.text).join('\n')
      written.push(all)
      return { text: sections.map((title) => `## ${title}\nrooms ${all.match(names)?.join(' ') ?? ''}`).join('\n'), calls: [] }
    },
  })
  const model = createOpenAICompatible({ name: 'strict', baseURL: provider.url, apiKey: 'none' })('strict')
  const compaction = createCompaction({
    limits: { contextWindow: 8_000, maxOutput: 400 },
    storage: memoryStorage(),
    summarizer: modelSummarizer({ model, ride: { generateText } }),
    policy: { summary: { request: 'prefix', grounding: 'off' } },
  })
  const ask = async (messages: ModelMessage[]): Promise<string> => {
    await generateText({ model, messages, prepareStep: compaction.prepareStep(), maxRetries: 0 })
    return JSON.stringify(provider?.requests.at(-1)?.prompt)
  }
  const question: ModelMessage = { role: 'user', content: 'And now?' }
  const alice = await ask([...shared, ...turn(90, ' Tell nobody about Mrs. Quillfeather.'), question])
  expect(written.length).toBeGreaterThan(0)
  expect(alice).toContain('## Session Intent')
  const bob = await ask([...shared, ...turn(91), question])
  expect(bob).toContain('## Session Intent')
  expect(bob).not.toContain('Quillfeather')
})
