import { applyPlan, type Message, missingResultText, repairHistory } from '@precis/core'
import { assistant, call, calls, history, neutralCodec, result, results, step, user } from '@precis/testkit'
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
  describe('a result that came late', () => {
    const shown = (messages: readonly Message[]): readonly string[] => {
      const repairs = repairHistory(messages, undefined, true)
      const places = messages.map((_, index) => ({ kind: 'message' as const, index }))
      const context = applyPlan(messages, { shown: places, edits: [], repairs }, neutralCodec, undefined)
      return context.map(({ parts }) =>
        parts.map((part) => ('text' in part ? part.text : 'callId' in part ? `${part.type === 'tool-call' ? 'call' : 'result'} ${part.callId}` : '')).join(),
      )
    }
    const both = calls([
      ['t', '1'],
      ['t', '2'],
    ])
    const item = (message: Message): Message => ({ ...message, item: true })
    it.each<[string, readonly Message[], readonly string[]]>([
      ['stands behind its call', history(call('t', '1'), user('wait'), result('1', 'x')), ['call 1', 'result 1', 'wait']],
      [
        'takes its call with it where the assistant has spoken since: no request ends with an assistant',
        history(call('t', '1'), user('there?'), assistant('no'), result('1', 'x')),
        ['there?', 'no', 'call 1', 'result 1'],
      ],
      [
        'takes along what was answered at once, in the same place ever after',
        history(both, result('1', 'x'), user('there?'), assistant('no'), result('2', 'y'), assistant('now'), user('thanks')),
        ['there?', 'no', 'call 1,call 2', 'result 1', 'result 2', 'now', 'thanks'],
      ],
      [
        'of two goes with the later one, whichever it is',
        history(both, user('there?'), assistant('no'), result('2', 'y'), user('and now?'), assistant('half of it'), result('1', 'x')),
        ['there?', 'no', 'and now?', 'half of it', 'call 1,call 2', 'result 2,result 1'],
      ],
      [
        'leaves its call where a call of another reply was answered since',
        history(call('t', '1'), user('there?'), call('t', '2'), result('2', 'y'), result('1', 'x')),
        ['call 1', 'result 1', 'there?', 'call 2', 'result 2'],
      ],
      [
        'is not late behind the words of its own reply',
        history(item(call('t', '1')), item(assistant('reading')), item(call('t', '2')), result('1', 'x'), result('2', 'y')),
        ['call 1', 'reading', 'call 2', 'result 1', 'result 2'],
      ],
      [
        'takes all items of its reply along',
        history(item(assistant('reading')), item(call('t', '1')), user('there?'), item(assistant('no')), result('1', 'x')),
        ['there?', 'no', 'reading', 'call 1', 'result 1'],
      ],
    ])('%s', (_, messages, expected) => {
      expect(shown(messages)).toEqual(expected)
    })
  })
  it('says nothing that did not happen', () => {
    expect(missingResultText).toContain('No result')
    expect(repairHistory(history(call('t', '1'), user('w'), result('1', 'late text')))).toMatchObject([{ output: 'late text', after: 0 }])
  })
})
