import { type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { createRandom } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, providers, sdkOf, type Wire } from '../majors.ts'

const { start, close } = providers()
afterEach(close)

interface Told {
  readonly text: PromiseLike<string> | string
  readonly response: PromiseLike<{ readonly messages: readonly object[] }> | { readonly messages: readonly object[] }
}

const wires: readonly Wire[] = ['openai', 'openai-responses', 'anthropic']
const ways = majors.flatMap((major) => wires.flatMap((wire) => [false, true].map((stream) => [major, wire, stream] as const)))

describe('a turn of look-ups alone: what is stored of it can be sent by any client', () => {
  it.each(ways)('%s, %s, streamed: %s', async (major, wire, stream) => {
    const { generateText, streamText, modelAt, tools, stopWhen } = await sdkOf(major)
    let [id, quiet] = [0, false]
    const provider = await start({
      window: 100_000,
      model: (_, declared) => {
        if (quiet || !declared.tools.includes('read_file')) return { text: 'It is KX-1.', calls: [] }
        return { text: '', thinking: `Thought ${++id}.`, calls: [{ id: `look_${++id}`, tool: 'precis_recall', input: '{"query":"vault code"}' }] }
      },
    })
    const random = createRandom(7)
    const words = (count: number): string => Array.from({ length: count }, () => random.pick(['harbor', 'orchard', 'lantern', 'meadow', 'granite'])).join(' ')
    const chat = Array.from({ length: 30 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: words(120) }))
    const asked = (model: unknown, messages: readonly object[]) => ({
      model,
      tools,
      stopWhen,
      messages,
      maxRetries: 0,
      maxOutputTokens: 300,
      ...(wire === 'anthropic' && { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } } }),
    })
    const ours = withCompaction(modelAt(wire, provider.url) as WrappableModel, { limits: { contextWindow: 6_000, maxOutput: 300 } })
    const question = [...chat, { role: 'user', content: 'What was the code?' }]
    const told = (stream ? streamText(asked(ours, question)) : await generateText(asked(ours, question))) as unknown as Told
    // Thoughts that were streamed cannot be taken back: something stands behind them.
    expect(await told.text).toBe(stream && wire !== 'openai' ? '…' : '')
    const { messages: news } = await told.response
    quiet = true
    for (const model of [modelAt(wire, provider.url), ours]) {
      const { text } = await generateText(asked(model, [{ role: 'user', content: 'Hello.' }, ...news, { role: 'user', content: 'And now?' }]))
      expect(text).toBe('It is KX-1.')
    }
    expect(id).toBeGreaterThan(2)
    expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
})
