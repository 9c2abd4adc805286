import { createCompaction, type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { InvalidConfigurationError, memoryStorage } from '@precis/core'
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
