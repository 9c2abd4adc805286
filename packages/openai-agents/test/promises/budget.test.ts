import { Agent, OpenAIProvider, Runner, run, setTracingDisabled } from '@openai/agents'
import { memoryStorage } from '@precis/core'
import { withCompaction } from '@precis/openai-agents'
import { createRandom, type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'

setTracingDisabled(true)
let open: StrictProvider | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})
const text = (seed: number, words: number): string => {
  const random = createRandom(seed + 1)
  return Array.from({ length: words }, () => `word${random.between(100, 9_999)}`).join(' ')
}
const input = [
  ...Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0
      ? { role: 'user' as const, content: text(at, 300) }
      : { role: 'assistant' as const, status: 'completed' as const, content: [{ type: 'output_text' as const, text: text(at, 300) }] },
  ),
  { role: 'user' as const, content: 'now?' },
]

describe.each([true, false])('responses: %s', (useResponses) => {
  const modelOf = async (window: number) => {
    open = await strictProvider({ window, model: () => ({ text: 'done', calls: [] }) })
    const client = new OpenAI({ apiKey: 'none', baseURL: open.url, maxRetries: 0 })
    return new OpenAIProvider({ openAIClient: client as never, useResponses }).getModel('strict')
  }
  it.each([false, true])('a prompt of several windows survives; streamed: %s', async (stream) => {
    const model = withCompaction(await modelOf(6_000), { storage: memoryStorage() })
    const agent = new Agent({ name: 'a', model, modelSettings: { maxTokens: 500 } })
    const result = stream ? await run(agent, input, { stream: true }) : await run(agent, input)
    if ('completed' in result) {
      for await (const _ of result) {
        // read to the end
      }
      await result.completed
    }
    expect(result.finalOutput).toBe('done')
    expect(open?.requests[0]?.inputTokens).toBeGreaterThan(18_000)
    expect(open?.requests.length).toBeLessThanOrEqual(4)
  })
  it.each([
    ['the SDK', { maxTokens: 60_000 }],
    ['the provider', { maxTokens: 100, providerData: useResponses ? { max_output_tokens: 60_000 } : { max_completion_tokens: 60_000, max_tokens: undefined } }],
  ])('a reply of half the window is kept free in full, in the words of %s', async (_whose, modelSettings) => {
    const model = withCompaction(await modelOf(80_000), { limits: { contextWindow: 80_000, maxInput: 80_000 } })
    const agent = new Agent({ name: 'a', model, modelSettings })
    expect((await new Runner().run(agent, [...input, { role: 'user', content: text(99, 3_000) }])).finalOutput).toBe('done')
    expect(open?.requests.map((request) => request.status)).toEqual([200])
  })
})
