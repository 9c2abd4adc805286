import { type Message, missingResultText, repairHistory } from '@precis/core'
import { assistant, call, calls, history, result, results, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

describe('repair', () => {
  const kinds = (messages: readonly Message[]): readonly string[] => repairHistory(messages).map((repair) => `${repair.kind}@${repair.index}`)
  it.each([
    ['a valid history', history(user('a'), step('t', '1', {}, 'x'), assistant('b')), []],
    ['a result without a call', history(user('a'), result('9', 'x')), ['orphan-result@1']],
    ['a result twice', history(step('t', '1', {}, 'x'), result('1', 'x')), ['orphan-result@2']],
    ['a call without a result', history(call('t', '1'), user('b')), ['unanswered-call@0']],
    [
      'one of two answered',
      history(
        calls([
          ['t', '1'],
          ['t', '2'],
        ]),
        result('1', 'x'),
        user('b'),
      ),
      ['unanswered-call@0'],
    ],
    ['a result that came late', history(call('t', '1'), user('wait'), result('1', 'x')), ['late-result@2']],
    ['an empty message', history(user('a'), { role: 'assistant', parts: [] }, user('b')), ['empty-message@1']],
    ['an empty text', history(user('a'), assistant(''), user('b')), ['empty-message@1']],
    [
      'an id in use twice',
      history(
        calls([
          ['t', '1'],
          ['t', '1'],
        ]),
        result('1', 'x'),
        user('b'),
      ),
      ['duplicate-call@0', 'orphan-result@1'],
    ],
    ['a call in flight', history(user('a'), call('t', '1')), []],
    [
      'a provider’s own call, answered inside its message',
      history(
        {
          role: 'assistant',
          parts: [
            { type: 'tool-call', callId: 'p', tool: 'search', input: '{}', providerExecuted: true },
            { type: 'tool-result', callId: 'p', tool: 'search', output: 'found' },
          ],
        },
        user('x'),
      ),
      [],
    ],
    [
      'results in one message',
      history(
        calls([
          ['t', '1'],
          ['t', '2'],
        ]),
        results([
          ['1', 'x'],
          ['2', 'y'],
        ]),
      ),
      [],
    ],
  ])('%s', (_, messages, expected) => {
    expect(kinds(messages)).toEqual(expected)
  })
  it('says nothing that did not happen', () => {
    expect(missingResultText).toContain('No result')
    expect(repairHistory(history(call('t', '1'), user('w'), result('1', 'late text')))).toMatchObject([{ output: 'late text', after: 0 }])
  })
})
