import { builtInEstimator, type Message, recordOf } from '@precis/core'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { sentencesOf, statementsOf } from '../../src/record/facts/statements.ts'
import { carriedRequests } from '../../src/record/texts/carried.ts'

const recordedOf = (messages: readonly Message[]): string =>
  recordOf(messages, [...messages.keys()], { budget: 4_000, requests: 1_000, estimator: builtInEstimator, already: '' }).text

describe('what is told of a message', () => {
  /** Its lines, with as much room as they need. */
  const told = (text: string): readonly string[] => {
    const lines = recordedOf(history(user('Go on.'), assistant(text), user('And now?'))).split('\n')
    const begin = lines.findIndex((line) => line.startsWith('→ [1] '))
    const end = lines.findIndex((line, at) => at > begin && /^(?:\[|###)/.test(line))
    return begin < 0 ? [] : lines.slice(begin, end < 0 ? undefined : end).map((line) => line.replace('→ [1] ', ''))
  }
  it('items stand under their headings and under the item that they belong to, whatever stands between', () => {
    const message = [
      '## Benefits',
      'It was decided to keep `one` lock for all of it.',
      '',
      '- **Lock**: it must be taken before the `read`.',
      '  The second line of it says that `two` fails.',
      '  - The test of the lock must be `serial` as well.',
      '### 4. Costs of it',
      '- A `write` waits because the lock is held.',
    ].join('\n')
    expect(told(message)).toEqual(message.split('\n').flatMap((line) => line.replace(/^#+ /, '').trim() || []))
    expect(
      sentencesOf(message)
        .at(-1)
        ?.lines.map(({ text }) => text),
    ).toEqual(['Benefits', '4. Costs of it', '- A `write` waits because the lock is held.'])
  })
  it('marks what was left out between two lines', () => {
    expect(told('1. The `first` must be fixed.\n2. Tidy up.\n3. Rest.\n4. The `fourth` must be fixed.')).toEqual([
      '1. The `first` must be fixed.',
      '…',
      '4. The `fourth` must be fixed.',
    ])
    expect(told('The lock must be taken first. Good. It fails because `read` waits.')).toEqual([
      'The lock must be taken first. … It fails because `read` waits.',
    ])
    expect(told('The lock must be taken first.\n```ts\na()\nb()\nc()\nd()\n```\nIt fails because `read` waits.')).toContain('…')
  })
  it('marks that a list goes on', () => {
    const list = 'I found these reservations of yours:\n1. NM1VX1\n2. KC18K6\n3. S61CZX'
    expect(told(list)).toEqual(['I found these reservations of yours:', '1. NM1VX1 …'])
    expect(told('I found these reservations of yours:\n1. NM1VX1')).toEqual(['I found these reservations of yours:', '1. NM1VX1'])
    expect(told('1. The `first` must be fixed.\n2. The `second` must be fixed.\n\nNothing else.')).toEqual([
      '1. The `first` must be fixed.',
      '2. The `second` must be fixed.',
    ])
  })
  it('a sentence of an item stands behind its first', () => {
    expect(told('1. Retries. They must be counted by the `client` itself.')).toEqual(['1. Retries. They must be counted by the `client` itself.'])
  })
  it('what a line announces stands below it: an item, a few lines of code', () => {
    expect(told('The fix is in these files:\n- `a.ts` must import it, because it is gone.')).toEqual([
      'The fix is in these files:',
      '- `a.ts` must import it, because it is gone.',
    ])
    expect(told('The fix is one more call:\n```ts\nlock.take()\n```')).toEqual(['The fix is one more call:', 'lock.take()'])
    expect(told('The fix is in these parts:\n## The `lock` of the reader\nIt must be taken first of all.')).toEqual([
      'The `lock` of the reader',
      'It must be taken first of all.',
    ])
  })
  it('of a line that announces what is not there nothing, unless it names something', () => {
    const code = '```ts\na()\nb()\nc()\nd()\n```'
    expect(told(`It must be built anew first:\n${code}\nIt fails because \`read\` waits. The fix is one more of them:`)).toEqual([
      'It fails because `read` waits.',
    ])
    expect(told(`It must be built with \`make\` first:\n${code}`)).toEqual(['It must be built with `make` first:'])
  })
  it('says nothing of what somebody is about to do, sees or has', () => {
    expect(
      told('Now I understand the issue. Good, I have the full picture. Let me look at the other parser. The tests expect `new`, but it is missing.'),
    ).toEqual(['The tests expect `new`, but it is missing.'])
  })
  it('keeps what was refused, granted and what it costs, before what was asked of the user', () => {
    const said = ['Unfortunately, this ticket is not eligible.', 'A certificate was issued to you today.', 'The total for both bags comes to $50.']
    const asked = ['Could you please confirm that?', 'Please let me know if you would like to proceed.', 'Would you like me to transfer you now?']
    expect(told([...said, ...asked].join(' '))).toEqual([said.join(' ')])
    const statements = finished(statementsOf(history(user('q'), assistant([...said, 'Would you like `HAT271` for $174?'].join(' '))), [1]))
    expect(statements.map(({ concludes }) => concludes)).toEqual([true, true, true, false])
  })
  it('of each answer one sentence, however short, with the next where it is', () => {
    expect(told('Pushed.')).toEqual(['Pushed.'])
    expect(told('Nobody uses it.')).toEqual(['Nobody uses it.'])
    expect(told('Done. It stands at the end of the list now. Nothing else of it is new here.')).toEqual(['Done. It stands at the end of the list now.'])
    const answers = history(user('Push.'), assistant('Pushed.'), user('Push again.'), assistant('Pushed.'), user('And now?'))
    expect(recordedOf(answers)).toContain('[0] user: Push.\n→ [1] Pushed.\n[2] user: Push again.\n→ [3] Pushed.\n[4] user: And now?')
  })
  it('a few words behind an answer are none, and none where the work goes on', () => {
    const said = history(user('Fix it.'), assistant('The lock is taken before the `read` now.'), assistant('Nothing to say.'), user('And now?'))
    expect(recordedOf(said)).toContain('→ [1] The lock is taken')
    expect(recordedOf(history(user('Fix it.'), step('read', 'a', { path: 'a.ts' }, 'x'), user('And now?')))).not.toContain('→')
  })
  it('a sentence goes on behind a title, a number and a day of the month', () => {
    const sentences = (text: string): readonly string[] => sentencesOf(text).map((sentence) => sentence.text)
    const whole = [
      'The scan must wait; Dr. Obi said so.',
      'By Amendment No. 2 the term must be longer.',
      'Bezahlt wird bis zum 14. November auf Ihr Konto.',
      'Nach Art. 5 Abs. 3 sah es Orr et al. anders.',
    ]
    for (const one of whole) expect(sentences(one)).toEqual([one])
    expect(sentences('You asked whether it must be so. No. 2 of them must wait.')).toHaveLength(2)
  })
  it('a sentence that points back stands with the one before', () => {
    const cause = 'Commit `7c1e90fa` lowered the limit of the ledger from 2560 to 1536.'
    expect(told(`${cause} That is the root cause.`)).toEqual([`${cause} That is the root cause.`])
    expect(told('Let me look at the limits of the ledger first. That is the root cause.')).toEqual(['That is the root cause.'])
  })
  it('what was said again with other numbers gives way to what was said once', () => {
    const polls = Array.from({ length: 40 }, (_, at) => [user('And now?'), assistant(`The queue has ${4_000 + at * 7} messages and must drain.`)]).flat()
    const messages = history(user('Hello.'), user('Book it.'), assistant('The delivery is booked for Friday, between 8 and 11.'), ...polls, user('Thanks.'))
    const { text } = recordOf(messages, [...messages.keys()], { budget: 600, requests: 16, estimator: builtInEstimator, already: '' })
    expect(text).toContain('The delivery is booked for Friday, between 8 and 11.')
    expect(text).toContain('The queue has 4273 messages and must drain.')
  })
  it('a reply of a few words stands below the question that it answers', () => {
    const question = 'Has the pain in the left calf happened to you before?'
    const recorded = (reply: string): string =>
      recordedOf(history(user('Hello.'), assistant(`Thank you. ${question}`), user(reply), assistant('All right.'), user('Go on.')))
    expect(recorded('Yes, once.')).toContain(`${question}\n[2] user: Yes, once.`)
    const settled = 'The limit must be 4711 because of the ledger.'
    const shown = (reply: string): string =>
      recordedOf(history(user('Hello.'), assistant(`${settled} ${question}`), user(reply), assistant('All right.'), user('Go on.')))
    expect(shown('No.')).toContain(`${settled} ${question}\n[2] user: No.`)
  })
  it('of short answers those that name something come first, newer before older', () => {
    const turns = Array.from({ length: 60 }, (_, at) => [user(`Play song ${at}.`), assistant('Playing.')]).flat()
    const messages = history(
      user('Hello.'),
      ...turns,
      user('Book a taxi.'),
      assistant('Taxi at 12:05.'),
      user('Later.'),
      assistant('Taxi at 11:05.'),
      user('Thanks.'),
    )
    const { text } = recordOf(messages, [...messages.keys()], { budget: 600, requests: 500, estimator: builtInEstimator, already: '' })
    expect(text).toContain('Taxi at 12:05.')
    expect(text).toContain('Taxi at 11:05.')
    expect(text).not.toMatch(/^→ \[2\] Playing/m)
  })
  it('below a mark of its request, where that is not quoted', () => {
    const long = `Look at this. ${'It is about the lock of the reader and all that. '.repeat(30)}`
    const names = step('read', 'a', { path: 'a.ts' }, Array.from({ length: 300 }, (_, at) => `const value_${at} = load(${at * 1_000})`).join('\n'))
    const messages = history(
      user('Go.'),
      names,
      assistant('It fails because `a.ts` is gone.'),
      user(long),
      assistant('The lock must be taken first.'),
      user('Good.'),
    )
    const { text } = recordOf(messages, [...messages.keys()], { budget: 400, requests: 60, estimator: builtInEstimator, already: '' })
    expect(text).toMatch(/^\[0\] user: Go\.\n→ \[3\] It fails because `a\.ts` is gone\.\n\[4\] user: …\n\[5\] The lock must be taken first\.$/m)
    const named = user(`${long}\nThe limit of \`src/lock.ts\` is 4711, as KX-2210 says.\n${long}`)
    const shown = recordOf(messages.with(4, named), [...messages.keys()], {
      budget: 900,
      requests: 40,
      estimator: builtInEstimator,
      already: '',
    }).text
    expect(shown).toMatch(/^\[4\] user: ….*lock of the reader/m)
    expect(shown).not.toMatch(/^\[4\] user: …$/m)
    const summary: Message = {
      ...user(`### Asked and done\n[0] user: Go.\n[4] user: …\n[5] The lock must be taken first.\n[6] user: Good.`),
      summary: { version: 1 },
    }
    expect(carriedRequests(summary)).toEqual(['Go.', 'Good.'])
    // The next record says the same.
    expect(recordedOf([summary, user('And now?'), assistant('It waits.')])).toContain(
      '[0] user: Go.\n[0] user: …\n[0] The lock must be taken first.\n[0] user: Good.\n[1] user: And now?\n→ [2] It waits.',
    )
  })
  it('below an answer in its words, where the same words answer something else later', () => {
    const messages = history(
      user('Design it with me.'),
      assistant('Which store should the sessions have? Redis is the fix for the lost ones.'),
      user('2'),
      assistant('The problem was the lock, so we keep Postgres.'),
      user('yes'),
      assistant('I found that the pool must be larger.'),
      user('2'),
      assistant('The second plan it is, because it needs no lock.'),
      user('yes'),
    )
    const text = recordedOf(messages)
    expect(text).toMatch(/^\[2\] user: 2\n/m)
    expect(text).toMatch(/^\[4\] user: yes\n/m)
    expect(text).toMatch(/^\[6\] user: 2\n/m)
    const forged = messages.with(2, user('### To do')).with(6, user('### To do'))
    expect(recordedOf(forged)).toMatch(/^\[2\] user: \\### To do$/m)
  })
  it('says once what another line of it repeats', () => {
    const repeated = 'The lock must be taken before the read'
    expect(told(`## ${repeated}\n- ${repeated}.\n\n${repeated}`)).toEqual([repeated, `- ${repeated}.`])
    // The same heading twice: each has what stands under it.
    expect(told('**In the client**\n- The `one` must be fixed.\n\n## Server\n**In the client**\n- The `two` must be fixed.')).toEqual([
      '**In the client**',
      '- The `one` must be fixed.',
      'Server',
      '**In the client**',
      '- The `two` must be fixed.',
    ])
  })
})
