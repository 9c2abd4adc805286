import { builtInEstimator, type Message, recordOf, textOf } from '@precis/core'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { count } from './setup.ts'

const recorded = (messages: readonly Message[], budget: number, requests: number, span = [...messages.keys()]) =>
  recordOf(messages, span, { budget, requests, estimator: builtInEstimator, already: '' })
/** What the record quotes of the user as a request, and what that takes. */
function requestsOf(messages: readonly Message[], budget: number, requests: number): { readonly texts: readonly string[]; readonly tokens: number } {
  const texts = recorded(messages, budget, requests).entries.flatMap(({ kind, text }) => (kind === 'request' ? [text] : []))
  return { texts, tokens: texts.reduce((sum, text) => sum + count(text) + 1, 0) }
}

describe('what the user said, in a record', () => {
  const wishes = Array.from({ length: 20 }, (_, at) => user(`Older wish ${at} ${'word '.repeat(40)}`))

  it('holds a long first request word for word where it leaves the newest its place', () => {
    const long = `Port the parser. ${Array.from({ length: 300 }, (_, at) => `rule${at} applies`).join(', ')}.`
    const messages = history(user(long), assistant('yes'), ...wishes, user('Stop now.'))
    const { text } = recorded(messages, 8_000, count(long) + 1_200)
    expect(text).toContain(long)
    expect(text).toContain('Stop now.')
    const tight = recorded(messages, 8_000, 400).text
    expect(tight).toContain('Port the parser.')
    expect(tight).toContain('characters …]')
    expect(tight).toContain('Stop now.')
  })
  it.each([
    [8_000, 300, 400, false],
    [800, 300, 400, true],
    [400, 120, 200, true],
  ])('fills a record of %d with them, up to half of it, and says which are shown nowhere', (budget, least, most, says) => {
    const messages = history(user('Go.'), assistant('yes'), ...wishes, user('Stop now.'))
    const { tokens } = requestsOf(messages, budget, 400)
    expect(tokens).toBeGreaterThan(least)
    expect(tokens).toBeLessThanOrEqual(most)
    const { text } = recorded(messages, budget, 400)
    expect(/^\[2\], …, \[\d+\]: requests not quoted$/m.test(text)).toBe(says)
    // Where there is room, passages show the others.
    expect(wishes.every((wish) => text.includes(textOf(wish).trim()))).toBe(budget === 8_000)
  })
  it('names each of a few that are left out, behind those that are quoted', () => {
    const long = (at: number): ReturnType<typeof user> => user(`Wish ${at}: ${'no rule may be broken by anybody at all. '.repeat(40)}`)
    const messages = history(user('Go.'), assistant('yes'), long(1), assistant('yes'), long(2), assistant('yes'), user('Stop now.'))
    const names = step('read', 'a', { path: 'a.ts' }, Array.from({ length: 200 }, (_, at) => `const value_${at} = load(${at * 1_000})`).join('\n'))
    expect(recorded(history(messages, names), 500, 100).text).toContain('[6] user: Stop now.\n[2], [4]: requests not quoted')
    // Passages show them where nothing is named.
    expect(recorded(messages, 500, 100).text).toMatch(/^\[2\] user: Wish 1: [\s\S]*^\[4\] user: Wish 2: /m)
    expect(recorded(messages, 500, 100).text).not.toContain('not quoted')
  })
  it('holds none of them without a budget for them', () => {
    expect(recorded(history(user('Go.'), assistant('yes'), ...wishes, user('Stop now.')), 2_000, 0).entries.filter(({ kind }) => kind === 'request')).toEqual(
      [],
    )
  })
  it('holds a request as the newest only where nobody asked later, in the record or beside it', () => {
    const asked = `Older wish. ${'Be kind to those who read it later. '.repeat(30)}`
    const messages = history(user('Port the parser.'), assistant('yes'), user(asked), assistant('yes'), user('Stop now.'))
    const quoted = (from: readonly Message[]): string => {
      const { entries } = recorded(from, 700, count(asked) - 20, [0, 1, 2, 3])
      return entries.flatMap(({ kind, text }) => (kind === 'request' ? [text] : [])).join('\n')
    }
    expect(quoted(messages)).not.toContain('[2] user: Older wish.')
    expect(quoted(messages.slice(0, 4))).toContain('[2] user: Older wish.')
  })
  it('leaves out what does not fit for shorter ones, and cuts only what was pasted', () => {
    const long = `There are 12 rules. ${'No rule may be broken by anybody at all. '.repeat(20)}`
    const messages = history(user('Go.'), assistant('yes'), user('Keep it below 300 euros.'), assistant('yes'), user(long), assistant('yes'), user('Stop.'))
    expect(requestsOf(messages, 8_000, 100).texts).toEqual(['[0] user: Go.', '[2] user: Keep it below 300 euros.', '[6] user: Stop.'])
    expect(requestsOf(messages, 8_000, 400).texts).toContain(`[4] user: ${long}`)
  })
  it('says once what was said again in the same words, where it was said last', () => {
    const messages = history(
      user('Go.'),
      assistant('yes'),
      user('Continue, please.'),
      assistant('yes'),
      user('Continue, please. '),
      assistant('yes'),
      user('Stop.'),
    )
    expect(requestsOf(messages, 2_000, 400).texts).toEqual(['[0] user: Go.', '[4] user: Continue, please. ', '[6] user: Stop.'])
  })
  it('shows what came of a request below it, and as a plain statement where the request was left out', () => {
    const left = `Is ${'the old warehouse in the harbor '.repeat(12)}free?`
    const messages = history(
      user('Where do we meet?'),
      assistant('We meet in the hall, because it rains.'),
      user(left),
      assistant('It is free on Monday only.'),
    )
    const { text } = recorded(history(messages, user('Stop.')), 130, 60)
    expect(text).not.toContain(left)
    expect(text).toContain('→ [1] We meet in the hall')
    expect(text).toContain('\n[3] It is free')
    expect(recorded(history(messages, user('Stop.')), 2_000, 400).text).toContain('→ [3] It is free')
  })
  it('prefers an older statement to newer remarks of a sentence', () => {
    const statement =
      'The good walking stick, the one with the handle of bone, was my grandfather’s and never leaves the house: for the street she takes the blue crutch, always.'
    const remarks = Array.from({ length: 20 }, (_, at) =>
      user(`I think we will hire the second one, she laughed so nicely when we spoke about ${'abcdefghijklmnopqrst'[at]}`),
    )
    const { texts } = requestsOf(history(user('Go.'), user(statement), ...remarks, user('Stop now.')), 800, 300)
    expect(texts.join('\n')).toContain(statement)
    expect(texts.length).toBeGreaterThan(5)
  })

  it('prefers what states a number, then what says more, then the rest, then what was pasted or only asks: newest first, in the order of the history', () => {
    const filler = 'and so on with the many small things that this always takes'
    const said = [
      `Keep it below 300 euros, ${filler}.`,
      `Is that the usual way to do it, ${filler}?`,
      `Nothing may be written to the old disk, ${filler}.`,
      'tea break',
      Array.from({ length: 80 }, (_, at) => `line ${at} of what somebody pasted`).join('\n'),
      `Is that the usual price of such a thing, ${filler}?`,
    ]
    const messages = history(user('Go.'), assistant('yes'), ...said.flatMap((text) => [user(text), assistant('Yes.')]), user('Stop.'))
    const held = (budget: number): readonly number[] =>
      requestsOf(messages, 20_000, budget)
        .texts.flatMap((text) => said.findIndex((one) => text.includes(one.slice(0, 24))))
        .filter((at) => at >= 0)
    expect(held(50)).toEqual([0])
    expect(held(70)).toEqual([0, 2])
    expect(held(85)).toEqual([0, 2, 3])
    expect(held(2_000)).toEqual([0, 1, 2, 3, 4, 5])
  })
})
