import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pairToolCalls } from '@precis/core'
import {
  createRandom,
  generateHistory,
  toAnthropic,
  toGemini,
  toOpenAIChat,
  toOpenAIResponses,
  validateAnthropic,
  validateGemini,
  validateOpenAIResponses,
} from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { compactTranscript, inspect, parseTranscripts, TranscriptError } from '../src/index.ts'

const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n')
const time = { timestamp: '2026-11-21T10:00:00Z' }

/** One conversation, as each of them writes it down. */
const shapes: Readonly<Record<string, string>> = {
  anthropic: JSON.stringify({
    model: 'x',
    messages: [
      { role: 'user', content: 'fix it' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'no such file' }], is_error: true }] },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    ],
  }),
  'openai-responses': JSON.stringify([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'fix it' }] },
    { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'no such file' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
  ]),
  'openai-agents': JSON.stringify([
    { type: 'message', role: 'user', content: 'fix it' },
    { type: 'reasoning', id: 'rs', content: [{ type: 'input_text', text: 'hm' }] },
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', callId: 'c1', name: 'read', arguments: '{"path":"a"}', status: 'completed' },
    { type: 'function_call_result', callId: 'c1', name: 'read', status: 'completed', output: { type: 'text', text: 'no such file' } },
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] },
  ]),
  gemini: JSON.stringify({
    contents: [
      { role: 'user', parts: [{ text: 'fix it' }] },
      { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'I look.' }, { functionCall: { name: 'read', args: { path: 'a' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { error: 'no such file' } } }] },
      { role: 'model', parts: [{ text: 'done' }] },
    ],
  }),
  langchain: JSON.stringify([
    { type: 'human', data: { content: 'fix it' } },
    { type: 'ai', data: { content: 'I look.', tool_calls: [{ id: 'c1', name: 'read', args: { path: 'a' } }] } },
    { type: 'tool', data: { content: 'no such file', tool_call_id: 'c1', name: 'read', status: 'error' } },
    { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs: { content: 'done' } },
  ]),
  'ui-messages': JSON.stringify([
    { id: '1', role: 'user', parts: [{ type: 'text', text: 'fix it' }] },
    {
      id: '2',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'I look.' },
        { type: 'tool-read', toolCallId: 'c1', state: 'output-error', input: { path: 'a' }, errorText: 'no such file' },
        { type: 'step-start' },
        { type: 'text', text: 'done' },
      ],
    },
  ]),
  'claude-code': lines([
    { type: 'summary', summary: 'Fixing', leafUuid: 'u3' },
    { type: 'user', uuid: 'u1', isSidechain: false, ...time, message: { role: 'user', content: 'fix it' } },
    {
      type: 'assistant',
      uuid: 'u2',
      ...time,
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'I look.' },
        ],
      },
    },
    { type: 'assistant', uuid: 'u3', ...time, message: { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } }] } },
    { type: 'user', uuid: 's1', isSidechain: true, ...time, message: { role: 'user', content: 'another agent’s task' } },
    {
      type: 'user',
      uuid: 'u4',
      ...time,
      toolUseResult: {},
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'no such file', is_error: true }] },
    },
    { type: 'system', uuid: 'x', content: 'bookkeeping' },
    { type: 'assistant', uuid: 'u5', ...time, message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] } },
  ]),
  codex: lines([
    { ...time, type: 'session_meta', payload: { id: 'x', cwd: '/w', cli_version: '1' } },
    { ...time, type: 'event_msg', payload: { type: 'token_count' } },
    { ...time, type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'fix it' }] } },
    { ...time, type: 'response_item', payload: { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' } },
    { ...time, type: 'response_item', payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] } },
    { ...time, type: 'response_item', payload: { type: 'function_call', name: 'read', arguments: '{"path":"a"}', call_id: 'c1' } },
    { ...time, type: 'response_item', payload: { type: 'function_call_output', call_id: 'c1', output: 'no such file' } },
    { ...time, type: 'response_item', payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] } },
  ]),
  pi: lines([
    { type: 'session', id: 'x', cwd: '/w', ...time },
    { type: 'message', id: '1', ...time, message: { role: 'user', content: [{ type: 'text', text: 'fix it' }] } },
    {
      type: 'message',
      id: '2',
      ...time,
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'I look.' },
          { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
        ],
      },
    },
    {
      type: 'message',
      id: '3',
      ...time,
      message: { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'no such file' }], isError: true },
    },
    { type: 'message', id: '4', ...time, message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] } },
  ]),
  'gemini-cli': JSON.stringify({
    sessionId: 'x',
    projectHash: 'y',
    messages: [
      { id: '1', ...time, type: 'user', content: 'fix it' },
      {
        id: '2',
        ...time,
        type: 'gemini',
        content: 'I look.',
        thoughts: [{ subject: 'hm', description: 'well' }],
        toolCalls: [
          {
            id: 'c1',
            name: 'read',
            args: { path: 'a' },
            status: 'error',
            result: [{ functionResponse: { id: 'c1', name: 'read', response: { error: 'no such file' } } }],
          },
        ],
        model: 'm',
      },
      { id: '3', ...time, type: 'info', content: 'bookkeeping' },
      { id: '4', ...time, type: 'gemini', content: 'done' },
    ],
  }),
  opencode: JSON.stringify({
    info: { id: 'ses_1', title: 'Fixing' },
    messages: [
      { info: { id: 'm1', role: 'user' }, parts: [{ type: 'text', text: 'fix it' }] },
      {
        info: { id: 'm2', role: 'assistant' },
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'I look.' },
          { type: 'tool', callID: 'c1', tool: 'read', state: { status: 'error', input: { path: 'a' }, error: 'no such file' } },
          { type: 'step-finish' },
          { type: 'step-start' },
          { type: 'text', text: 'done' },
        ],
      },
    ],
  }),
}

describe.each(Object.keys(shapes))('%s', (format) => {
  const [transcript] = parseTranscripts(shapes[format] as string, 'file')
  const read = transcript?.messages.map((message) => transcript.codec.read(message)) ?? []
  it('is found by its shape', () => {
    expect(transcript?.format).toBe(format)
  })
  it('says the same as the others: who said what, the call, its answer, in order', () => {
    const parts = read.flatMap((message) => message.parts.map((part) => ({ role: message.role, ...part })))
    const told = parts
      .filter((part) => part.type !== 'reasoning')
      .map((part) => [part.role, part.type, 'text' in part ? part.text : 'output' in part ? part.output : 'input' in part ? part.input : ''])
    expect(told).toEqual([
      ['user', 'text', 'fix it'],
      ['assistant', 'text', 'I look.'],
      ['assistant', 'tool-call', '{"path":"a"}'],
      ['tool', 'tool-result', 'no such file'],
      ['assistant', 'text', 'done'],
    ])
    const ids = parts.flatMap((part) => ('callId' in part ? [part.callId] : []))
    expect(new Set(ids).size).toBe(1)
  })
  it('can be inspected and compacted', async () => {
    if (transcript === undefined) throw new Error('not found')
    expect(inspect(transcript).tokens).toBeGreaterThan(10)
    expect((await compactTranscript(transcript, { window: 2_000 })).messages.length).toBeGreaterThan(0)
  })
})

it('files that are cut, mixed, torn or no text at all: a clear message, or a transcript, never anything else', () => {
  const random = createRandom(11)
  const sources = [...Object.values(shapes), lines(generateHistory(4)), readFileSync(join(import.meta.dirname, '../../../examples/data/chat.jsonl'), 'utf8')]
  const junk = [
    'null',
    '5',
    '"text"',
    '[]',
    '{}',
    '[[]]',
    '{"role":5}',
    '{"messages":5}',
    '\u0000\u0001\ufffd',
    '{"parts":[null]}',
    '[{"role":"user","content":{"a":1}}]',
    '{"type":"user","uuid":"x","message":null}',
  ]
  const seen = { refused: 0, read: 0 }
  for (let at = 0; at < 600; at++) {
    let text = random.pick(sources)
    const way = at % 6
    if (way === 0) text = text.slice(0, random.between(0, text.length))
    if (way === 1) text = text.slice(random.between(0, text.length))
    if (way === 2) text = `${random.pick(junk)}\n${text}`
    if (way === 3) text = text.replaceAll(random.pick(['"role"', '"content"', '"type"', '"parts"', '{', '"text"']), random.pick(['"x"', 'null', '[', '5']))
    if (way === 4) text = random.pick(junk) + (at % 12 === 4 ? `\n${random.pick(junk)}` : '')
    if (way === 5) text = text.replace(/"[a-z_]+":"[^"]*"/, `"huge":"${'x'.repeat(200_000)}"`)
    try {
      for (const transcript of parseTranscripts(text, 'file')) for (const message of transcript.messages) transcript.codec.read(message)
      seen.read++
    } catch (error) {
      expect(error, `${way}: ${text.slice(0, 80)}`).toBeInstanceOf(TranscriptError)
      seen.refused++
    }
  }
  expect(seen.refused).toBeGreaterThan(100)
  expect(seen.read).toBeGreaterThan(50)
})

describe('what is written back', () => {
  const generated = generateHistory(14, { turns: 40 })
  const long: Readonly<Record<string, readonly unknown[]>> = {
    anthropic: toAnthropic(generated),
    'openai-responses': toOpenAIResponses(generated),
    gemini: toGemini(generated),
  }
  const validate: Readonly<Record<string, (messages: readonly never[]) => readonly unknown[]>> = {
    anthropic: (messages) => validateAnthropic(messages).filter(({ rule }) => rule !== 'no-prefill'),
    'openai-responses': (messages) => validateOpenAIResponses(messages),
    gemini: (messages) => validateGemini(messages),
  }
  const written = ['anthropic', 'openai-responses', 'gemini', 'langchain', 'ui-messages']

  it.each(written)('%s: what a compaction left alone is what was read, field by field', (format) => {
    const [transcript] = parseTranscripts(shapes[format] as string, 'file')
    const whole = JSON.parse(shapes[format] as string) as { messages?: unknown; contents?: unknown }
    expect(transcript?.writable).toBe(true)
    expect(transcript?.write(transcript.messages)).toEqual(whole.messages ?? whole.contents ?? whole)
  })
  it.each(written)('%s: what is made anew says the same', (format) => {
    const [transcript] = parseTranscripts(shapes[format] as string, 'file')
    const anew = transcript?.write(structuredClone(transcript.messages)) ?? []
    const [again] = parseTranscripts(JSON.stringify(anew), 'file')
    expect(again?.format).toBe(format)
    const told = (one: typeof transcript) =>
      one?.messages.flatMap((message) => {
        const { role, parts } = one.codec.read(message)
        return parts.filter((part) => part.type !== 'reasoning').map((part) => ({ role, ...part, tool: '' }))
      })
    expect(told(again)).toEqual(told(transcript))
  })
  it.each(Object.keys(long))('%s: a compacted conversation is valid there, its kept messages untouched', async (format) => {
    const values = long[format] as readonly unknown[]
    const [transcript] = parseTranscripts(JSON.stringify(values), 'file')
    if (transcript === undefined) throw new Error('no transcript')
    expect(transcript.format).toBe(format)
    const { messages } = await compactTranscript(transcript, { window: 8_000 })
    const compacted = transcript.write(messages)
    expect(compacted.length).toBeLessThan(values.length / 2)
    expect(validate[format]?.(compacted as never)).toEqual([])
    expect(JSON.stringify(compacted)).toContain('context-summary')
    const before = new Set(values.map((value) => JSON.stringify(value)))
    expect(compacted.filter((value) => before.has(JSON.stringify(value))).length).toBeGreaterThan(3)
  })
  it('gemini without ids: an answer that was shortened still finds its call', async () => {
    const output = Array.from({ length: 300 }, (_, at) => `line ${at} of the same file`).join('\n')
    const step = [
      { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: 'x' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output } } }] },
    ]
    const contents = [{ role: 'user', parts: [{ text: 'go' }] }, ...step, ...step, ...step, { role: 'user', parts: [{ text: 'on' }] }]
    const [transcript] = parseTranscripts(JSON.stringify({ contents }), 'file')
    if (transcript === undefined) throw new Error('no transcript')
    const { messages: compacted } = await compactTranscript(transcript, { window: 200_000 })
    const [again] = parseTranscripts(JSON.stringify({ contents: transcript.write(compacted) }), 'file')
    expect(JSON.stringify(transcript.write(compacted))).not.toContain('unnamed-')
    const { orphans, pairs } = pairToolCalls((again?.messages ?? []).map((message) => again?.codec.read(message) as never))
    expect(orphans).toEqual([])
    expect(pairs.length).toBeGreaterThan(1)
    expect(pairs.every(({ result }) => result !== undefined)).toBe(true)
    expect(transcript.write(compacted).some((value) => JSON.stringify(value).includes('same output again below'))).toBe(true)
  })
  it('anthropic: what stands beside a shortened output stays, and what the provider ran itself is answered by nobody', async () => {
    const output = Array.from({ length: 300 }, (_, at) => `line ${at} of the same file`).join('\n')
    const step = (id: string): readonly object[] => [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: `signed-${id}` },
          { type: 'server_tool_use', id: `srv-${id}`, name: 'web_search', input: { query: 'x' } },
          { type: 'web_search_tool_result', tool_use_id: `srv-${id}`, content: [{ type: 'web_search_result', url: 'https://example.com' }] },
          { type: 'tool_use', id, name: 'read', input: { path: 'x' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: output, cache_control: { type: 'ephemeral' } },
          { type: 'text', text: `and then ${id}` },
        ],
      },
    ]
    const messages = [{ role: 'user', content: 'go' }, ...step('a'), ...step('b'), ...step('c')]
    const [transcript] = parseTranscripts(JSON.stringify({ messages }), 'file')
    if (transcript === undefined) throw new Error('no transcript')
    const written = transcript.write((await compactTranscript(transcript, { window: 200_000 })).messages)
    expect(validateAnthropic(written as never)).toEqual([])
    const text = JSON.stringify(written)
    expect(text).toContain('same output again below')
    for (const id of ['a', 'b', 'c']) {
      expect(text).toContain(`"signature":"signed-${id}"`)
      expect(text).toContain(`and then ${id}`)
      expect(text.split(`srv-${id}`)).toHaveLength(3)
    }
    expect(text.split('"cache_control"')).toHaveLength(4)
  })
  it.each(['claude-code', 'codex', 'pi', 'gemini-cli', 'opencode'])('%s: a log of another program is not written', (format) => {
    const [transcript] = parseTranscripts(shapes[format] as string, 'file')
    expect(transcript?.writable).toBe(false)
    expect(transcript?.write(transcript.messages)).toBe(transcript?.messages)
  })
  it.each([
    ['openai-chat', toOpenAIChat(generated).map((message, at) => ({ ...message, metadata: { at } }))],
    ['neutral', generated.map((message, at) => ({ ...message, id: `m${at}`, extra: { at } }))],
  ])('%s: fields that nobody knows survive', async (format, values) => {
    const [transcript] = parseTranscripts(lines(values), 'file')
    if (transcript === undefined) throw new Error('no transcript')
    expect(transcript.format).toBe(format)
    const { messages } = await compactTranscript(transcript, { window: 8_000 })
    const before = new Set(values.map((value) => JSON.stringify(value)))
    const kept = transcript.write(messages).filter((value) => before.has(JSON.stringify(value)))
    expect(kept.length).toBeGreaterThan(3)
  })
})
