import { Agent, type AgentInputItem, OpenAIProvider, Runner, tool } from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { type StrictProvider, strictProvider } from '@precis/testkit'
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

const said = (role: 'user' | 'assistant', text: string): AgentInputItem =>
  (role === 'user'
    ? { type: 'message', role, content: text }
    : { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text }] }) as AgentInputItem
const examples = Array.from({ length: 40 }, (_, at) => [said('user', `Example ${at}: ${words(at + 3)}`), said('assistant', `Answer ${at}.`)]).flat()

it('what one model looked up is not shown to another under other instructions', async () => {
  const inner = await new OpenAIProvider({ apiKey: 'none', baseURL: await open(), useResponses: true }).getModel('strict')
  const model = withCompaction(inner, { limits })
  const parameters = { type: 'object' as const, properties: {}, required: [], additionalProperties: true as const }
  const weigh = tool({ name: 'weigh', description: 'Weighs.', parameters, strict: false, execute: () => '' })
  const ask = (name: string, more: readonly AgentInputItem[] = []) =>
    new Runner({ tracingDisabled: true }).run(new Agent({ name: 'helper', model, instructions: of(name), tools: [weigh] }), [
      ...examples,
      said('user', question),
      ...more,
    ])
  const why = [said('assistant', 'The third.'), said('user', 'Why?')]
  await ask('Quillfeather')
  const begun = provider?.requests.length ?? 0
  expect(begun).toBe(2)
  await ask('Bob')
  await ask('Bob', why)
  expect(isNamed(begun)).toEqual([false, false])
  await ask('Quillfeather', why)
  expect(JSON.stringify(provider?.requests.at(-1)?.prompt)).toContain('example for Quillfeather')
})
