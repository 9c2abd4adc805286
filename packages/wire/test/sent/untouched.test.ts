import { describe, expect, it } from 'vitest'
import type { WireName } from '../../src/index.ts'
import { request, send } from './setup.ts'

// A request that fits and that its provider takes goes out as it is.

const user = { type: 'message', role: 'user', content: 'go' }
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a moment' }] }
const thought = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'x' }
const screenshot = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA==' }
const called = (type: string, call_id: string, more: object = {}) => ({ type, call_id, ...more })
const fn = (id: string) => called('function_call', id, { name: 't', arguments: '{}' })
const out = (id: string) => called('function_call_output', id, { output: `of ${id}` })
const patch = (id: string) => called('apply_patch_call', id, { operation: { type: 'delete_file', path: id }, status: 'completed' })
const patched = (id: string) => called('apply_patch_call_output', id, { status: 'completed', output: 'ok' })
const shell = { type: 'local_shell_call', id: 'lsh_1', call_id: 'c', action: { type: 'exec', command: ['ls'], env: {} }, status: 'completed' }
const gemini = (role: string, ...parts: readonly object[]) => ({ role, parts })
const asked = (name: string, id?: string) => ({ functionCall: { ...(id !== undefined && { id }), name, args: {} } })
const answered = (name: string, output: string, id?: string) => ({ functionResponse: { ...(id !== undefined && { id }), name, response: { output } } })

describe('a valid request goes out as it is', () => {
  it.each<[string, WireName, readonly object[]]>([
    ['responses: parallel calls', 'openai-responses', [user, thought, fn('a'), fn('b'), out('a'), out('b')]],
    ['responses: parallel patches', 'openai-responses', [user, patch('a'), patch('b'), patched('a'), patched('b')]],
    [
      'responses: a call of the provider between',
      'openai-responses',
      [
        user,
        called('custom_tool_call', 'a', { name: 'sql', input: 'select 1' }),
        { type: 'mcp_call', id: 'm', name: 'x', server_label: 's', arguments: '{}', output: 'y' },
        called('custom_tool_call_output', 'a', { output: '1' }),
      ],
    ],
    [
      'responses: words between a computer’s call and its screenshot',
      'openai-responses',
      [user, called('computer_call', 'a', { action: { type: 'screenshot' } }), said, called('computer_call_output', 'a', { output: screenshot })],
    ],
    ...[{ id: 'c' }, { id: 'lsh_1' }, { id: 'out_1', call_id: 'c' }].map((ids): [string, WireName, readonly object[]] => [
      `responses: a local shell’s output by ${Object.keys(ids).join(' and ')} ${ids.id}`,
      'openai-responses',
      [user, shell, { type: 'local_shell_call_output', ...ids, output: 'a.ts' }],
    ]),
    [
      'gemini: a result without the id of its call',
      'gemini',
      [gemini('user', { text: 'go' }), gemini('model', asked('f', 'abc')), gemini('user', answered('f', 'x'))],
    ],
    [
      'gemini: a call without the id of its result',
      'gemini',
      [gemini('user', { text: 'go' }), gemini('model', asked('f')), gemini('user', answered('f', 'x', 'abc'))],
    ],
    [
      'gemini: some with ids, in another order',
      'gemini',
      [
        gemini('user', { text: 'go' }),
        gemini('model', asked('f', '1'), asked('g'), asked('f')),
        gemini('user', answered('g', 'b'), answered('f', 'c', '9'), answered('f', 'a', '1')),
      ],
    ],
    ['gemini: one part without brackets', 'gemini', [{ role: 'user', parts: { text: 'hello' } }]],
    [
      'chat: a spoken reply, a refusal, pictures that a model made',
      'openai-chat',
      [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: null, audio: { id: 'audio_1' } },
        { role: 'user', content: 'and?' },
        { role: 'assistant', content: null, refusal: 'I will not.' },
        { role: 'user', content: 'and?' },
        { role: 'assistant', content: null, images: [{ type: 'image_url', image_url: { url: 'https://x.org/a.png' } }] },
        { role: 'user', content: { type: 'text', text: 'and?' } },
      ],
    ],
    [
      'anthropic: code that calls tools, its result two messages on',
      'anthropic',
      [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'code_execution', input: { code: 'await t()' } },
            { type: 'tool_use', id: 'c', name: 't', input: {}, caller: { type: 'code_execution_20260120', tool_id: 's' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'r' }] },
        { role: 'assistant', content: [{ type: 'code_execution_tool_result', tool_use_id: 's', content: { type: 'code_execution_result', stdout: 'r' } }] },
        { role: 'user', content: 'thanks' },
      ],
    ],
  ])('%s', async (_, name, values) => {
    const sent = await send(name, values)
    expect(sent.values).toBe(values)
  })
  it('gemini: each result is read as that of its own call', () => {
    const values = [
      gemini('model', asked('f', '1'), asked('g'), asked('f')),
      gemini('user', answered('f', 'c'), answered('g', 'b', '9'), answered('f', 'a', '1')),
    ]
    const parts = request('gemini', values).messages.flatMap(({ message }) => message.parts)
    const [one, two, three] = parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
    expect(parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []))).toEqual([three, two, one])
  })
})
