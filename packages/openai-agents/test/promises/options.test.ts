import { MemorySession, OpenAIProvider } from '@openai/agents'
import { InvalidConfigurationError } from '@precis/core'
import { compactionFilter, compactionSession, withCompaction } from '@precis/openai-agents'
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
