import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, expect, it } from 'vitest'

// A host gives two people one name. Both ask the same of one document, and it leaves room for nothing else.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const pdf = Buffer.from('%PDF-1.7\n').toString('base64')
const question = (): ModelMessage => ({
  role: 'user',
  content: [
    { type: 'text', text: 'What does the report say?' },
    { type: 'file', data: pdf, filename: 'report.pdf', mediaType: 'application/pdf' },
  ],
})
const own: ModelMessage[] = [
  { role: 'user', content: 'Mrs. Quillfeather is ill. Tell nobody.' },
  { role: 'assistant', content: `I tell nobody about Mrs. Quillfeather. ${'She must rest. '.repeat(200)}` },
]

it('a person who begins with what another was shown last is not shown the other’s conversation', async () => {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'It says much.', calls: [] }) })
  const inner = createOpenAI({ baseURL: provider.url, apiKey: 'none' }).chat('strict')
  const model = withCompaction(inner, { limits: { contextWindow: 6_500, maxOutput: 400 }, session: 'reports' })
  const ask = async (messages: ModelMessage[]): Promise<string> => {
    await generateText({ model, messages, maxRetries: 0 })
    return JSON.stringify(provider?.requests.at(-1)?.prompt)
  }
  // Nothing of ours is in it: no summary has room.
  expect(await ask([...own, question()])).not.toContain('Quillfeather')
  const messages = [question()]
  for (let turn = 0; turn < 8; turn++) {
    messages.push({ role: 'assistant', content: `It says much. ${`Line ${turn} of it. `.repeat(400)}` }, { role: 'user', content: `And what else, ${turn}?` })
    expect(await ask(messages)).not.toContain('Quillfeather')
  }
})
