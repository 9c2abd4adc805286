import { builtInEstimator } from '@precis/core'
import { expect, it } from 'vitest'
import { writeFromFacts } from '../../src/summary/deterministic.ts'

const write = (maxTokens: number, texts: readonly string[]): string =>
  writeFromFacts(
    {
      style: 'structured',
      system: '',
      prompt: '',
      maxTokens,
      requiredSections: [],
      facts: texts.map((text, at) => ({ kind: 'decision', text, sources: [at] })),
    },
    (text) => builtInEstimator.count(text),
  )

it('a summary of facts has no section about which code knows nothing: that nothing failed is not known', () => {
  expect(write(1_000, ['Chose Redis because it is there.'])).toBe('## Key Decisions\n- Chose Redis because it is there.')
  expect(write(1_000, [])).toBe('')
})

it('stays within its tokens, with a heading only where something follows it', () => {
  for (let tokens = 0; tokens < 60; tokens++) {
    const text = write(tokens, ['Chose Redis because it is there.', 'Kept Node 20 instead of 22.'])
    expect(text === '' || builtInEstimator.count(text) <= tokens).toBe(true)
    expect(text).not.toMatch(/^## .*$(?!\n- )/m)
  }
})
