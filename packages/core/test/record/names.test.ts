import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compoundWords, traitsOf } from '../../src/record/name-reuse.ts'
import { nameWorth, scanTerms } from '../../src/record/names.ts'

// What is done by hand, for speed, as the patterns that say the same.
const candidate = /[\w$@~/#][\w$@~/.:#%+=&?-]{1,198}[\w$@~#]/g
const piece = /[A-Za-z0-9_$][\w$-]{2,}(?:\.[a-z]{1,5}(?![\w]))?/g

function worthByPattern(token: string): number {
  if (token.length < 3) return 0
  const count = (pattern: RegExp): number => token.match(pattern)?.length ?? 0
  const [letters, digits, upper] = [count(/[a-zA-Z]/g), count(/\d/g), count(/[A-Z]/g)]
  const marks = token.length - letters - digits
  if (letters === 0) return digits >= 4 || (digits >= 2 && marks > 0) ? 0.5 : 0
  if (token.includes('/')) return 2
  if (/^[\w-]+\.[a-z]{1,5}$/.test(token)) return 2
  if (/[.:(=]/.test(token)) return 0.3
  if (/[a-z][A-Z]/.test(token) || token.includes('_')) return 2
  if (digits > 0) return token.length >= 7 || upper > 0 ? 2 : 0.5
  if (marks > 0) return 0.5
  if (upper >= 3 && upper === letters) return 1
  return token.length >= 6 ? 0.05 : 0
}

const termsByPattern = (text: string): readonly (readonly [string, number, number])[] =>
  [...text.matchAll(candidate)].flatMap(({ 0: token, index }) => {
    if (worthByPattern(token) === 0) return []
    const parts = /[/.:#=&?]/.test(token) ? [...token.matchAll(piece)].filter(([part]) => part.length < token.length && worthByPattern(part) > 0) : []
    return [[token, index, index + token.length], ...parts.map((part) => [part[0], index + part.index, index + part.index + part[0].length])] as const
  }) as readonly (readonly [string, number, number])[]

const text = fc.string({ unit: fc.constantFrom(...'aabbAB019_-./:#=&?+%$@~ (\n"é😀'), maxLength: 400 })
const long = fc.string({ unit: fc.constantFrom(...'aB1./-:'), minLength: 150, maxLength: 700 })

describe('names', () => {
  it('are what their pattern says', () => {
    fc.assert(
      fc.property(fc.oneof(text, long), (some) => {
        const found: (readonly [string, number, number])[] = []
        scanTerms(some, (...one) => found.push(one))
        expect(found).toEqual(termsByPattern(some))
      }),
      { numRuns: 2_000 },
    )
  })
  it('are the same when they are looked for in pieces', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (some, most) => {
        const found: (readonly [string, number, number])[] = []
        for (let from = 0; from < some.length; ) from = scanTerms(some, (...one) => found.push(one), from, most)
        expect(found).toEqual(termsByPattern(some))
      }),
    )
  })
  it('are worth what their pattern says', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcAB019_-./:=($é'), maxLength: 12 }), (token) => {
        expect(nameWorth(token)).toBe(worthByPattern(token))
      }),
      { numRuns: 5_000 },
    )
  })
  it('fall into words', () => {
    const byPattern = (some: string): readonly string[] => [
      ...new Set((some.replace(/([a-z])([A-Z])/g, '$1 $2').match(/[A-Za-z]{3,40}/g) ?? []).map((word) => word.toLowerCase())),
    ]
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcdABCD1_ .é'), maxLength: 120 }), (some) => {
        expect(compoundWords(some)).toEqual(byPattern(some))
      }),
      { numRuns: 2_000 },
    )
  })
  it('have the traits that their patterns say', () => {
    const use = { occurrences: 1, texts: 1, labels: 0, outputs: 1, inputs: 0, users: 0, shortest: 100, age: 0, ageShare: 0 }
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcfABC019_-./:#,$ '), minLength: 3, maxLength: 14 }), (name) => {
        const flags = traitsOf(name, use, { said: new Set(), shown: new Set() })
        const shouted = /^[A-Z0-9_]+$/.test(name)
        const is = (pattern: RegExp): number => (pattern.test(name) ? 1 : 0)
        expect([2, 3, 4, 5, 6, 7, 8, 13].map((at) => flags[at])).toEqual([
          is(/[a-z][A-Z]/),
          !shouted && name.includes('_') ? 1 : 0,
          shouted && name.includes('_') ? 1 : 0,
          is(/^[0-9a-f]{7,}$/),
          is(/^[\d.,:-]+$/),
          is(/\d/),
          is(/\w\.\w/),
          is(/^#?[A-Z]{1,10}-?\d{2,}$|_\d{4,}$/),
        ])
      }),
      { numRuns: 5_000 },
    )
  })
})
