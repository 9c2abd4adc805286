import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { fakeSummarizer } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { majors, providers, sdkOf } from '../majors.ts'

// What users' programs died of, with nothing but the line around the model.

const open = providers()
afterEach(open.close)

const words = (seed: number, count = 160): string => Array.from({ length: count }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const refused = (provider: { readonly requests: readonly { readonly status: number }[] }) => provider.requests.filter(({ status }) => status !== 200).length

describe.each(majors)('%s', (major) => {
  it.each([1.3, 1.5])('a chat of single steps, with a tokenizer at %f times ours', async (skew) => {
    const { generateText, modelAt } = await sdkOf(major)
    const provider = await open.start({ window: 16_000, maxOutput: 500, skew, model: () => ({ text: words(7), calls: [] }) })
    const model = withCompaction(modelAt('openai', provider.url) as never, { limits: { contextWindow: 16_000, maxOutput: 500 } })
    const messages: ModelMessage[] = []
    for (let turn = 0; turn < 80; turn++) {
      messages.push({ role: 'user', content: `Question ${turn}: ${words(turn + 3)}` })
      const { text } = await generateText({ model, messages, maxRetries: 0, maxOutputTokens: 500 })
      messages.push({ role: 'assistant', content: text })
    }
    expect(refused(provider)).toBe(0)
    expect(provider.requests.length).toBeLessThan(120)
  })

  it('forty zod tools and a long system prompt count', async () => {
    const { generateText, modelAt } = await sdkOf(major)
    const tools = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `tool_${at}`,
        {
          description: `Does ${words(at + 3, 40)}.`,
          inputSchema: z.object({ path: z.string().describe(words(at + 5, 30)), mode: z.enum(['a', 'b', 'c']), depth: z.number().describe(words(at + 7, 20)) }),
          execute: async () => 'done',
        },
      ]),
    )
    const provider = await open.start({ window: 32_000, maxOutput: 500, model: () => ({ text: words(7), calls: [] }) })
    const model = withCompaction(modelAt('openai', provider.url) as never, { limits: { contextWindow: 32_000, maxOutput: 500 } })
    const system = `You are helpful. ${words(11, 4_000)}`
    const messages: ModelMessage[] = []
    for (let turn = 0; turn < 80; turn++) {
      messages.push({ role: 'user', content: `Question ${turn}: ${words(turn + 3)}` })
      await generateText({ model, system, messages, tools, maxRetries: 0, maxOutputTokens: 500 })
      messages.push({ role: 'assistant', content: words(7) })
    }
    expect(refused(provider)).toBe(0)
    expect(provider.requests.length).toBeGreaterThan(79)
  })

  it('a chat without an id, whose model is wrapped anew for every request: as many summaries and folders as with one', async () => {
    const { generateText, modelAt } = await sdkOf(major)
    const paid = async (options: object): Promise<readonly [number, number]> => {
      const provider = await open.start({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
      const [storage, summarizer] = [memoryStorage(), fakeSummarizer()]
      const messages: ModelMessage[] = []
      for (let turn = 0; turn < 40; turn++) {
        messages.push({ role: 'user', content: `Question ${turn}: ${words(turn + 3)}` })
        const model = withCompaction(modelAt('openai', provider.url) as never, {
          limits: { contextWindow: 6_000, maxOutput: 500 },
          storage,
          summarizer,
          ...options,
        })
        await generateText({ model, messages: structuredClone(messages), maxRetries: 0 })
        messages.push({ role: 'assistant', content: `Answer ${turn}. ${words(turn + 7)}` })
      }
      const folders = new Set<string>()
      for await (const key of storage.list('')) folders.add(key.split('/').slice(0, 2).join('/'))
      return [summarizer.requests.length, folders.size]
    }
    const [calls, folders] = await paid({ session: 'chat' })
    expect(calls).toBeGreaterThan(1)
    const unnamed = await paid({})
    expect(unnamed[0]).toBeLessThanOrEqual(calls + 1)
    expect(unnamed[1]).toBeLessThanOrEqual(folders + 1)
    // Nor does it cost more where nobody gave a storage: what is wrapped alike shares one.
    expect((await paid({ session: 'chat', storage: undefined }))[0]).toBe(calls)
    expect((await paid({ storage: undefined }))[0]).toBe(unnamed[0])
  })

  it('of ten chats that begin alike none waits for the summary of another, nor fails with it', async () => {
    const { generateText, modelAt } = await sdkOf(major)
    const provider = await open.start({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
    const good = fakeSummarizer()
    let [under, most] = [0, 0]
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const summarizer: typeof good = {
      ...good,
      async summarize(request, context) {
        most = Math.max(most, ++under)
        if (under === 10) release()
        await gate
        under--
        if (JSON.stringify(request).includes('chat 0 ')) throw new Error('this one fails')
        return good.summarize(request, context)
      },
    }
    const outcomes: string[] = []
    const model = withCompaction(modelAt('openai', provider.url) as never, {
      limits: { contextWindow: 6_000, maxOutput: 500 },
      summarizer,
      onReport: ({ outcome }) => outcomes.push(outcome),
    })
    const chat = (at: number): ModelMessage[] => [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'How can I help?' },
      ...Array.from(
        { length: 40 },
        (_, turn): ModelMessage => ({
          role: turn % 2 === 0 ? 'user' : 'assistant',
          content: `chat ${at} ${turn}: ${words(turn + at + 3)}`,
        }),
      ),
      { role: 'user', content: 'Go on.' },
    ]
    await Promise.all(Array.from({ length: 10 }, (_, at) => generateText({ model, messages: chat(at), maxRetries: 0 })))
    expect(most).toBe(10)
    expect(outcomes.filter((outcome) => outcome === 'summarized')).toHaveLength(9)
  })

  it('an aborted request does not wait for its summary', async () => {
    const { generateText, modelAt } = await sdkOf(major)
    const provider = await open.start({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
    const stop = new AbortController()
    const summarizer = {
      name: 'never',
      window: 100_000,
      summarize: () => {
        stop.abort()
        return new Promise<never>(() => undefined)
      },
    }
    const model = withCompaction(modelAt('openai', provider.url) as never, { limits: { contextWindow: 6_000, maxOutput: 500 }, summarizer })
    const messages = Array.from({ length: 41 }, (_, at): ModelMessage => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: words(at + 3) }))
    await expect(generateText({ model, messages, maxRetries: 0, abortSignal: stop.signal })).rejects.toThrow(/abort/i)
    expect(provider.requests).toEqual([])
  })
})
