import { describe, expect, it } from 'vitest'
import { type WireName, wireAt, wires } from '../../src/index.ts'
import { anthropic, chat, gemini, responses } from './setup.ts'

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
  it('gemini: instructions without brackets are read', () => {
    const reading = gemini.readRequest({ contents: [], systemInstruction: { parts: { text: 'be brief' } } })
    expect(reading.ok && reading.request.system).toBe('be brief')
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
