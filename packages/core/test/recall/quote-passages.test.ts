import { user } from '@precis/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { builtInEstimator } from '../../src/index.ts'
import { quotePassages } from '../../src/recall/quote-passages.ts'

it('what overlaps is quoted once and whole, in whatever order it was found, also where it is too long to be one', () => {
  const words = Array.from({ length: 1_000 }, (_, at) => `w${at}`)
  const history = [user(words.join(' '))]
  const length = 400
  const places = fc.uniqueArray(fc.nat({ max: 8 }), { minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(places, (order) => {
      const found = order.map((place) => ({
        number: 0,
        segment: 0,
        start: place * length,
        end: (place + 1) * length,
        score: 1,
        share: 1,
        rarity: 1,
        counts: new Map([[place, 1]]),
      }))
      const { text, shown } = quotePassages(history, found, { preface: '', most: 9, tokens: 4_000, estimator: builtInEstimator })
      const spans = [...text.matchAll(/^\[message 0, user, characters (\d+)–(\d+)/gm)].map(([, start, end]) => [Number(start) - 1, Number(end)] as const)
      expect(spans).toHaveLength(shown)
      for (const [at, [start]] of spans.entries()) expect(start).toBeGreaterThanOrEqual(spans[at - 1]?.[1] ?? 0)
      const isQuoted = (character: number): boolean => spans.some(([start, end]) => character >= start && character < end)
      for (const { start, end } of found) for (let character = start; character < end; character++) expect(isQuoted(character)).toBe(true)
    }),
    { numRuns: 60 },
  )
})
