import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameWorth, scanTerms, wordWorth } from '../../src/record/names/names.ts'

/** Each name as `text@start`, and where the scan ended. */
function scanned(text: string, most = Infinity, worthOf = nameWorth): readonly string[] {
  const found: string[] = []
  for (let from = 0; from < text.length; ) {
    from = scanTerms(text, (name, start, end, worth) => found.push(`${name}@${start}-${end} ${worth}`), from, most, worthOf)
  }
  return found
}

/** What a name is, as a pattern; its parts left out. */
function byPattern(text: string): readonly string[] {
  return [...text.matchAll(/[\w$@~/#À-\u0dff][\w$@~/.:#%+=&?À-\u0dff-]{1,198}[\w$@~#À-\u0dff]/g)].flatMap(({ 0: name, index }) =>
    nameWorth(name) > 0 ? [`${name}@${index}-${index + name.length} ${nameWorth(name)}`] : [],
  )
}

const characters = fc.constantFrom(...'aZ9_$@~/.:#%+=&?- \n("éЖ中😀'.split(''))
const texts = fc.oneof(
  fc.array(characters, { maxLength: 60 }),
  fc.array(fc.constantFrom('a', '/', '.', ':'), { maxLength: 700 }),
  fc.array(fc.constantFrom('.', ':'), { minLength: 150, maxLength: 260 }).map((marks) => ['/', ...marks, 'a', 'b', ' ', 'x', '1', '2']),
)

describe('names', () => {
  test('are found where the pattern finds them', () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('')
        const whole = byPattern(text)
        expect(scanned(text).filter((one) => whole.includes(one))).toEqual(whole)
      }),
      { numRuns: 500 },
    )
  })

  test('are the same in pieces, and as parts of a longer text', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (parts, most) => {
        const text = parts.join('')
        expect(scanned(text, most)).toEqual(scanned(text))
        for (const worthOf of [nameWorth, wordWorth]) expect(worthOf(`ab ${text} cd`, 3, 3 + text.length)).toBe(worthOf(text))
      }),
    )
  })

  test('behind hundreds of marks begin among the last of them: no mark is looked at hundreds of times', () => {
    const row = '/'.repeat(1_000)
    expect(scanned(`${row}src/app.ts`)).toEqual(['/////src/app.ts@995-1010 2', 'app.ts@1004-1010 2'])
    expect(scanned(row)).toEqual([])
  })

  test.each([
    ['src/app.ts', 2],
    ['app.ts', 2],
    ['retryLimit', 2],
    ['retry_limit', 2],
    ['a1b2c3d', 2],
    ['TICKET-12', 2],
    ['TODO', 1],
    ['4,096', 0.5],
    ['4096', 0.5],
    ['well-known', 0.5],
    ['key:value', 0.3],
    ['.gitignore', 0.3],
    ['word', 0],
    ['The', 0],
    ['12', 0],
  ])('%s is worth %d', (name, worth) => {
    expect(nameWorth(name)).toBe(worth)
  })
})
