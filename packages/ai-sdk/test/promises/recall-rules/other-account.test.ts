import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import type { StrictProvider } from '@precis/testkit'
import { isStepCount, type ModelMessage, streamText } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { ask, asked, close, limits, look, refusals, scripted, start, tools } from './setup.ts'

afterEach(close)

/** Two accounts behind one address. What one of them stores, the other one has not. */
const modelOf = ({ url }: StrictProvider, apiKey: string, storage: ReturnType<typeof memoryStorage>) => {
  const base = 'http://house.test/v1'
  const client = createOpenAI({ apiKey, baseURL: base, fetch: (input, init) => fetch(String(input).replace(base, url), init) })
  return withCompaction(client.responses('strict'), { limits, storage })
}
const answers = () =>
  scripted(
    () => ({ calls: [look()] }),
    () => ({ text: 'It is known.' }),
  )
const streamed = async (model: ReturnType<typeof modelOf>, messages: readonly ModelMessage[]) => {
  const result = streamText({ model, messages: [...messages], tools, stopWhen: isStepCount(8), maxRetries: 0, maxOutputTokens: 500 })
  return { text: await result.text }
}

it.each([
  ['whole', ask],
  ['streamed', streamed],
] as const)('another account goes on with a conversation that holds a look-up of the first, %s', async (_, send) => {
  const storage = memoryStorage()
  const [first, second] = [await start({ model: answers() }), await start({ model: answers() })]
  const { text } = await send(modelOf(first, 'one', storage), asked())
  const chat: ModelMessage[] = [...asked(), { role: 'assistant', content: text }, { role: 'user', content: 'And what else do you see there?' }]
  expect((await send(modelOf(second, 'two', storage), chat)).text).toBe('It is known.')
  // Asked once for an item that it has not, and never again.
  expect(refusals(second)).toEqual([expect.stringMatching(/^Item with id .* not found/)])
  await send(modelOf(second, 'two', storage), chat)
  expect(refusals(second)).toHaveLength(1)
})

it.each([
  ['whole', ask],
  ['streamed', streamed],
] as const)('an item of the agent’s own that its server has not is refused once, and costs no look-up that is remembered, %s', async (_, send) => {
  const storage = memoryStorage()
  const server = await start({ model: answers() })
  const { text } = await send(modelOf(server, 'one', storage), asked())
  const chatOf = (providerOptions: Record<string, { readonly itemId: string }>): ModelMessage[] => [
    ...asked(),
    { role: 'assistant', content: [{ type: 'text', text, providerOptions }] },
    { role: 'user', content: 'And what else do you see there?' },
  ]
  const lost = await send(modelOf(server, 'one', storage), chatOf({ openai: { itemId: 'msg_lost' } })).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(lost).toBeDefined()
  expect(refusals(server)).toEqual([expect.stringMatching(/^Item with id 'msg_lost' not found/)])
  await send(modelOf(server, 'one', storage), chatOf({}))
  expect(refusals(server)).toHaveLength(1)
  expect(JSON.stringify(server.requests.at(-1))).toContain('precis_recall')
})
