import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createCodec } from '../src/index.ts'

describe('a tool of yours that is called like a provider’s own', () => {
  const own = createCodec<ModelMessage>()
  const call = (input: object) => own.read({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'mine', input }] } as ModelMessage)
  const answered = (value: object) => {
    const result = { type: 'tool-result', toolCallId: 'c', toolName: 'mine', output: { type: 'json', value } }
    return own.read({ role: 'tool', content: [result] } as ModelMessage).parts
  }
  it.each([
    [{ action: { commands: ['ls'] } }, { results: ['a.ts'] }],
    [{ action: { command: ['ls'] } }, { stdout: 'a.ts' }],
    [{ operation: { path: 'a.ts' } }, { ok: true, diff: '+1' }],
    [{ call_id: 'CA1' }, { tools: ['phone'], text: 'hello' }],
  ])('%j is answered with %j', (input, value) => {
    call(input)
    expect(answered(value)).toEqual([{ type: 'tool-result', callId: 'c', tool: 'mine', output: JSON.stringify(value) }])
  })
  it('with the id that a call of a shell had before', () => {
    call({ action: { commands: ['ls'] } })
    call({ city: 'Bern' })
    expect(answered({ output: 'sunny' })).toEqual([{ type: 'tool-result', callId: 'c', tool: 'mine', output: '{"output":"sunny"}' }])
  })
})

describe('an answer of a provider’s own shell', () => {
  const own = createCodec<ModelMessage>()
  const run = (stdout: string, outcome: object) => ({ stdout, stderr: '', outcome })
  const runs = [run('no such file', { type: 'exit', exitCode: 1 }), run('', { type: 'timeout' }), run('ok', { type: 'exit', exitCode: 0 })]
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'sh', input: { action: { commands: ['cat a', 'sleep 9', 'ls'] } } }
  const result = { type: 'tool-result', toolCallId: 'c', toolName: 'sh', output: { type: 'json', value: { output: runs } } }
  own.read({ role: 'assistant', content: [call] } as ModelMessage)
  const message = { role: 'tool', content: [result] } as ModelMessage
  it('is read with how each command ended', () => {
    expect(own.read(message).parts).toEqual([{ type: 'tool-result', callId: 'c', tool: 'sh', output: 'no such file\n[exit code 1]\n[timed out]\nok' }])
  })
  it('keeps that when it is shortened', () => {
    const outputs = new Map([['c', { text: 'less', keepAttachments: true }]])
    const edited = own.edit?.(message, { outputs, inputs: new Map() })
    const ends = runs.map(({ outcome }, at) => run(at === 0 ? 'less' : '', outcome))
    expect(edited).toEqual({ role: 'tool', content: [{ ...result, output: { type: 'json', value: { output: ends } } }] })
  })
})

it('what a provider’s own computer was told to do is sent as it is, whatever a rung would make of it', () => {
  const own = createCodec<ModelMessage>()
  const input = { actions: [{ type: 'drag', path: [{ x: 1, y: 1 }] }], pendingSafetyChecks: [], status: 'completed' }
  const message = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'computer', input }] } as ModelMessage
  own.read(message)
  expect(own.edit?.(message, { outputs: new Map(), inputs: new Map([['c', '{"actions":["[… 9 more]"]}']]) })).toEqual(message)
})
