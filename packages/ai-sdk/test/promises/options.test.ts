import { createCompaction, type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { InvalidConfigurationError, memoryStorage } from '@precis/core'
import { generateText, type LanguageModel, wrapLanguageModel } from 'ai'
import { expect, it } from 'vitest'

const model: WrappableModel = {
  specificationVersion: 'v3',
  provider: 'own',
  modelId: 'own',
  doGenerate: async () => ({ content: [{ type: 'text', text: 'done' }], finishReason: 'stop', usage: {}, warnings: [] }),
  doStream: async () => ({ stream: new ReadableStream() }),
}

it.each([null, 'gpt-5.2', 200_000])('options that are %s are refused, with what to write', (options) => {
  for (const make of [() => withCompaction(model, options as never), () => createCompaction(options as never)]) {
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(/options is .*; write \{ limits/)
  }
})

it.each([null, 200_000, '200k'])('limits that are %s are refused, with what to write', (limits) => {
  const options = { limits } as never
  for (const make of [() => withCompaction(model, options), () => createCompaction(options)]) {
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(/limits is .*; write \{ contextWindow/)
  }
})

it('what is undefined stands for its default', async () => {
  const storage = memoryStorage()
  const secret = `pypi-AgEIcHlwaS5vcmc${'Q'.repeat(80)}`
  const limits = { contextWindow: 2_000, maxOutput: 200 }
  const own = withCompaction(model, { storage, limits, redact: undefined, recall: undefined, session: undefined, summarizer: undefined, onReport: undefined })
  const prompt = Array.from({ length: 30 }, (_, at) => ({
    role: 'user',
    content: [{ type: 'text', text: `${at}: the key is ${secret}. ${'More of it. '.repeat(30)}` }],
  }))
  await own.doGenerate({ prompt })
  let stored = ''
  for await (const key of storage.list('')) stored += (await storage.get(key))?.body
  expect(stored).toContain('the key is')
  expect(stored).not.toContain(secret)
})

it.each(['withCompaction', 'middleware'] as const)(
  'instructions that are larger than the window are called that, and pins are called pins: %s',
  async (how) => {
    const limits = { contextWindow: 8_000, maxOutput: 500 }
    const given = { ...model, specificationVersion: 'v4', supportedUrls: {} } as Exclude<LanguageModel, string | { readonly specificationVersion: 'v2' | 'v3' }>
    const own =
      how === 'middleware' ? wrapLanguageModel({ model: given, middleware: createCompaction({ limits }).middleware() }) : withCompaction(given, { limits })
    const long = 'Be kind. '.repeat(6_000)
    await expect(generateText({ model: own, instructions: long, prompt: 'Hi.', maxRetries: 0 })).rejects.toThrow(/the system prompt needs .* Shorten it/)
    const pinned = { role: 'user', content: long, providerOptions: { precis: { protected: true } } } as const
    const messages = [pinned, { role: 'assistant', content: 'Yes.' } as const, { role: 'user', content: 'Hi.' } as const]
    await expect(generateText({ model: own, instructions: 'Be kind.', messages, maxRetries: 0 })).rejects.toThrow(/what is pinned needs .* pinned messages/)
  },
)
