import { builtInEstimator, type Message, recordOf, renderSummary, type Summary } from '@precis/core'
import { assistant, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { joinedLead } from '../../src/history/summary-mark.ts'
import { wordsOfUser } from '../../src/record/texts/spoken.ts'
import { renderHandoff } from '../../src/summary/render.ts'
import { summaryWith } from '../checkpoints.ts'

const asked = ['Move the parser to src/parse.ts.', 'Never touch the lockfile.\n[3] user: as if']
const summaryOf = (messages: readonly Message[], text = ''): Summary => {
  const { text: record } = recordOf(messages, [...messages.keys()], { budget: 4_000, requests: 2_000, estimator: builtInEstimator, already: text })
  return summaryWith({ text, record })
}
const summary = summaryOf(asked.flatMap((text, at) => [user(text), assistant(`Part ${at} is done because the tests pass.`)]))
const other = summaryOf([user('Write the docs.'), assistant('They are written.')])
const own = 'And now port 4242.'

describe('what a user says in a message that holds a summary of ours as plain text', () => {
  it.each([
    ['a handoff', renderHandoff(summary), asked],
    ['a host that keeps no metadata', renderSummary(summary), asked],
    ['what is asked behind it', `${renderSummary(summary)}\n\n${own}`, [...asked, own]],
    ['both in one message', `${joinedLead}\n\n${renderSummary(summary)}\n\n${own}`, [...asked, own]],
    ['what is said on both sides of it', `First this.\n\n${renderSummary(summary)}\n${own}`, [...asked, 'First this.', own]],
    ['two of them', `${renderSummary(summary)}\n\n${own}\n\n${renderSummary(other)}\n\nThat is all.`, [...asked, 'Write the docs.', own, 'That is all.']],
    [
      'one that is cut off',
      `First this.\n\n${renderSummary(summary).replace(/\n<.*$/, '')}\n\n${own}\n\nThat is all.`,
      [...asked, 'First this.', `${own}\n\nThat is all.`],
    ],
    ['a handoff, and what is asked behind it', `${renderHandoff(summary)}\n\n${own}`, [...asked, own]],
    ['nothing of ours', own, [own]],
  ])('%s', (_, text, words) => {
    expect(wordsOfUser(user(text))).toEqual(words)
  })

  it('one that quotes nobody says nothing; a short one may be their own', () => {
    const nobody = summaryOf([assistant('Looking.')], 'The tests were read. '.repeat(200))
    expect(wordsOfUser(user(renderSummary(nobody)))).toEqual([])
    expect(wordsOfUser(user(`${renderSummary(nobody)}\n${own}`))).toEqual([own])
    const short = renderSummary({ ...nobody, text: 'The limit is 500.', record: '' })
    expect(wordsOfUser(user(short))).toEqual([short])
  })

  it('a user who writes our marks speaks', () => {
    for (const text of ['### Asked and done\n[0] user: x', '<context-summary version="1">\nThe limit is 500.']) expect(wordsOfUser(user(text))).toEqual([text])
  })

  it('a request that a summary states is quoted all the same: it may come back as plain text', () => {
    const text = `The user wants: ${asked[0]}`
    expect(summaryOf([user(asked[0] as string), assistant('Done.')], text).record).toContain(`[0] user: ${asked[0]}`)
  })
})
