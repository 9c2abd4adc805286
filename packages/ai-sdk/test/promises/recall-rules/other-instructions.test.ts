import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, jsonSchema, type ModelMessage, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'

// Two people are served after the same long beginning. What is said of each stands in the instructions alone, and in what their model looks up.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const words = (seed: number): string => Array.from({ length: 120 }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const limits = { contextWindow: 8_000, maxOutput: 400 }
const question = 'Which example fits me best?'
const of = (name: string): string => `You help ${name}.`
/** A model that looks up examples for the name in its instructions, once. */
const open = async (): Promise<string> => {
  const looked = new Set<string>()
  provider = await strictProvider({
    window: 100_000,
    model: (prompt, { tools }) => {
      const [, name = ''] = /You help (\w+)\./.exec(prompt.map(({ text }) => text).join(' ')) ?? []
      if (name !== 'Quillfeather' || looked.has(name) || !tools.includes('precis_recall')) return { text: 'The third.', calls: [] }
      looked.add(name)
      return { text: '', calls: [{ id: 'look', tool: 'precis_recall', input: JSON.stringify({ query: `example for ${name}` }) }] }
    },
  })
  return provider.url
}
const isNamed = (from: number): readonly boolean[] => provider?.requests.slice(from).map(({ prompt }) => JSON.stringify(prompt).includes('Quillfeather')) ?? []

const examples = Array.from({ length: 40 }, (_, at): ModelMessage[] => [
  { role: 'user', content: `Example ${at}: ${words(at + 3)}` },
  { role: 'assistant', content: `Answer ${at}.` },
]).flat()

it('what one model looked up is not shown to another under other instructions', async () => {
  const inner = createOpenAICompatible({ baseURL: await open(), apiKey: 'none', name: 'strict' })('strict')
  const model = withCompaction(inner, { limits })
  const tools = { weigh: tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }), execute: () => '' }) }
  const ask = (name: string, more: readonly ModelMessage[] = []) =>
    generateText({ model, system: of(name), messages: [...examples, { role: 'user', content: question }, ...more], tools, maxRetries: 0 })
  const why: ModelMessage[] = [
    { role: 'assistant', content: 'The third.' },
    { role: 'user', content: 'Why?' },
  ]
  await ask('Quillfeather')
  const begun = provider?.requests.length ?? 0
  expect(begun).toBe(2)
  await ask('Bob')
  await ask('Bob', why)
  expect(isNamed(begun)).toEqual([false, false])
  await ask('Quillfeather', why)
  expect(JSON.stringify(provider?.requests.at(-1)?.prompt)).toContain('example for Quillfeather')
})

it('under a name, what was looked up stays when the instructions change', async () => {
  const inner = createOpenAICompatible({ baseURL: await open(), apiKey: 'none', name: 'strict' })('strict')
  const model = withCompaction(inner, { limits })
  const tools = { weigh: tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }), execute: () => '' }) }
  const ask = (system: string, more: readonly ModelMessage[] = []) =>
    generateText({
      model,
      system,
      messages: [...examples, { role: 'user', content: question }, ...more],
      tools,
      maxRetries: 0,
      providerOptions: { precis: { session: 'quillfeather' } },
    })
  await ask(of('Quillfeather'))
  await ask('You help whoever asks.', [
    { role: 'assistant', content: 'The third.' },
    { role: 'user', content: 'Why?' },
  ])
  expect(JSON.stringify(provider?.requests.at(-1)?.prompt)).toContain('example for Quillfeather')
})
