import { describe, expect, it } from 'vitest'
import type { Wire } from '../../src/index.ts'
import { anthropic, chat, gemini, read, responses } from './setup.ts'

// An edit of an output changes its text: whatever else its result holds stays.

const edited = (wire: Wire, value: object, keepAttachments: boolean): unknown =>
  wire.write(read(wire, value).map((one) => wire.codec.edit(one, { outputs: new Map([['c1', { text: 'short', keepAttachments }]]), inputs: new Map() })))[0]

const cache_control = { type: 'ephemeral' }
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
const found = { type: 'search_result', title: 'T', source: 'https://x.org', content: [{ type: 'text', text: 'found' }], citations: { enabled: true } }
const file = { type: 'document', title: 'F', source: { type: 'text', media_type: 'text/plain', data: 'all of it' } }
const reference = { type: 'tool_reference', tool_name: 'other' }
const ofAnthropic = (...content: readonly object[]) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content }] })
const ofChat = (...content: readonly object[]) => ({ role: 'tool', tool_call_id: 'c1', content })
const ofResponses = (...output: readonly object[]) => ({ type: 'function_call_output', call_id: 'c1', output })
const ofGemini = (response: unknown, ...parts: readonly object[]) => ({
  role: 'user',
  parts: [{ functionResponse: { id: 'c1', name: 't', response, ...(parts.length > 0 && { parts }) } }],
})
const text = (said: string, more: object = {}) => ({ type: 'text', text: said, ...more })
const input = (said: string, more: object = {}) => ({ type: 'input_text', text: said, ...more })
const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } }
const csv = { inlineData: { mimeType: 'text/csv', data: 'YSxi' } }
const inline = { inlineData: { mimeType: 'image/png', data: 'AA==' } }

describe('a list stays a list', () => {
  it.each<[string, Wire, object, boolean, object]>([
    ['a mark on its text', anthropic, ofAnthropic(text('long', { cache_control })), false, ofAnthropic(text('short', { cache_control }))],
    ['a mark on its last text', anthropic, ofAnthropic(text('a'), text('b', { cache_control })), false, ofAnthropic(text('short', { cache_control }))],
    ['what is attached goes unless it is kept', anthropic, ofAnthropic(png, text('long')), false, ofAnthropic(text('short'))],
    ['what is attached stays in its place', anthropic, ofAnthropic(png, text('long')), true, ofAnthropic(png, text('short'))],
    ['what is neither text nor attachment stays', anthropic, ofAnthropic(text('long'), reference), false, ofAnthropic(text('short'), reference)],
    [
      'a search result keeps its place and its names',
      anthropic,
      ofAnthropic(text('long'), { ...found, cache_control }),
      false,
      ofAnthropic(text('short'), { ...found, cache_control, content: [text('…')] }),
    ],
    [
      'text documents too',
      anthropic,
      ofAnthropic(file),
      false,
      ofAnthropic(text('short'), { ...file, source: { type: 'text', media_type: 'text/plain', data: '…' } }),
    ],
    ['chat: fields of its text', chat, ofChat(text('a', breakpoint), text('b')), false, ofChat(text('short', breakpoint))],
    ['responses: fields of its text', responses, ofResponses(input('a'), input('b', breakpoint)), false, ofResponses(input('short', breakpoint))],
  ])('%s', (_, wire, value, keepAttachments, expected) => {
    expect(edited(wire, value, keepAttachments)).toEqual(expected)
  })
})

describe('gemini: a response', () => {
  const outputOf = (response: unknown) => {
    const part = read(gemini, ofGemini(response))[0]?.message.parts[0]
    return part?.type === 'tool-result' && [part.isError === true, part.output]
  }
  const big = 'x'.repeat(500)
  it.each<[string, unknown, readonly [boolean, string], unknown]>([
    ['an output', { output: 'long' }, [false, 'long'], { output: 'short' }],
    ['an error', { error: 'long' }, [true, 'long'], { error: 'short' }],
    ['an empty error is none', { error: null, rows: [1] }, [false, '{"error":null,"rows":[1]}'], { output: 'short' }],
    ['an empty error beside an output stays', { error: '', output: 'long' }, [false, 'long\n{"error":""}'], { error: '', output: 'short' }],
    [
      'small fields beside an output stay',
      { output: 'long', exit_code: 1, artifact: 'a-17' },
      [false, 'long\n{"exit_code":1,"artifact":"a-17"}'],
      { output: 'short', exit_code: 1, artifact: 'a-17' },
    ],
    ['large ones make it one value', { output: 'ok', stderr: big }, [false, `{"output":"ok","stderr":"${big}"}`], { output: 'short' }],
    ['large ones beside an error too', { error: 'no', stderr: big }, [true, `{"error":"no","stderr":"${big}"}`], { error: 'short' }],
    ['fields alone are one value', { rows: [1, 2] }, [false, '{"rows":[1,2]}'], { output: 'short' }],
    ['no object', 'long', [false, 'long'], { output: 'short' }],
  ])('%s', (_, response, said, expected) => {
    expect(outputOf(response)).toEqual(said)
    expect(edited(gemini, ofGemini(response), false)).toEqual(ofGemini(expected))
  })
  it('a text file beside it is part of its text', () => {
    expect(edited(gemini, ofGemini({ output: 'long' }, csv, inline), true)).toEqual(ofGemini({ output: 'short' }, inline))
    expect(edited(gemini, ofGemini({ output: 'long' }, csv, inline), false)).toEqual(ofGemini({ output: 'short' }))
  })
})

it('responses: what a call asks for is cut in its own field', () => {
  const call = (type: string, more: object) => ({ type, call_id: 'c1', ...more })
  const cut = (value: object, given: object): unknown =>
    responses.write(read(responses, value).map((one) => responses.codec.edit(one, { outputs: new Map(), inputs: new Map([['c1', JSON.stringify(given)]]) })))[0]
  const action = { commands: ['long'], timeout_ms: 9 }
  expect(cut(call('shell_call', { action }), { commands: ['s'], timeout_ms: 9 })).toEqual(call('shell_call', { action: { commands: ['s'], timeout_ms: 9 } }))
  const operation = { type: 'create_file', path: 'a', diff: 'long' }
  expect(cut(call('apply_patch_call', { operation }), { diff: 's' })).toEqual(call('apply_patch_call', { operation: { ...operation, diff: 's' } }))
  expect(cut(call('computer_call', { action: { type: 'type', text: 'long' } }), { text: 's' })).toEqual(
    call('computer_call', { action: { type: 'type', text: 's' } }),
  )
  const click = call('computer_call', { action: { type: 'click' } })
  expect(cut(click, { x: 1 })).toBe(click)
})
