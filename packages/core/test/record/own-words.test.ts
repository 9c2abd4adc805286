import { builtInEstimator, recordOf } from '@precis/core'
import { assistant, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { ownWords } from '../../src/record/texts/own-words.ts'

const code = Array.from({ length: 120 }, (_, at) => `  const value${at} = load('part${at}', { retries: ${at} })`)
const pastes: readonly (readonly [kind: string, pasted: string])[] = [
  ['code', code.join('\n')],
  ['code between fences', `\`\`\`ts\n${code.join('\n')}\n\`\`\``],
  ['numbered lines', code.map((line, at) => `${at + 1}\t${line}`).join('\n')],
  ['what a search found', code.map((line, at) => `src/a.ts:${at}:${line}`).join('\n')],
  ['a log', code.map((_, at) => `2026-11-0${at % 9} 12:00:00 INFO took ${at} ms`).join('\n')],
  ['JSON', JSON.stringify({ code }, undefined, 1)],
]

describe.each(pastes)('what somebody wrote around %s', (_, pasted) => {
  const said = 'Please look at it. Remember that the code of unit 7 is QX-1204.'
  it.each([
    ['before it', `${said}\n\n${pasted}`, [said, '']],
    ['behind it', `${pasted}\n\n${said}`, ['', said]],
    ['on both sides', `Look:\n${pasted}\n${said}\nThanks!`, ['Look:', `${said}\nThanks!`]],
    ['nothing', pasted, []],
  ])('%s', (_place, text, expected) => {
    expect(ownWords(text)).toEqual(expected)
  })
  it('is quoted of every request, whatever was pasted', () => {
    const requests = Array.from({ length: 30 }, (_none, at) => `Remember that the code of unit ${at} is QX-${at * 37}.`)
    const messages = history(user('Go.'), ...requests.flatMap((request) => [user(`${request}\n\n${pasted}`), assistant('Read.')]), user('And now?'))
    const { text } = recordOf(messages, [...messages.keys()], { budget: 4_000, requests: 1_500, estimator: builtInEstimator, already: '' })
    expect(requests.filter((request) => !text.includes(request))).toEqual([])
  })
})

it('of prose, which may be pasted too, the first and the last paragraph', () => {
  const paragraph = 'The harbor keeps a list of ships and their cargo. '.repeat(5).trim()
  const text = ['Put this in short words.', ...Array.from({ length: 20 }, () => paragraph), 'Five lines at most.'].join('\n\n')
  expect(ownWords(text)).toEqual(['Put this in short words.', 'Five lines at most.'])
})
