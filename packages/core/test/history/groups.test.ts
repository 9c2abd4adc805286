import { createCompactor, groupMessages, type Message, neutralCodec, pairToolCalls, safeCuts } from '@precis/core'
import { assistant, call, calls, history, result, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const spans = (messages: readonly Message[]): string =>
  groupMessages(messages)
    .map(({ start, end, pending, barrier }) => `${start}-${end - 1}${pending ? '?' : ''}${barrier ? '!' : ''}`)
    .join(' ')
const reasoning: Message = { role: 'assistant', parts: [{ type: 'reasoning', text: 'hm', sealed: true }] }
const barrier: Message = { role: 'assistant', parts: [{ type: 'opaque', kind: 'compaction', size: 40, barrier: true }] }
const approval = (state: 'requested' | 'granted', callId: string): Message => ({
  role: state === 'requested' ? 'assistant' : 'tool',
  parts: [{ type: 'approval', callId, state }],
})

describe('groups', () => {
  it.each([
    ['plain messages are groups of one', history(user('a'), assistant('b'), user('c')), '0-0 1-1 2-2'],
    ['a call and its result', history(user('a'), step('t', '1', {}, 'x'), user('b')), '0-0 1-2 3-3'],
    [
      'parallel calls and all results',
      history(
        calls([
          ['t', '1'],
          ['t', '2'],
        ]),
        result('1', 'x'),
        result('2', 'y'),
        user('b'),
      ),
      '0-2 3-3',
    ],
    ['one item per call', history(call('t', '1'), call('t', '2'), result('1', 'x'), result('2', 'y')), '0-3'],
    ['reasoning of its own and what it belongs to', history(reasoning, call('t', '1'), result('1', 'x')), '0-2'],
    ['reasoning, and all that its reply says and calls', history(reasoning, assistant('b'), call('t', '1'), result('1', 'x')), '0-3'],
    ['a reply without a call, and the next one', history(reasoning, assistant('b'), reasoning, call('t', '1'), result('1', 'x')), '0-1 2-4'],
    ['a user who interrupts', history(call('t', '1'), user('wait'), result('1', 'x')), '0-2'],
    ['a call in flight', history(user('a'), call('t', '1')), '0-0 1-1?'],
    [
      'some of several in flight',
      history(
        calls([
          ['t', '1'],
          ['t', '2'],
        ]),
        result('1', 'x'),
      ),
      '0-1?',
    ],
    ['an unanswered call that others have passed', history(call('t', '1'), user('b')), '0-0 1-1'],
    ['an approval belongs to its call', history(call('t', '1'), approval('requested', '1'), approval('granted', '1'), result('1', 'x')), '0-3'],
    ['a provider’s own compaction', history(user('a'), barrier, user('b')), '0-0 1-1! 2-2'],
    ['ids used again after they were answered', history(step('t', '1', {}, 'x'), step('t', '1', {}, 'y')), '0-1 2-3'],
    ['nothing', history(), ''],
  ])('%s', (_, messages, expected) => {
    expect(spans(messages)).toBe(expected)
  })

  it('may be cut between, never inside', () => {
    expect(safeCuts(groupMessages(history(user('a'), step('t', '1', {}, 'x'), user('b'))))).toEqual([0, 1, 3, 4])
    expect(safeCuts([])).toEqual([0])
  })

  it('a program that the provider runs reaches to the last of what it calls, and to its own result', () => {
    const program: Message = { role: 'assistant', parts: [{ type: 'tool-call', callId: 'p', tool: 'code', input: '{}', providerExecuted: true }] }
    const called = (callId: string): readonly Message[] => [
      { role: 'assistant', parts: [{ type: 'tool-call', callId, tool: 'query', input: '{}', caller: 'p' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId, tool: 'query', output: 'rows' }] },
    ]
    const running = [user('a'), program, ...called('1'), ...called('2')]
    expect(spans(running)).toBe('0-0 1-5?')
    const done: Message = { role: 'assistant', parts: [{ type: 'tool-result', callId: 'p', tool: 'code', output: 'done' }] }
    expect(spans([...running, done, user('b'), ...called('3')])).toBe('0-0 1-6 7-7 8-9')
  })
  it('pairs a provider’s own call inside one message', () => {
    const message: Message = {
      role: 'assistant',
      parts: [
        { type: 'tool-call', callId: 'p', tool: 'search', input: '{}', providerExecuted: true },
        { type: 'tool-result', callId: 'p', tool: 'search', output: 'found' },
      ],
    }
    expect(pairToolCalls([message]).pairs).toMatchObject([{ callId: 'p', call: 0, result: 0, providerExecuted: true }])
  })
})

it('twenty thousand calls in one message are read in a time that grows as they do', { timeout: 30_000 }, async () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => `k${at}`)
  const messages: readonly Message[] = [
    { role: 'user', parts: [{ type: 'text', text: 'Pay them all.' }] },
    { role: 'assistant', parts: ids.map((callId) => ({ type: 'tool-call', callId, tool: 'pay', input: `{"to":"${callId}"}` })) },
    { role: 'tool', parts: ids.map((callId) => ({ type: 'tool-result', callId, tool: 'pay', output: `paid ${callId}` })) },
    { role: 'user', parts: [{ type: 'text', text: 'Are all paid?' }] },
  ]
  const started = performance.now()
  const { report } = await createCompactor({ codec: neutralCodec, limits: { contextWindow: 16_000 } })
    .session('s')
    .beforeModelCall(messages)
  expect(report.outcome).not.toBe('unchanged')
  expect(performance.now() - started).toBeLessThan(10_000)
})
