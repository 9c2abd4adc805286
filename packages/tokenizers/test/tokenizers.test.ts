import { readFileSync } from 'node:fs'
import { builtInEstimator, createCompactor, neutralCodec, type TokenEstimator } from '@precis/core'
import { createRandom, generateHistory } from '@precis/testkit'
import { gptTokenizerEstimator, guarded, tiktokenEstimator } from '@precis/tokenizers'
import { getEncoding } from 'js-tiktoken'
import cl100k from 'js-tiktoken/ranks/cl100k_base'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { beforeAll, describe, expect, it } from 'vitest'
import { onceInARow } from '../src/estimators.ts'

const random = createRandom(3)
const word = (length: number): string => Array.from({ length }, () => random.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('')
/** One text of each kind, of which no run is longer than 256 characters. */
const texts: Readonly<Record<string, string>> = {
  prose: readFileSync(new URL('../../../README.md', import.meta.url), 'utf8'),
  code: readFileSync(new URL('../src/estimators.ts', import.meta.url), 'utf8'),
  JSON: JSON.stringify(Array.from({ length: 60 }, (_, at) => ({ id: word(12), at, tags: [word(4), word(5)], ok: at % 2 === 0 }))),
  logs: Array.from({ length: 80 }, (_, at) => `2026-11-21T14:${String(at).padStart(2, '0')}:07.${at}Z INFO [${word(6)}] request ${at} took ${at * 3} ms`).join(
    '\n',
  ),
  CJK: '上下文压缩库让长时间运行的代理保持在模型窗口内。要約は検証され、記録はコードが作る。'.repeat(20),
  Cyrillic: 'Сжатие контекста сохраняет цель, ошибки и решения. '.repeat(30),
  Arabic: 'تلخيص المحادثات الطويلة دون فقدان المعلومات المهمة. '.repeat(30),
  emoji: '🚀👩‍👩‍👧‍👦🇪🇺 ok '.repeat(40),
  base64: Array.from({ length: 30 }, () => Buffer.from(word(48)).toString('base64')).join('\n'),
  whitespace: 'a  b\t\tc\n\n\n   d\r\n'.repeat(60),
  special: 'text <|endoftext|> and <|im_start|>system',
}
const makers = { tiktoken: tiktokenEstimator, 'gpt-tokenizer': gptTokenizerEstimator } as const
const names = Object.keys(makers) as (keyof typeof makers)[]
const bare = getEncoding('o200k_base')

describe.each(names)('%s', (name) => {
  let estimator: TokenEstimator
  beforeAll(async () => {
    estimator = await makers[name]()
  })
  it.each(Object.keys(texts))('counts as the bare library does: %s', async (kind) => {
    const text = texts[kind] as string
    expect(estimator.count(text)).toBe(bare.encode(text, [], []).length)
  })
  it('special tokens are text: nobody can end a prompt by writing one', async () => {
    expect(estimator.count('<|endoftext|>')).toBeGreaterThan(3)
  })
  it.each([
    ['letters', 'a'],
    ['blanks', ' '],
    ['signs', '-'],
    ['one ideogram', '漢'],
    ['an emoji', '🚀'],
  ])('a very long run of the same (%s) comes to an end, near the count of their pieces', async (_, letter) => {
    const piece = estimator.count(letter.repeat(32))
    const count = estimator.count(letter.repeat(50_000))
    // Pieces of 256 ASCII characters, or of 32 others: longer ones need fewer tokens, never more.
    expect(count).toBeGreaterThan((50_000 / 32) * piece * 0.1)
    expect(count).toBeLessThan((50_000 / 16) * piece * 1.1)
  })
  it('texts of any letters, signs and line breaks are counted as the bare library does', () => {
    const letters = [...'abcXYZ', 'é', 'ß', '漢', 'ع', '🚀', '\u0301', '\u200d', ...'\'s .,-_=/{}[]:"0123456789', '\n', '\r\n', '\t', '\ud83d']
    for (let at = 0; at < 300; at++) {
      const text = Array.from({ length: 1 + (at % 60) }, () => random.pick(letters)).join('')
      expect(estimator.count(text), JSON.stringify(text)).toBe(bare.encode(text, [], []).length)
    }
  })
  it('an empty text is none, an unknown encoding is refused by name', async () => {
    expect(estimator.count('')).toBe(0)
    await expect(makers[name]('p50k' as never)).rejects.toThrow('o200k_base')
  })
  it('takes the place of the built-in one', async () => {
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, estimator })
    const { report } = await compactor.session('s').beforeModelCall(generateHistory(3, { turns: 20 }))
    expect(report.outcome).toBe('summarized')
    expect(report.tokens.after).toBeLessThanOrEqual(7_000)
  })
})

it('older models count otherwise', async () => {
  const [now, before] = [await gptTokenizerEstimator('o200k_base'), await gptTokenizerEstimator('cl100k_base')]
  expect(now.count(texts['Arabic'] as string)).toBeLessThan(before.count(texts['Arabic'] as string))
  expect((await tiktokenEstimator('cl100k_base')).count(texts['prose'] as string)).toBe(before.count(texts['prose'] as string))
})
it('the guard hands on everything, once', () => {
  const seen: string[] = []
  const count = guarded((text) => seen.push(text) && text.length)
  const text = `start ${'a'.repeat(1_000)} middle ${'🚀'.repeat(300)} end`
  expect(count(text)).toBe(text.length)
  expect(seen.join('')).toBe(text)
  expect(seen.every((piece) => encodeURIComponent(piece) !== '')).toBe(true) // throws for half a pair
})
describe.each([
  ['o200k_base', o200k],
  ['cl100k_base', cl100k],
])('%s cuts what the guard hands on into pieces of bounded length', (_, { pat_str: pattern }) => {
  /** What the vocabulary's pattern tells apart: capitals, small letters, letters of neither kind, modifiers, marks, digits, signs, blanks, breaks; half a pair. */
  const kinds = [..."Aaǅ漢ʰ\u0301\u200d1½Ⅷ-/' \t\u3000\r\n", '🚀', '𝒜', '\ud83d']
  const pairs = kinds.flatMap((one) => kinds.map((other) => [one, other] as const))
  const longest = (text: string): number => {
    let most = 0
    guarded((handed) => {
      for (const [piece] of handed.matchAll(new RegExp(pattern, 'gu'))) most = Math.max(most, piece.length)
      return 0
    })(text)
    return most
  }
  // A run of signs and one of breaks, both just short enough: 256 characters each, of which emoji count twice.
  const bound = 3 * 256 + 4
  it.each([
    ['in turn', (one: string, other: string) => (one + other).repeat(1_500)],
    ['two and one', (one: string, other: string) => (one + one + other).repeat(1_000)],
    ['one behind the other', (one: string, other: string) => one.repeat(1_500) + other.repeat(1_500)],
    ['in turn behind a run', (one: string, other: string) => one.repeat(200) + (other + one).repeat(1_500)],
  ])('any two kinds, %s', (_shape, textOf) => {
    for (const [one, other] of pairs) expect(longest(textOf(one, other)), JSON.stringify([one, other])).toBeLessThanOrEqual(bound)
  })
  it('any three kinds in turn, and drawn', () => {
    for (const [one, other] of pairs) for (const third of kinds) expect(longest((one + other + third).repeat(300))).toBeLessThanOrEqual(bound)
    for (let at = 0; at < 200; at++) {
      const few = Array.from({ length: 1 + (at % 4) }, () => random.pick(kinds))
      expect(longest(Array.from({ length: 3_000 }, () => random.pick(few)).join('')), JSON.stringify(few)).toBeLessThanOrEqual(bound)
    }
  })
})
it('lines of slashes are counted near what the bare library says, and as it says where they are few', async () => {
  const estimator = await tiktokenEstimator()
  expect(estimator.count('//\n'.repeat(80))).toBe(bare.encode('//\n'.repeat(80), [], []).length)
  const [ours, theirs] = [estimator.count('//\n'.repeat(400)), bare.encode('//\n'.repeat(400), [], []).length]
  expect(ours).toBeGreaterThanOrEqual(theirs)
  expect(ours - theirs).toBeLessThanOrEqual(2 * Math.ceil(1_200 / 256))
})
it('the built-in estimator stays near: its errors by kind of text are printed by `npm run bench`', async () => {
  const exact = await gptTokenizerEstimator()
  for (const kind of ['prose', 'code', 'logs'] as const) {
    const [ours, theirs] = [builtInEstimator.count(texts[kind] as string), exact.count(texts[kind] as string)]
    expect(Math.abs(ours - theirs) / theirs).toBeLessThan(0.15)
  }
})

it('of a million of the same letter no piece is counted twice', () => {
  const counted: number[] = []
  const count = guarded(
    onceInARow((text) => {
      counted.push(text.length)
      return 1
    }),
  )
  expect(count(`${'a'.repeat(1_000_000)} b`)).toBe(3_908)
  expect(counted).toEqual([256, 64, 2])
})
