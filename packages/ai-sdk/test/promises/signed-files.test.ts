import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, expect, it } from 'vitest'

// Two people ask the same of a picture. A host of their own keeps the pictures: a parameter of the signed URL names the file.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const rest = Array.from({ length: 30 }, (_, at): ModelMessage[] => [
  { role: 'assistant', content: `Part ${at}: ${Array.from({ length: 120 }, (_, word) => `cell${(word * 7 + at) % 97}`).join(' ')}.` },
  { role: 'user', content: `Look at part ${at + 1} of it.` },
]).flat()
const about = (url: string): ModelMessage[] => [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What does the picture show?' },
      { type: 'file', data: new URL(url), mediaType: 'image/png' },
    ],
  },
  ...rest,
]

it.each([
  ['another file', 'token=alice&sig=a1', 'token=bob&sig=b1', 2],
  ['the same file, signed anew', 'token=alice&sig=a1', 'token=alice&sig=a2', 1],
])('%s: the summaries that are written', async (_, first, second, written) => {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'Good.', calls: [] }) })
  let count = 0
  const summarizer = {
    name: 'counts',
    window: 100_000,
    summarize: (request: { readonly requiredSections: readonly string[] }) => {
      count++
      return Promise.resolve({ text: request.requiredSections.map((title) => `## ${title}\nIt is picture ${count}.`).join('\n'), finish: 'stop' as const })
    },
  }
  const inner = createOpenAI({ baseURL: provider.url, apiKey: 'none' }).chat('strict')
  const model = withCompaction(inner, { limits: { contextWindow: 8_000, maxOutput: 400 }, summarizer })
  for (const query of [first, second]) {
    await generateText({ model, messages: about(`https://files.example/show?${query}`), maxRetries: 0 })
    expect(JSON.stringify(provider.requests.at(-1)?.prompt)).toContain('context-summary')
  }
  expect(count).toBe(written)
  expect(JSON.stringify(provider.requests.at(-1)?.prompt)).toContain(`It is picture ${written}.`)
})
