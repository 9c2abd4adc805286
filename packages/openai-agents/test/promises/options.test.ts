import { Agent, MemorySession, OpenAIProvider } from '@openai/agents'
import { InvalidConfigurationError } from '@precis/core'
import { compactionFilter, compactionSession, compactionTools, modelSummarizer, withCompaction } from '@precis/openai-agents'
import { expect, it } from 'vitest'

it.each([null, 'gpt-5.2', 200_000])('options that are %s are refused, with what to write', (given) => {
  const options = given as never
  for (const make of [
    () => withCompaction(new OpenAIProvider({ apiKey: 'none' }), options),
    () => compactionFilter(options),
    () => compactionSession(new MemorySession(), options),
  ]) {
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(/options is .*; write \{ limits/)
  }
})

const provider = new OpenAIProvider({ apiKey: 'none' })

it.each([
  [undefined, 'modelSummarizer was given undefined; write modelSummarizer({ model }).'],
  ['gpt-5-mini', 'modelSummarizer was given "gpt-5-mini"; write modelSummarizer({ model }).'],
  [{ getResponse: async () => undefined }, 'modelSummarizer was given an object with getResponse; write modelSummarizer({ model }).'],
  [{ model: 'gpt-5-mini' }, 'model is "gpt-5-mini"; expected a model: await provider.getModel(\'gpt-5-mini\').'],
  [{ model: provider.getModel('gpt-5-mini') }, 'model is a promise that nobody awaited; expected a model'],
  [{ model: provider }, 'model is an object of the class OpenAIProvider; expected a model'],
])('a summarizer without a model is refused when it is made: %#', (given, said) => {
  expect(() => modelSummarizer(given as never)).toThrow(InvalidConfigurationError)
  expect(() => modelSummarizer(given as never)).toThrow(said)
})

it('what is no model, no session and no store is called what it is', () => {
  expect(() => withCompaction(new Agent({ name: 'own' }))).toThrow('model is an object of the class Agent; expected a provider such as new OpenAIProvider()')
  expect(() => withCompaction({ model: provider, limits: {} })).toThrow('model is an object with model, limits; write (model, options)')
  expect(() => withCompaction(provider, Promise.resolve({}) as never)).toThrow('options is a promise; write await loadConfig(…), say.')
  expect(() => withCompaction(provider, { limits: { contextWindow: 8_000, maxOutputTokens: 500 } } as never)).toThrow('write maxOutput.')
  expect(() => compactionTools(withCompaction(provider) as never)).toThrow('write compactionTools(sessionOf(wrapped))')
  expect(() => compactionSession('chat-1' as never)).toThrow('store is "chat-1"; expected a session such as new MemorySession().')
})
