import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shareOf } from '../../src/budget/share.ts'

const tokens = fc.integer({ min: 0, max: 1_000_000 })
const weights = fc.double({ min: 0.1, max: 10, noNaN: true })

describe('dividing room between two parts', () => {
  it('gives each as much as its next token is worth, and no more than it can use', () => {
    expect(shareOf(1_000, 1, 9_999, 9_999)).toBe(500)
    expect(shareOf(1_000, 3, 9_999, 9_999)).toBe(750)
    expect(shareOf(1_000, 3, 200, 9_999)).toBe(200)
    expect(shareOf(1_000, 3, 9_999, 100)).toBe(900)
    expect(shareOf(-50, 3, 9_999, 9_999)).toBe(0)
  })

  it('no token would be worth more in the other part', () => {
    fc.assert(
      fc.property(tokens, weights, tokens, tokens, (room, weight, most, others) => {
        const first = shareOf(room, weight, most, others)
        const second = Math.min(others, room - first)
        expect(first).toBeLessThanOrEqual(Math.min(room, most))
        // Nothing is left over that one of them could use.
        expect(first + second).toBeGreaterThanOrEqual(Math.min(room, most + others) - 1)
        // Worth of the next token: weight ÷ tokens there are. One of rounding is allowed.
        if (first < most && second > 0) expect(weight / (first + 1)).toBeLessThanOrEqual(1 / Math.max(1e-9, second - 1) + 1e-9)
        if (second < others && first > 0) expect(1 / (second + 1)).toBeLessThanOrEqual(weight / Math.max(1e-9, first - 1) + 1e-9)
      }),
      { numRuns: 2_000, seed: 7 },
    )
  })
})
