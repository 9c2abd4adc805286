import { readUsage, withCompaction } from '@precis/ai-sdk'
import { type CompactionReport, memoryStorage } from '@precis/core'
import { MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test'
import { generateText } from 'ai-v5'
import { MockLanguageModelV2 } from 'ai-v5/test'
import { describe, expect, it } from 'vitest'

// Each specification version writes its usage another way. What the provider counted is what the next call goes by.

const counted = 9_000
const flat = { inputTokens: counted, outputTokens: 1, totalTokens: counted + 1, cachedInputTokens: 2_000 }
const nested = { inputTokens: { total: counted, noCache: 7_000, cacheRead: 2_000, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
const unified = { unified: 'stop', raw: 'stop' }
const versions = [
  ['v2', MockLanguageModelV2, flat, 'stop'],
  ['v3', MockLanguageModelV3, nested, unified],
  ['v4', MockLanguageModelV4, nested, unified],
] as const
const prompt = [{ role: 'user', content: [{ type: 'text', text: 'word '.repeat(5_000) }] }]
const streamOf = (parts: readonly unknown[]) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

describe.each(versions)('a model of %s', (version, Mock, usage, finishReason) => {
  it.each(['generate', 'stream'] as const)('%s: its usage is learned, passes as it came, and the finish reason too', async (mode) => {
    const reports: CompactionReport[] = []
    const inner = new Mock({
      doGenerate: (async () => ({ content: [{ type: 'text', text: 'ok' }], finishReason, usage, warnings: [] })) as never,
      doStream: (async () => ({
        stream: streamOf([
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'ok' },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason, usage },
        ]),
      })) as never,
    })
    const model = withCompaction(inner, { limits: { contextWindow: 100_000 }, storage: memoryStorage(), onReport: (report) => reports.push(report) })
    expect(model.specificationVersion).toBe(version)
    const call = async (messages: readonly unknown[]): Promise<unknown> => {
      if (mode === 'generate') return model.doGenerate({ prompt: messages } as never)
      const parts: { type: string }[] = []
      const { stream } = (await model.doStream({ prompt: messages } as never)) as { stream: ReadableStream<{ type: string }> }
      for await (const part of stream as unknown as AsyncIterable<{ type: string }>) parts.push(part)
      return parts.find(({ type }) => type === 'finish')
    }
    expect(await call(prompt)).toMatchObject({ usage, finishReason })
    await call([...prompt, { role: 'assistant', content: [{ type: 'text', text: 'ok' }] }, { role: 'user', content: [{ type: 'text', text: 'And?' }] }])
    expect(reports.map(({ tokens }) => Math.round(tokens.before / 1_000))).toEqual([5, 9])
  })
})

it.each([
  ['Anthropic', { anthropic: { cacheCreationInputTokens: 6_000 } }],
  ['Bedrock', { bedrock: { stopSequence: null, usage: { cacheWriteInputTokens: 6_000 } } }],
])('version 5 states cached tokens of %s beside those of the prompt', async (_, providerMetadata) => {
  const usage = { inputTokens: 20, outputTokens: 1, totalTokens: 21, cachedInputTokens: 2_000 }
  const model = new MockLanguageModelV2({
    doGenerate: async () => ({ content: [{ type: 'text', text: 'ok' }], finishReason: 'stop', usage, warnings: [], providerMetadata }) as never,
  })
  const { steps } = await generateText({ model, prompt: 'Hi.' })
  const [step] = steps
  const read = readUsage(step?.usage, step?.providerMetadata)
  expect(read && read.input + read.cacheRead + read.cacheWrite).toBe(8_020)
})

it('a server that states only what its cache did not have is not believed: no prompt is larger than the window', async () => {
  const window = 8_000
  const sizes: number[] = []
  const inner = new MockLanguageModelV2({
    doGenerate: (async ({ prompt }: { prompt: unknown }) => {
      const size = Math.ceil(JSON.stringify(prompt).length / 4)
      const inputTokens = Math.max(10, size - (sizes.at(-1) ?? 0))
      sizes.push(size)
      return {
        content: [{ type: 'text', text: 'Noted. '.repeat(40) }],
        finishReason: 'stop',
        usage: { ...flat, inputTokens, cachedInputTokens: 0 },
        warnings: [],
      }
    }) as never,
  })
  const reports: CompactionReport[] = []
  const model = withCompaction(inner, { limits: { contextWindow: window, maxOutput: 500 }, onReport: (report) => reports.push(report) })
  const messages: { role: 'user' | 'assistant'; content: string }[] = []
  for (let turn = 0; turn < 50; turn++) {
    messages.push({ role: 'user', content: `Message ${turn}: ${`word${turn} of what it is about. `.repeat(35)}` })
    messages.push({ role: 'assistant', content: (await generateText({ model, messages })).text })
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(window)
  expect(reports.filter(({ outcome }) => outcome === 'summarized').length).toBeGreaterThan(1)
})

it('two calls of one session at once: each count is of its own prompt, whichever reply comes first', async () => {
  const reports: CompactionReport[] = []
  const inner = new MockLanguageModelV3({
    doGenerate: (async ({ prompt: asked }: { prompt: readonly { content: readonly { text: string }[] }[] }) => {
      const text = asked.map(({ content }) => content.map((part) => part.text).join('')).join('')
      // The long one takes its time.
      if (text.length > 20_000) await new Promise((resolve) => setTimeout(resolve, 20))
      const total = Math.ceil(text.length / 5) + 8
      return { content: [{ type: 'text', text: 'ok' }], finishReason: unified, usage: { ...nested, inputTokens: { total } }, warnings: [] }
    }) as never,
  })
  const model = withCompaction(inner, { session: 'chat-1', limits: { contextWindow: 100_000 }, onReport: (report) => reports.push(report) })
  const half = [{ role: 'user', content: [{ type: 'text', text: 'word '.repeat(3_000) }] }]
  await Promise.all([model.doGenerate({ prompt } as never), model.doGenerate({ prompt: half } as never)])
  await model.doGenerate({ prompt } as never)
  expect(Math.abs((reports[2]?.tokens.before ?? 0) - 5_008)).toBeLessThan(300)
})
