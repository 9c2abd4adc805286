import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, expect, it } from 'vitest'

// A model has looked something up. Then a person attaches what is thought to fill the window, and may not.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const words = (seed: number): string => Array.from({ length: 120 }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const limits = { contextWindow: 8_000, maxOutput: 400 }
const examples = Array.from({ length: 40 }, (_, at) => [new HumanMessage(`Example ${at}: ${words(at + 3)}`), new AIMessage(`Answer ${at}.`)]).flat()
const weigh = tool(async () => '', { name: 'weigh', description: 'Weighs.', schema: { type: 'object', properties: {} } })
const base64 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('base64')
const attached = new HumanMessage({
  content: [
    { type: 'text', text: 'And what is this?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${base64('\x89PNG\r\n\x1a\n1')}` } },
    { type: 'file', source_type: 'base64', mime_type: 'application/pdf', data: base64('%PDF-1.7\n'), metadata: { filename: 'report.pdf' } },
  ],
})

it.each(['a wrapped model', 'an agent'])('what was looked up before gives way to a document: %s', async (kind) => {
  let looked = false
  provider = await strictProvider({
    window: 100_000,
    model: (_, { tools }) => {
      if (looked || !tools.includes('precis_recall')) return { text: 'The third.', calls: [] }
      looked = true
      return { text: '', calls: [{ id: 'look', tool: 'precis_recall', input: JSON.stringify({ query: 'Example 3' }) }] }
    },
  })
  const inner = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: provider.url }, maxRetries: 0 })
  const model = withCompaction(inner, { limits }).bindTools([weigh])
  const agent = createAgent({ model: inner, tools: [weigh], middleware: [compaction({ limits })] })
  const first = [...examples, new HumanMessage('Which example fits me best?')]
  for (const messages of [first, [...first, new AIMessage('The third.'), attached]])
    await (kind === 'a wrapped model' ? model.invoke(messages) : agent.invoke({ messages }))
  expect(looked).toBe(true)
  const newest = provider.requests.at(-1)
  expect(newest?.status).toBe(200)
  expect(newest?.prompt.at(-1)?.text).toContain('And what is this?')
})
