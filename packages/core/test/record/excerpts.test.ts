import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { builtInEstimator, type Excerpts, excerptsByName } from '../../src/index.ts'
import { endsOnly } from '../../src/record/excerpts/excerpts.ts'
import { count } from './setup.ts'

const log = Array.from({ length: 400 }, (_, line) => `${line} step of the build finished, nothing to report`).join('\n')
const texts = fc.oneof(fc.string({ maxLength: 2_000, unit: 'binary' }), fc.constant(log))
const kinds: readonly (readonly [string, Excerpts])[] = [
  ['endsOnly', endsOnly],
  ['excerptsByName', excerptsByName],
]

describe.each(kinds)('%s', (_, excerpts) => {
  const one = (text: string, tokens: number): string => finished(excerpts.one(text, tokens, builtInEstimator))
  const together = (all: readonly string[], tokens: number): readonly string[] =>
    finished(
      excerpts.together(
        all.map((text) => ({ text, isError: false })),
        tokens,
        builtInEstimator,
      ),
    )

  test('stays within its tokens', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 600 }), (text, tokens) => {
        const shown = one(text, tokens)
        expect(shown === text || count(shown) <= tokens).toBe(true)
      }),
    )
  })

  test('several texts share one budget, and each has its place', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), fc.integer({ min: 0, max: 600 }), (all, tokens) => {
        const shown = together(all, tokens)
        expect(shown).toHaveLength(all.length)
        expect(shown.reduce((sum, text) => sum + count(text), 0)).toBeLessThanOrEqual(tokens)
      }),
    )
  })

  test('what fits is shown whole; what is cut closes with how much', () => {
    expect(one('short', 50)).toBe('short')
    expect(one(log, 200)).toMatch(/\n\[\d+ of \d+ characters left out\]$/)
    expect(one(log, 3)).toBe('')
  })
})

test('endsOnly shows the beginning and the end, and cuts no character in two', () => {
  const shown = finished(endsOnly.one(log, 100, builtInEstimator))
  expect(shown.startsWith('0 step of the build')).toBe(true)
  expect(shown).toMatch(/nothing to report\n\[/)
  const faces = finished(endsOnly.one('😀'.repeat(2_000), 60, builtInEstimator))
  expect(faces).toBe(new TextDecoder().decode(new TextEncoder().encode(faces)))
})
