import type { Part } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { type Wire, type WireMessage, type WireName, wireAt, wires } from '../src/index.ts'

const { 'openai-chat': chat, 'openai-responses': responses, anthropic, gemini } = wires
const read = (wire: Wire, ...values: readonly unknown[]): readonly WireMessage[] => values.flatMap(wire.reader())
const told = (part: Part): string => ('text' in part ? part.text : 'output' in part ? part.output : 'input' in part ? part.input : '')
const said = (wire: Wire, ...values: readonly unknown[]): readonly (readonly string[])[] =>
  read(wire, ...values).map(({ message }) => [message.role, ...message.parts.map((part) => `${part.type}: ${told(part)}`)])
const output = (text: string, keepAttachments = false) => ({ outputs: new Map([['c1', { text, keepAttachments }]]), inputs: new Map<string, string>() })
const input = (text: string) => ({ outputs: new Map(), inputs: new Map([['c1', text]]) })
const edited = (wire: Wire, value: unknown, changes: Parameters<Wire['codec']['edit']>[1]): unknown =>
  wire.write(read(wire, value).map((message) => wire.codec.edit(message, changes)))[0]

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
    ['gemini: thoughts', gemini, [{ role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'x' }] }], [['assistant', 'reasoning: hm', 'text: x']]],
  ])('%s', (_, wire, values, expected) => {
    expect(said(wire, ...values)).toEqual(expected)
  })
  it('a provider’s own compaction guards what is before it', () => {
    expect(read(responses, { type: 'compaction', encrypted_content: 'x' })[0]?.message.parts[0]).toMatchObject({ barrier: true })
    expect(read(anthropic, { role: 'assistant', content: [{ type: 'compaction', content: 'x' }] })[0]?.message.parts[0]).toMatchObject({ barrier: true })
  })
})

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

describe('a body', () => {
  const schema = { type: 'object', properties: {} }
  const extra = { name: 'precis_recall', description: 'looks up', parameters: schema }
  it.each<[WireName, Readonly<Record<string, unknown>>, object, object]>([
    [
      'openai-chat',
      {
        model: 'm',
        messages: [{ role: 'system', content: 'old', name: 'n' }],
        max_tokens: 9,
        tools: [{ type: 'function', function: { name: 't', strict: true } }],
      },
      { system: '', tools: ['t'], maxOutput: 9, model: 'm' },
      {
        model: 'm',
        messages: [{ role: 'system', content: 'new', name: 'n' }],
        max_tokens: 5,
        tools: [
          { type: 'function', function: { name: 't', strict: true } },
          { type: 'function', function: extra },
        ],
      },
    ],
    [
      'openai-responses',
      { model: 'm', input: 'hi', instructions: 'old', max_output_tokens: 9, tools: [{ type: 'web_search' }] },
      { system: 'old', tools: ['web_search'], maxOutput: 9, model: 'm' },
      { model: 'm', input: 'hi', instructions: 'new', max_output_tokens: 5, tools: [{ type: 'web_search' }, { type: 'function', strict: false, ...extra }] },
    ],
    [
      'anthropic',
      { model: 'm', messages: [], system: [{ type: 'text', text: 'old' }], max_tokens: 9, tools: [{ name: 't', input_schema: schema, cache_control: {} }] },
      { system: 'old', tools: ['t'], maxOutput: 9, model: 'm' },
      {
        model: 'm',
        messages: [],
        system: 'new',
        max_tokens: 5,
        tools: [
          { name: 't', input_schema: schema, cache_control: {} },
          { name: 'precis_recall', description: 'looks up', input_schema: schema },
        ],
      },
    ],
    [
      'gemini',
      {
        contents: [],
        system_instruction: { parts: [{ text: 'old' }] },
        generationConfig: { maxOutputTokens: 9, topK: 1 },
        tools: [{ googleSearch: {}, functionDeclarations: [{ name: 'description' }] }],
      },
      { system: 'old', tools: ['googleSearch', 'description'], maxOutput: 9 },
      {
        contents: [],
        system_instruction: { parts: [{ text: 'new' }] },
        generationConfig: { maxOutputTokens: 5, topK: 1 },
        tools: [
          { functionDeclarations: [{ name: 'description' }, { name: 'precis_recall', description: 'looks up', parametersJsonSchema: schema }] },
          { googleSearch: {} },
        ],
      },
    ],
  ])('%s: instructions, tools, length of the reply: read, and written in its own words', (name, body, expected, written) => {
    const reading = wires[name].readRequest(body)
    if (!reading.ok) throw new Error(reading.problem.path)
    const { request } = reading
    expect({ ...request, tools: request.tools.map((tool) => tool.name) }).toMatchObject(expected)
    expect(wires[name].writeRequest(request, { system: 'new', tools: [...request.tools, extra], maxOutput: 5 })).toEqual(written)
  })
  it('responses: one text for a message stays a text until it is compacted', () => {
    const reading = responses.readRequest({ input: 'hi' })
    if (!reading.ok) throw new Error(reading.problem.path)
    expect(responses.writeRequest(reading.request, { messages: reading.request.messages })).toBe(reading.request.body)
    expect(reading.request.messages.map(({ message }) => message.parts)).toEqual([[{ type: 'text', text: 'hi' }]])
  })
  it.each([
    [chat, null, '', 'an object', 'null'],
    [chat, {}, 'messages', 'a list', 'nothing'],
    [gemini, { contents: 'x' }, 'contents', 'a list', 'a string'],
    [responses, { input: 5 }, 'input', 'a list', 'a number'],
  ])('%o without messages: says where, what was expected, what was found', (wire, body, path, expected, found) => {
    expect(wire.readRequest(body)).toEqual({ ok: false, problem: { path, expected, found } })
  })
})

describe('whose request it is', () => {
  it.each([
    ['/v1/chat/completions', 'openai-chat'],
    ['https://api.openai.com/v1/responses?x=1', 'openai-responses'],
    ['/v1/messages', 'anthropic'],
    ['/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse', 'gemini'],
    ['/v1/messages/count_tokens', undefined],
    ['/v1/embeddings', undefined],
  ])('%s', (path, name) => {
    expect(wireAt(path)?.name).toBe(name)
  })
  it('or by messages that no other API has', () => {
    expect(chat.recognizes([{ role: 'tool', tool_call_id: 'c' }])).toBe(true)
    expect(responses.recognizes([{ type: 'function_call', call_id: 'c' }])).toBe(true)
    expect(anthropic.recognizes([{ role: 'user', content: [{ type: 'tool_result' }] }])).toBe(true)
    expect(gemini.recognizes([{ parts: [{ function_call: {} }] }])).toBe(true)
    for (const wire of Object.values(wires))
      expect(wire.recognizes([null, { role: 'user', content: 'hi' }, { role: 'user', parts: [{ type: 'text', text: 'x' }] }])).toBe(false)
  })
})
