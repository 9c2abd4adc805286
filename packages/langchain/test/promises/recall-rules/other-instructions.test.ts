import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
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

const examples = Array.from({ length: 40 }, (_, at) => [new HumanMessage(`Example ${at}: ${words(at + 3)}`), new AIMessage(`Answer ${at}.`)]).flat()
const weigh = tool(async () => '', { name: 'weigh', description: 'Weighs.', schema: { type: 'object', properties: {} } })
const asked = (more: readonly BaseMessage[]): BaseMessage[] => [...examples, new HumanMessage(question), ...more]

it.each(['a wrapped model', 'an agent'])('what one model looked up is not shown to another under other instructions: %s', async (kind) => {
  const inner = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: await open() }, maxRetries: 0 })
  const model = withCompaction(inner, { limits }).bindTools([weigh])
  const middleware = [compaction({ limits })]
  const ask = async (name: string, more: readonly BaseMessage[] = []): Promise<void> => {
    if (kind === 'a wrapped model') await model.invoke([new SystemMessage(of(name)), ...asked(more)])
    else await createAgent({ model: inner, tools: [weigh], middleware, systemPrompt: of(name) }).invoke({ messages: asked(more) })
  }
  const why = [new AIMessage('The third.'), new HumanMessage('Why?')]
  await ask('Quillfeather')
  const begun = provider?.requests.length ?? 0
  expect(begun).toBe(2)
  await ask('Bob')
  await ask('Bob', why)
  expect(isNamed(begun)).toEqual([false, false])
  await ask('Quillfeather', why)
  expect(JSON.stringify(provider?.requests.at(-1)?.prompt)).toContain('example for Quillfeather')
})
