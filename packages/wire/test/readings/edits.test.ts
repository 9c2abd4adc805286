import { describe, expect, it } from 'vitest'
import type { Wire, WireMessage } from '../../src/index.ts'
import { anthropic, chat, gemini, read, responses } from './setup.ts'

const output = (text: string, keepAttachments = false) => ({ outputs: new Map([['c1', { text, keepAttachments }]]), inputs: new Map<string, string>() })
const input = (text: string) => ({ outputs: new Map(), inputs: new Map([['c1', text]]) })
const edited = (wire: Wire, value: unknown, changes: Parameters<Wire['codec']['edit']>[1]): unknown =>
  wire.write(read(wire, value).map((message) => wire.codec.edit(message, changes)))[0]

describe('an edit changes the words and nothing beside them', () => {
  it.each<[string, Wire, unknown, Parameters<Wire['codec']['edit']>[1], unknown]>([
    [
      'chat, output',
      chat,
      { role: 'tool', tool_call_id: 'c1', content: 'long', x: 1 },
      output('short'),
      { role: 'tool', tool_call_id: 'c1', content: 'short', x: 1 },
    ],
    [
      'chat, arguments of one of two',
      chat,
      {
        role: 'assistant',
        content: 'a',
        name: 'n',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 't', arguments: '{"a":1}' } },
          { id: 'c2', function: { name: 't', arguments: '{}' } },
        ],
      },
      input('{}'),
      {
        role: 'assistant',
        content: 'a',
        name: 'n',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 't', arguments: '{}' } },
          { id: 'c2', function: { name: 't', arguments: '{}' } },
        ],
      },
    ],
    [
      'responses, output with a picture that is kept',
      responses,
      {
        type: 'function_call_output',
        id: 'o',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'long' },
          { type: 'input_image', image_url: 'u' },
        ],
      },
      output('short', true),
      {
        type: 'function_call_output',
        id: 'o',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'short' },
          { type: 'input_image', image_url: 'u' },
        ],
      },
    ],
    [
      'responses, arguments',
      responses,
      { type: 'function_call', id: 'f', call_id: 'c1', name: 't', arguments: '{"a":1}' },
      input('{}'),
      { type: 'function_call', id: 'f', call_id: 'c1', name: 't', arguments: '{}' },
    ],
    [
      'responses, a screenshot stays',
      responses,
      { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot' } },
      output('gone'),
      { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot' } },
    ],
    [
      'anthropic, one output beside words: one message still, results in front',
      anthropic,
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'long', is_error: true, cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'next' },
        ],
      },
      output('short'),
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'short', is_error: true, cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'next' },
        ],
      },
    ],
    [
      'anthropic, arguments beside a signed thought',
      anthropic,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 'c1', name: 't', input: { a: 1 } },
        ],
      },
      input('{"b":2}'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 'c1', name: 't', input: { b: 2 } },
        ],
      },
    ],
    [
      'gemini, a failure stays one; its signature too',
      gemini,
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 't', response: { error: 'long' } }, thoughtSignature: 's' }] },
      output('short'),
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 't', response: { error: 'short' } }, thoughtSignature: 's' }] },
    ],
    [
      'chat, attachments as one line',
      chat,
      { role: 'user', content: [{ type: 'image_url' }, { type: 'text', text: 'a' }, { type: 'file' }] },
      { ...input('{}'), media: 'two files' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'two files' },
          { type: 'text', text: 'a' },
        ],
      },
    ],
  ])('%s', (_, wire, value, changes, expected) => {
    const before = JSON.stringify(value)
    expect(edited(wire, value, changes)).toEqual(expected)
    expect(JSON.stringify(value)).toBe(before)
  })
  it('half of a message may leave: the other half keeps its other fields', () => {
    const value = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'r' },
        { type: 'text', text: 'next', cache_control: {} },
      ],
      x: 1,
    }
    const [, words] = read(anthropic, value)
    expect(anthropic.write([words as WireMessage])).toEqual([{ role: 'user', content: [{ type: 'text', text: 'next', cache_control: {} }], x: 1 }])
  })
  it('calls without ids never get one in the request', () => {
    const values = [
      { role: 'model', parts: [{ functionCall: { name: 't', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 't', response: { output: 'r' } } }] },
    ]
    const messages = read(gemini, ...values)
    const id = messages.flatMap(({ message }) => message.parts).find((part) => part.type === 'tool-result')?.callId ?? ''
    const answer = gemini.codec.createToolResults([{ callId: id, tool: 't', output: 'none' }])
    const shorter = messages.map((message) =>
      gemini.codec.edit(message, { outputs: new Map([[id, { text: 's', keepAttachments: false }]]), inputs: new Map([[id, '{"a":1}']]) }),
    )
    expect(JSON.stringify(gemini.write([...shorter, ...answer]))).not.toContain(id)
    expect(gemini.write(shorter)).toEqual([
      { role: 'model', parts: [{ functionCall: { name: 't', args: { a: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 't', response: { output: 's' } } }] },
    ])
  })
  it('an answer for a call that has none stands beside those that it has', () => {
    const call = {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a', name: 't', input: {} },
        { type: 'tool_use', id: 'b', name: 't', input: {} },
      ],
    }
    const answer = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] }
    const made = anthropic.codec.createToolResults([{ callId: 'b', tool: 't', output: 'none' }])
    expect(anthropic.write([...read(anthropic, call, answer), ...made])).toEqual([
      call,
      { role: 'user', content: [...answer.content, { type: 'tool_result', tool_use_id: 'b', content: 'none' }] },
    ])
  })
})
