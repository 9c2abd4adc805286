import { createCompactor } from '@precis/core'
import { adapterCases } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import type { AgentItem } from '../src/index.ts'
import { codec, make } from './make.ts'

describe('agent items keep the laws of adapters', () => {
  it.each(adapterCases)('$name', ({ run }) => run({ codec, make, splits: 'parts' }), 60_000)
})

describe('a call that nobody answered', () => {
  const prepared = async (...items: readonly AgentItem[]): Promise<readonly AgentItem[]> => {
    const session = createCompactor({ codec, limits: { contextWindow: 128_000 } }).session('s')
    return (await session.beforeModelCall([{ role: 'user', content: 'Go.' }, ...items, { role: 'user', content: 'And now?' }])).messages
  }
  it.each([
    [
      { type: 'shell_call', callId: 'c', action: { commands: ['ls'] } },
      { type: 'shell_call_output', callId: 'c', output: [expect.objectContaining({ outcome: { type: 'timeout' } })] },
    ],
    [
      { type: 'apply_patch_call', callId: 'c', operation: { type: 'delete_file', path: 'a' } },
      expect.objectContaining({ type: 'apply_patch_call_output', status: 'failed' }),
    ],
    [{ type: 'function_call', callId: 'c', name: 'read', arguments: '{}' }, expect.objectContaining({ type: 'function_call_result', name: 'read' })],
  ])('is answered in its own kind: $type', async (item, answer) => {
    expect((await prepared(item))[2]).toEqual(answer)
  })
  it('a late answer of a shell stays one', async () => {
    const late = { type: 'shell_call_output', callId: 'c', output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] }
    const items = await prepared({ type: 'shell_call', callId: 'c', action: { commands: ['ls'] } }, { role: 'user', content: 'Wait.' }, late)
    expect(items[2]).toMatchObject({ type: 'shell_call_output', output: [{ stdout: 'a.txt' }] })
  })
})

describe('items of every kind', () => {
  it.each([
    ['a message without a type', { role: 'user', content: 'hi' }, { role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
    [
      'reasoning',
      { type: 'reasoning', id: 'rs_1', content: [{ type: 'input_text', text: 'hm' }] },
      { role: 'assistant', item: true, parts: [{ type: 'reasoning', text: 'hm', sealed: true }] },
    ],
    [
      'a shell call',
      { type: 'shell_call', callId: 's', action: { commands: ['ls'] } },
      { role: 'assistant', item: true, parts: [{ type: 'tool-call', callId: 's', tool: 'shell_call', input: '{"commands":["ls"]}' }] },
    ],
    [
      'its output',
      { type: 'shell_call_output', callId: 's', output: [{ stdout: 'a', stderr: 'b', outcome: { type: 'exit', exitCode: 0 } }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 's', tool: '', output: 'a\nb' }] },
    ],
    [
      'the output of one that failed',
      { type: 'shell_call_output', callId: 's', output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exitCode: 1 } }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 's', tool: '', output: 'a\n[exit code 1]' }] },
    ],
    [
      'a patch that failed',
      { type: 'apply_patch_call_output', callId: 'p', status: 'failed', output: 'no such line' },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'p', tool: '', output: 'no such line', isError: true }] },
    ],
    [
      'a result that is a string',
      { type: 'function_call_result', callId: 'f', name: 't', status: 'completed', output: 'x' },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'f', tool: 't', output: 'x' }] },
    ],
    [
      'what nobody knows',
      { type: 'unknown', providerData: { a: 1 } },
      {
        role: 'assistant',
        item: true,
        parts: [
          {
            type: 'opaque',
            kind: 'unknown',
            size: JSON.stringify({ type: 'unknown', providerData: { a: 1 } }).length,
            value: { type: 'unknown', providerData: { a: 1 } },
          },
        ],
      },
    ],
  ] as const)('%s', (_, item, expected) => {
    expect(codec.read(item as AgentItem)).toEqual(expected)
  })
  it('the provider’s own compaction guards all before it', () => {
    expect(codec.read({ type: 'compaction', encrypted_content: 'x' }).parts[0]).toMatchObject({ type: 'opaque', barrier: true })
  })
  it('results keep their kind: id, name and status, images with a view, the outcome of a shell', () => {
    const changes = { outputs: new Map([['c', { text: 'short', keepAttachments: true }]]), inputs: new Map<string, string>() }
    const withImage = {
      type: 'function_call_result',
      callId: 'c',
      name: 't',
      status: 'completed',
      output: [
        { type: 'input_text', text: 'long' },
        { type: 'input_image', image: 'data:' },
      ],
    }
    expect(codec.edit(withImage, changes)).toEqual({
      ...withImage,
      output: [
        { type: 'input_text', text: 'short' },
        { type: 'input_image', image: 'data:' },
      ],
    })
    const shell = { type: 'shell_call_output', callId: 'c', output: [{ stdout: 'long', stderr: '', outcome: { type: 'exit', exitCode: 1 } }] }
    expect(codec.edit(shell, changes)).toEqual({ ...shell, output: [{ stdout: 'short', stderr: '', outcome: { type: 'exit', exitCode: 1 } }] })
  })
})
