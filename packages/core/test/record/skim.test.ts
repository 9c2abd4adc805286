import { builtInEstimator, type Message, recordOf } from '@precis/core'
import { generateHistory, history, step, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { promisingBlocks } from '../../src/record/excerpts/promising-blocks.ts'
import { sourcesOf } from '../../src/record/excerpts/sources.ts'
import type { PassageSource } from '../../src/record/names/name-index.ts'
import { nameKey, skim } from '../../src/record/names/skim.ts'
import { readAhead } from '../../src/record/read-ahead.ts'

const output = (text: string) => ({ type: 'tool-result', callId: 'a', tool: 'read', output: text }) as const
/** The blocks by their ends, and how often each name stands in the text, and as a field. */
const skimmed = (text: string) => {
  const { blocks, names } = finished(skim(output(text), text))
  const ends: number[] = []
  for (let at = 0; at < blocks.length; at += 2) ends.push((ends.at(-1) ?? 0) + blocks.charCodeAt(at))
  const counts = new Map<number, number>()
  for (let at = 0; at < names.length; at += 2) {
    const places = names.charCodeAt(at + 1)
    counts.set((names.charCodeAt(at) << 8) | (places >> 8), places & 255)
  }
  return { ends, counts, bytes: 2 * (blocks.length + names.length) }
}
const record = (messages: readonly Message[], budget = 2_000): string =>
  recordOf(messages, [...messages.keys()], { budget, requests: 200, estimator: builtInEstimator, already: '' }).text
const readIn = ({ text, read = [{ start: 0, end: text.length }] }: PassageSource): number => read.reduce((sum, { start, end }) => sum + end - start, 0)

describe('what is known of a long text', () => {
  const code = Array.from({ length: 200 }, (_, at) => `  const value${at} = compute(input${at}, 'literal text')`).join('\n')
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3_000 }),
    fc
      .array(fc.constantFrom('retryLimit: 3\n', 'word ', 'src/app.ts', '\n', '👩‍💻', '\ud800', 'x'.repeat(90), 'Error: the port is in use already\n'), {
        maxLength: 200,
      })
      .map((all) => all.join('')),
  )

  it('its blocks are whole lines, one behind another, to its end', () => {
    const { ends } = skimmed(code)
    expect(ends.at(-1)).toBe(code.length)
    expect([...ends.slice(0, -1)].every((end) => code.charAt(end - 1) === '\n')).toBe(true)
    expect(ends.length).toBeGreaterThan(20)
  })
  it('no block is much longer than others, and none cuts a character in two, whatever the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        let from = 0
        for (const end of skimmed(text).ends) {
          expect(end - from).toBeGreaterThan(0)
          expect(end - from).toBeLessThanOrEqual(384 * 5 + 1)
          expect(/[\ud800-\udbff]$/.test(text.slice(from, end)) && /^[\udc00-\udfff]/.test(text.slice(end))).toBe(false)
          from = end
        }
        expect(from).toBe(text.length)
      }),
    )
  })
  it('counts each name', () => {
    const { counts } = skimmed('retryLimit: 3\nretryLimit and "retryLimit": 5\nsrc/app.ts')
    expect(counts.get(nameKey('retryLimit'))).toBe(3)
    expect(counts.get(nameKey('src/app.ts'))).toBe(1)
    expect(counts.get(nameKey('ordinary'))).toBe(undefined)
    expect(skimmed('retryLimit: 3\n'.repeat(300)).counts.get(nameKey('retryLimit'))).toBe(255)
  })
  it('of a text without a name or a line does not read what is left of it for every block', () => {
    const text = 'x y z '.repeat(350_000)
    expect(skimmed(text).ends.length).toBeGreaterThan(3_000)
  })
  it('takes a small part of its room', () => {
    expect(skimmed(code).bytes).toBeLessThan(code.length * 0.2)
  })
})

describe('a record of a long history', () => {
  const messages = generateHistory(11, { turns: 60, steps: 4, output: 20_000 })

  it('reads as much as it has room for, most of it where the names are', () => {
    const sources = finished(sourcesOf(messages, [...messages.keys()]))
    const all = sources.reduce((sum, source) => sum + readIn(source), 0)
    const { sources: chosen } = finished(promisingBlocks(sources, 100_000))
    const read = chosen.reduce((sum, source) => sum + readIn(source), 0)
    const others = sources.reduce((sum, { text, long }) => sum + text.length - (long === undefined ? 0 : long.end - long.start), 0)
    expect(all).toBeGreaterThan(500_000)
    expect(read).toBeLessThan(Math.max(100_000, others + 50_000) * 1.05)
    expect(chosen.map(({ text }) => text)).toEqual(sources.map(({ text }) => text))
  })
  it('is the same whether its messages were read ahead or not, in any order', () => {
    const ahead = structuredClone(messages)
    for (const message of ahead.toReversed()) finished(readAhead(message))
    expect(record(ahead)).toBe(record(structuredClone(messages)))
  })
  it('reads a line of names among many lines of words', () => {
    const words = Array.from({ length: 400 }, (_, at) => `the quick fox and the lazy dog went home again ${'on and '.repeat(at % 5)}`).join('\n')
    const planted = 'deploy target: staging-eu-4 uses KMS_KEY_77 and vault/paths/billing.yaml'
    const text = `${words}\n${planted}\n${words}`
    const pages = Array.from({ length: 20 }, (_, at) => step('fetch', `later-${at}`, { url: 'https://example.com' }, `${words} ${at}`))
    const far = history(user('look around'), step('fetch', 'page', { url: 'https://example.com' }, text), ...pages)
    const page = finished(promisingBlocks(finished(sourcesOf(far, [...far.keys()])), 20_000)).sources.find((source) => source.text === text)
    const read = page?.read?.map(({ start, end }) => text.slice(start, end)) ?? []
    expect(read.join('')).toContain(planted)
    expect(read.join('').length).toBeLessThan(text.length / 4)
  })
  it('of prose fills its room too: where there are no names, words are', () => {
    const word = (at: number): string => `${[...`${at * 7_919}`].map((digit) => 'bacedifogu'[Number(digit)]).join('')}ings`
    const said = (at: number): string => `then ${word(at)} met ${word(at + 9_000)} and they spoke of ${word(at + 20_000)} until it was late`
    const prose = history(
      user('tell me a story'),
      ...Array.from({ length: 60 }, (_, at) => step('listen', `p${at}`, {}, Array.from({ length: 12 }, (__, line) => said(at * 12 + line)).join('\n'))),
    )
    expect(builtInEstimator.count(record(prose, 1_000))).toBeGreaterThan(800)
  })
})
