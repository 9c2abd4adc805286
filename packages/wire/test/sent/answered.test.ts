import { missingResultText } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { type WireMessage, type WireName, wires } from '../../src/index.ts'
import { request, send } from './setup.ts'

const user = (content: string) => ({ type: 'message', role: 'user', content })
const called = (type: string, more: object = {}) => ({ type, id: 'i', call_id: 'c', ...more })
const thought = { type: 'reasoning', id: 'rs', summary: [] }
const caller = { type: 'program', caller_id: 'p' }

describe('responses: a call that was never answered', () => {
  it.each<[object, object]>([
    [called('function_call', { name: 't', arguments: '{}', caller }), { type: 'function_call_output', call_id: 'c', caller, output: missingResultText }],
    [called('custom_tool_call', { name: 'shell', input: 'x' }), { type: 'custom_tool_call_output', call_id: 'c', output: missingResultText }],
    [called('apply_patch_call', { operation: {} }), { type: 'apply_patch_call_output', call_id: 'c', status: 'failed', output: missingResultText }],
    [called('local_shell_call', { action: {} }), { type: 'local_shell_call_output', call_id: 'c', id: 'c', output: missingResultText }],
    [
      called('shell_call', { action: { commands: ['ls'] } }),
      { type: 'shell_call_output', call_id: 'c', output: [{ stdout: missingResultText, stderr: '', outcome: { type: 'timeout' } }] },
    ],
  ])('%o is answered in its own kind', async (call, expected) => {
    expect((await send('openai-responses', [user('go'), thought, call, user('and?')])).values).toEqual([user('go'), thought, call, expected, user('and?')])
  })
  const click = called('computer_call', { action: { type: 'click' } })
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a moment' }] }
  it.each<[string, readonly object[], readonly object[]]>([
    ['with the thought that led to it', [user('go'), thought, click, user('and?')], [user('go'), user('and?')]],
    ['not with what else its reply says', [user('go'), thought, said, click, user('and?')], [user('go'), thought, said, user('and?')]],
    ['whatever its reply says behind it', [user('go'), thought, click, said, user('and?')], [user('go'), thought, said, user('and?')]],
  ])('for a screenshot leaves: %s', async (_, values, expected) => {
    expect((await send('openai-responses', values)).values).toEqual(expected)
  })
})

it('a late result with another text keeps its kind and its fields', () => {
  const call = called('custom_tool_call', { name: 't', input: 'x' })
  const result = { type: 'custom_tool_call_output', call_id: 'c', id: 'o', output: [{ type: 'input_text', text: 'long' }] }
  const given = request('openai-responses', [user('go'), call, user('wait'), result])
  const [first, second, third] = given.messages as [WireMessage, WireMessage, WireMessage]
  const { codec, writeRequest } = wires['openai-responses']
  const messages = [first, second, ...codec.createToolResults([{ callId: 'c', tool: 't', output: 'short' }]), third]
  const moved = { ...result, output: [{ type: 'input_text', text: 'short' }] }
  expect(writeRequest(given, { messages })['input']).toEqual([user('go'), call, moved, user('wait')])
})

describe('a result that came late moves as it is', () => {
  const png = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
  const screenshot = called('computer_call_output', { output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA==' } })
  const shown = [
    { type: 'text', text: 'r' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
  ]
  const failed = { type: 'tool_result', tool_use_id: 'c', is_error: true, content: shown }
  const words = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
  it.each<[string, WireName, readonly object[], readonly object[]]>([
    [
      'responses: a screenshot',
      'openai-responses',
      [user('go'), called('computer_call', { action: {} }), user('wait'), screenshot],
      [user('go'), called('computer_call', { action: {} }), screenshot, user('wait')],
    ],
    [
      'responses: a result with a picture',
      'openai-responses',
      [user('go'), called('function_call', { name: 't', arguments: '{}' }), user('wait'), called('function_call_output', { output: [png] })],
      [user('go'), called('function_call', { name: 't', arguments: '{}' }), called('function_call_output', { output: [png] }), user('wait')],
    ],
    [
      'anthropic: a failure with a picture',
      'anthropic',
      [
        words('user', 'go'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 't', input: {} }] },
        words('user', 'wait'),
        { role: 'user', content: [failed] },
      ],
      [
        words('user', 'go'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 't', input: {} }] },
        { role: 'user', content: [failed] },
        words('user', 'wait'),
      ],
    ],
  ])('%s', async (_, name, values, expected) => {
    expect((await send(name, values)).values).toEqual(expected)
  })
})
