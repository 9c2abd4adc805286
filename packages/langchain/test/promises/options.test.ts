import { InvalidConfigurationError } from '@precis/core'
import { compaction, createCompactionNode, createCompactor, withCompaction } from '@precis/langchain'
import { expect, it } from 'vitest'
import { modelAt } from '../vaults.ts'

it.each([null, 'gpt-5.2', 200_000])('options that are %s are refused, with what to write', (given) => {
  const options = given as never
  for (const make of [
    () => withCompaction(modelAt('openai', 'http://127.0.0.1'), options),
    () => compaction(options),
    () => createCompactor(options),
    () => createCompactionNode(options),
  ]) {
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(/options is .*; write \{ limits/)
  }
})
