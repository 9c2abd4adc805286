import { neutralCodec } from '@precis/testkit'
import { expect, it } from 'vitest'
import { sessionOf } from '../sessions/own-sessions.ts'

const message = (role: string, ...parts: readonly object[]) => ({ role, parts })
const call = (callId: string, input = '{"path":"a.ts"}') => ({ type: 'tool-call', callId, tool: 'read', input })
const result = (callId: string, output: string) => ({ type: 'tool-result', callId, tool: '', output })
const text = (said: string) => ({ type: 'text', text: said })

it('a session of your own has each answer behind its call, under the tool’s name, and nothing that is half', () => {
  const messages = [
    message('system', text('You code.')),
    message('user', text('Fix it.')),
    message('assistant', { type: 'reasoning', text: 'Hm.', sealed: true }, text('I look.'), call('1'), call('2', 'not JSON'), call('lost')),
    message('tool', result('2', 'two'), result('orphan', 'nobody asked')),
    message('tool', { ...result('1', 'one'), isError: true }),
    message('assistant', text('Done.')),
  ]
  expect(sessionOf({ name: 'mine', messages, codec: neutralCodec as never, since: 5 })).toEqual({
    id: 'mine',
    domain: 'coding',
    messages: [
      { role: 'user', content: 'Fix it.' },
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: '1', name: 'read', arguments: { path: 'a.ts' } },
          { id: '2', name: 'read', arguments: { input: 'not JSON' } },
        ],
      },
      { role: 'tool', content: 'one', toolCallId: '1', toolName: 'read', isError: true },
      { role: 'tool', content: 'two', toolCallId: '2', toolName: 'read' },
      { role: 'assistant', content: 'Done.' },
    ],
    compactions: [{ beforeMessage: 4, summary: '' }],
  })
})
