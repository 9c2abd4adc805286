import { Agent, type AgentInputItem, OpenAIChatCompletionsModel, OpenAIProvider, Runner, run } from '@openai/agents'
import { memoryStorage } from '@precis/core'
import { withCompaction } from '@precis/openai-agents'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, expect, it } from 'vitest'

// One name, two servers: what the small one refuses says nothing of the large one.

const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})
const server = async (window: number): Promise<StrictProvider> => {
  const made = await strictProvider({ window, model: () => ({ text: 'ok', calls: [] }) })
  open.push(made)
  return made
}
const words = Array.from({ length: 160 }, (_, at) => `word${at % 89}`).join(' ')
const told = (count: number): AgentInputItem[] =>
  [
    ...Array.from({ length: count }, (_, at): unknown =>
      at % 2 === 0
        ? { type: 'message', role: 'user', content: `${at}: ${words}` }
        : { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: `${at}: ${words}` }] },
    ),
    { type: 'message', role: 'user', content: 'And now?' },
  ] as AgentInputItem[]
const refusals = ({ requests }: StrictProvider): number => requests.filter(({ status }) => status !== 200).length

it.each([
  ['of the Responses API', true],
  ['of Chat Completions, where the SDK hides the URL and the option says it', false],
])('the small one refuses until it is believed, and the large one is not held to its window: models %s', async (_, useResponses) => {
  const [small, large] = [await server(6_000), await server(100_000)]
  const storage = memoryStorage()
  const runnerOf = ({ url }: StrictProvider): Runner =>
    new Runner({
      tracingDisabled: true,
      modelProvider: withCompaction(new OpenAIProvider({ apiKey: 'sk-own', baseURL: url, useResponses }), {
        storage,
        session: 's',
        limits: () => undefined,
        ...(!useResponses && { endpoint: url }),
      }),
    })
  const agent = new Agent({ name: 'reader', model: 'own-gpt' })
  const [little, much] = [runnerOf(small), runnerOf(large)]
  // The same conversation, which grows by as much as the small one holds, and on.
  const turns = [
    [little, 40],
    [much, 80],
    [little, 82],
    [much, 120],
    [little, 122],
    [much, 160],
  ] as const
  for (const [send, count] of turns) await send.run(agent, told(count))
  // Those of the Responses API state no number: it takes two of them.
  expect(refusals(small)).toBe(useResponses ? 2 : 1)
  expect(refusals(large)).toBe(0)
  for (const { inputTokens } of large.requests) expect(inputTokens).toBeGreaterThan(7_000)
  const stored = (await storage.get('sessions/s/state.json'))?.body ?? ''
  expect(stored).toContain('"endpoint":"')
  for (const part of ['sk-own', '127.0.0.1', 'localhost']) expect(stored).not.toContain(part)
})

it('a model that hides its name is refused once, though a new process begins with every second turn', async () => {
  const small = await server(6_500)
  const client = new OpenAI({ apiKey: 'sk-own', baseURL: small.url, maxRetries: 0 })
  const storage = memoryStorage()
  for (let count = 2; count <= 120; count += 4) {
    const model = withCompaction(new OpenAIChatCompletionsModel(client as never, 'own-gpt'), { storage, session: 's' })
    for (const more of [0, 2]) await run(new Agent({ name: 'reader', model }), told(count + more))
  }
  expect(refusals(small)).toBe(1)
})
