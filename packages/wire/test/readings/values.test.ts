import { fingerprint, type Part } from '@precis/core'
import { describe, expect, it } from 'vitest'
import type { Wire } from '../../src/index.ts'
import { anthropic, chat, gemini, read, responses } from './setup.ts'

const told = (part: Part): string => ('text' in part ? part.text : 'output' in part ? part.output : 'input' in part ? part.input : '')
const said = (wire: Wire, ...values: readonly unknown[]): readonly (readonly string[])[] =>
  read(wire, ...values).map(({ message }) => [message.role, ...message.parts.map((part) => `${part.type}: ${told(part)}`)])

describe('what a value says', () => {
  const picture = { type: 'image', source: { media_type: 'image/png', data: 'AA==' } }
  it.each<[string, Wire, readonly unknown[], readonly (readonly string[])[]]>([
    [
      'chat: a call beside no content',
      chat,
      [{ role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 't', arguments: '{}' } }] }],
      [['assistant', 'tool-call: {}']],
    ],
    ['chat: a refusal is a text', chat, [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }], [['assistant', 'text: no']]],
    [
      'chat: reasoning that a server takes back',
      chat,
      [{ role: 'assistant', content: 'x', reasoning_content: 'hm' }],
      [['assistant', 'reasoning: hm', 'text: x']],
    ],
    [
      'chat: functions, the old way: a call without an id and its answer are a pair',
      chat,
      [
        { role: 'assistant', content: null, function_call: { name: 't', arguments: '{}' } },
        { role: 'function', name: 't', content: 'done' },
      ],
      [
        ['assistant', 'tool-call: {}'],
        ['tool', 'tool-result: done'],
      ],
    ],
    ['responses: a message without a type', responses, [{ role: 'user', content: 'hi' }], [['user', 'text: hi']]],
    [
      'responses: what a shell printed',
      responses,
      [{ type: 'shell_call_output', call_id: 'c', output: [{ stdout: 'a', stderr: 'b', outcome: {} }] }],
      [['tool', 'tool-result: a\nb']],
    ],
    [
      'responses: how a shell’s runs ended, once',
      responses,
      [
        {
          type: 'shell_call_output',
          call_id: 'c',
          output: [
            { stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
            { stdout: '', stderr: 'b', outcome: { type: 'exit', exit_code: 2 } },
            { stdout: 'c\n[exit code 3]', stderr: '', outcome: { type: 'exit', exit_code: 3 } },
            { stdout: '', stderr: '', outcome: { type: 'timeout' } },
          ],
        },
      ],
      [['tool', 'tool-result: a\nb\n[exit code 2]\nc\n[exit code 3]\n[timed out]']],
    ],
    ['responses: an item of the provider', responses, [{ type: 'web_search_call', id: 'w' }], [['assistant', 'opaque: ']]],
    [
      'anthropic: results and words of one message are two',
      anthropic,
      [
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'r' }, picture] }, { type: 'text', text: 'and now?' }, picture],
        },
      ],
      [
        ['tool', 'tool-result: r'],
        ['user', 'text: and now?', 'media: '],
      ],
    ],
    [
      'anthropic: what the provider runs stays whole',
      anthropic,
      [
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's' },
            { type: 'web_search_tool_result', tool_use_id: 's' },
            { type: 'text', text: 'found' },
          ],
        },
      ],
      [['assistant', 'opaque: ', 'opaque: ', 'text: found']],
    ],
    [
      'gemini: both spellings',
      gemini,
      [{ role: 'user', parts: [{ function_response: { name: 't', response: { output: 'r' } } }, { inline_data: { mime_type: 'image/png' } }] }],
      [
        ['tool', 'tool-result: r'],
        ['user', 'media: '],
      ],
    ],
    ['gemini: a part without brackets', gemini, [{ role: 'user', parts: { text: 'hello' } }], [['user', 'text: hello']]],
    [
      'chat: a refusal and what was spoken, beside no content',
      chat,
      [{ role: 'assistant', content: null, refusal: 'no', audio: { id: 'a' } }],
      [['assistant', 'text: no', 'opaque: ']],
    ],
    [
      'anthropic: what the provider runs, in two messages: a call and its result',
      anthropic,
      [
        { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'code_execution', input: {} }] },
        { role: 'assistant', content: [{ type: 'code_execution_tool_result', tool_use_id: 's', content: {} }] },
      ],
      [
        ['assistant', 'tool-call: {}'],
        ['assistant', 'tool-result: ', 'opaque: '],
      ],
    ],
    ['responses: a reference to an item', responses, [{ id: 'msg_1' }], [['assistant', 'opaque: ']]],
    ['what could not be read is kept whole', gemini, [{ role: 'user', parts: 'hello' }], [['user', 'opaque: ']]],
    ['what says nothing is empty', chat, [{ role: 'assistant', content: null, refusal: null, annotations: [], tool_calls: [] }], [['assistant']]],
    ['gemini: thoughts', gemini, [{ role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'x' }] }], [['assistant', 'reasoning: hm', 'text: x']]],
  ])('%s', (_, wire, values, expected) => {
    expect(said(wire, ...values)).toEqual(expected)
  })
  it('a provider’s own compaction guards what is before it', () => {
    expect(read(responses, { type: 'compaction', encrypted_content: 'x' })[0]?.message.parts[0]).toMatchObject({ barrier: true })
    expect(read(anthropic, { role: 'assistant', content: [{ type: 'compaction', content: 'x' }] })[0]?.message.parts[0]).toMatchObject({ barrier: true })
  })
})

describe('what is kept whole', () => {
  it.each<[string, Wire, (word: string) => unknown]>([
    ['chat: a block', chat, (word) => ({ role: 'user', content: [{ type: 'own', word }] })],
    ['responses: a search', responses, (word) => ({ type: 'web_search_call', id: 'w', action: { type: 'search', query: word } })],
    ['responses: a block', responses, (word) => ({ role: 'user', content: [{ type: 'own', word }] })],
    ['anthropic: a search', anthropic, (word) => ({ role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: { word } }] })],
    ['gemini: code', gemini, (word) => ({ role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: word } }] })],
    ['no message at all', chat, (word) => [word]],
  ])('%s: another one of the same length is another conversation', (_name, wire, made) => {
    const marked = (word: string): string => fingerprint(read(wire, made(word)).map(wire.codec.read))
    expect(marked('one')).not.toBe(marked('two'))
    expect(marked('one')).toBe(marked('one'))
  })
})
