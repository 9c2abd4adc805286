import { freezeDeep } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createCodec, modelSummarizer, readOverhead, readUsage } from '../src/index.ts'

const codec = createCodec<ModelMessage>()
const read = (message: unknown) => codec.read(freezeDeep(message) as ModelMessage)
const request = { style: 'brief', system: 's', prompt: 'p', maxTokens: 100, requiredSections: [], facts: [] } as const

describe('codec', () => {
  it.each([
    ['text', { role: 'user', content: 'hi' }, [{ type: 'text', text: 'hi' }]],
    [
      'parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'file', mediaType: 'image/png', data: new Uint8Array(9), filename: 'a.png' },
        ],
      },
      [
        { type: 'text', text: 'hi' },
        { type: 'media', mediaType: 'image/png', bytes: 9, name: 'a.png' },
      ],
    ],
    [
      'an answer of a tool of yours, in the shape of a provider’s own shell',
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'mine', toolName: 'run', output: { type: 'json', value: { output: 'ok' } } }] },
      [{ type: 'tool-result', callId: 'mine', tool: 'run', output: '{"output":"ok"}' }],
    ],
    [
      'a list of tools that a tool of yours returned',
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'mine', toolName: 'list', output: { type: 'json', value: { tools: [{ type: 'saw' }] } } }] },
      [{ type: 'tool-result', callId: 'mine', tool: 'list', output: '{"tools":[{"type":"saw"}]}' }],
    ],
    ['an image', { role: 'user', content: [{ type: 'image', image: 'aGVsbG8=' }] }, [{ type: 'media', mediaType: 'image/*', bytes: 6 }]],
    [
      'reasoning',
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'x' } } }] },
      [{ type: 'reasoning', text: 'hm', sealed: true, sealedSize: 1 }],
    ],
    [
      'a call',
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input: { a: 1 } }] },
      [{ type: 'tool-call', callId: '1', tool: 't', input: '{"a":1}' }],
    ],
    [
      'a call of a program that Anthropic runs',
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: '1',
            toolName: 't',
            input: {},
            providerOptions: { anthropic: { caller: { type: 'code_execution_20250825', toolId: 'p' } } },
          },
        ],
      },
      [{ type: 'tool-call', callId: '1', tool: 't', input: '{}', caller: 'p' }],
    ],
    [
      'a call of a program that OpenAI runs',
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: '1', toolName: 't', input: {}, providerOptions: { openai: { caller: { type: 'program', callerId: 'p' } } } },
        ],
      },
      [{ type: 'tool-call', callId: '1', tool: 't', input: '{}', caller: 'p' }],
    ],
    [
      'a provider’s own call',
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input: '{}', providerExecuted: true }] },
      [{ type: 'tool-call', callId: '1', tool: 't', input: '{}', providerExecuted: true }],
    ],
    [
      'a denied result',
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 't', output: { type: 'execution-denied', reason: 'no' } }] },
      [{ type: 'tool-result', callId: '1', tool: 't', output: 'no', isError: true }],
    ],
    [
      'a json result',
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 't', output: { type: 'json', value: { a: 1 } } }] },
      [{ type: 'tool-result', callId: '1', tool: 't', output: '{"a":1}' }],
    ],
    [
      'a result with media',
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: '1',
            toolName: 't',
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'a' },
                { type: 'file', data: 'x' },
              ],
            },
          },
        ],
      },
      [{ type: 'tool-result', callId: '1', tool: 't', output: 'a', attachments: [{ type: 'media', mediaType: 'application/octet-stream', bytes: 0 }] }],
    ],
    [
      'Anthropic’s compaction',
      { role: 'assistant', content: [{ type: 'text', text: 's', providerOptions: { anthropic: { type: 'compaction' } } }] },
      [{ type: 'opaque', kind: 'provider-compaction', size: 80, barrier: true }],
    ],
    ['an unknown part', { role: 'assistant', content: [{ type: 'hologram', x: 1 }] }, [{ type: 'opaque', kind: 'hologram', size: 25 }]],
  ])('reads %s', (_, message, parts) => {
    const view = read(message)
    // What an item is told apart by is a matter of test/promises/identity.test.ts.
    const shape = JSON.parse(JSON.stringify(view.parts, (name, value) => (name === 'data' || name === 'value' ? undefined : value))) as typeof view.parts
    expect(shape.map((part) => (part.type === 'opaque' && part.barrier ? { ...part, size: 80 } : part))).toEqual(parts)
  })
  it('reads OpenAI’s compaction as a barrier', () => {
    expect(read({ role: 'assistant', content: [{ type: 'custom', kind: 'openai.compaction' }] }).parts[0]).toMatchObject({ barrier: true })
  })
  it.each(['https://a.b is where the notes are kept.', 'data:, it says', 'deadbeef'])('a text that stands in its part is that text: %s', (text) => {
    const file = { type: 'file', mediaType: 'text/plain', filename: 'notes.txt', data: { type: 'text', text } }
    expect(read({ role: 'user', content: [file] }).parts).toEqual([{ type: 'text', text: `notes.txt:\n${text}` }])
  })
  it('links an approval to its call', () => {
    read({ role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }] })
    expect(read({ role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] }).parts).toEqual([
      { type: 'approval', callId: 'c', state: 'granted' },
    ])
  })
  it('knows pins and its own summaries by our slot, never by the text', () => {
    expect(read({ role: 'user', content: 'x', providerOptions: { precis: { protected: true } } }).protected).toBe(true)
    expect(codec.read(codec.createSummary('s', { version: 4, role: 'user' })).summary).toEqual({ version: 4 })
    expect(codec.read(codec.createSummary('s', { version: 4, role: 'system' })).role).toBe('system')
    expect(read({ role: 'user', content: '<context-summary version="9">' }).summary).toBeUndefined()
  })
  it('replaces one result and keeps its siblings, ids and options', () => {
    const message = freezeDeep({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: '1', toolName: 't', output: { type: 'error-text', value: 'long' }, providerOptions: { x: { y: 1 } } },
        { type: 'tool-result', toolCallId: '2', toolName: 't', output: { type: 'text', value: 'other' } },
      ],
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    }) as ModelMessage
    const copy = codec.edit(message, { outputs: new Map([['1', { text: 'short', keepAttachments: false }]]), inputs: new Map() }) as {
      content: unknown[]
      providerOptions: unknown
    }
    expect(copy.content[0]).toEqual({
      type: 'tool-result',
      toolCallId: '1',
      toolName: 't',
      output: { type: 'error-text', value: 'short' },
      providerOptions: { x: { y: 1 } },
    })
    expect(copy.content[1]).toBe((message.content as unknown[])[1])
    expect(copy.providerOptions).toEqual(message.providerOptions)
  })
  it('takes results away, and the message with the last one', () => {
    const message = codec.createToolResults([{ callId: '1', tool: 't', output: 'x' }])[0] as ModelMessage
    expect(codec.withoutToolResults(message, new Set(['1']))).toBeUndefined()
    expect(codec.withoutToolResults(message, new Set(['2']))).toEqual(message)
    expect(codec.withoutToolResults({ role: 'user', content: 'x' }, new Set())).toEqual({ role: 'user', content: 'x' })
  })
  it('survives what is no JSON', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(codec.read({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input: circle }] } as never).parts).toHaveLength(1)
  })
})

describe('readUsage', () => {
  it.each([
    ['v7', { inputTokens: 100, inputTokenDetails: { cacheReadTokens: 60, cacheWriteTokens: 10 }, outputTokens: 5 }],
    ['v5', { inputTokens: 100, cachedInputTokens: 60, outputTokens: 5 }],
    ['provider side', { inputTokens: { total: 100, cacheRead: 60, cacheWrite: 10 }, outputTokens: { total: 5 } }],
  ])('%s', (_, usage) => {
    expect(readUsage(usage)).toMatchObject({ cacheRead: 60, output: 5 })
  })
  it.each([undefined, null, {}, { inputTokens: 0 }, 'x'])('%j is no measurement', (usage) => {
    expect(readUsage(usage)).toBeUndefined()
  })
})

describe('readOverhead', () => {
  it('counts instructions and tools in every shape they come in', () => {
    const schema = { type: 'object', properties: { path: { type: 'string' } } }
    const named = readOverhead({ instructions: 'Be brief.', tools: { read: { description: 'Reads.', inputSchema: { jsonSchema: schema } } } })
    expect(named.system).toBeGreaterThan(1)
    expect(named.tools).toBeGreaterThan(20)
    expect(readOverhead({ tools: [{ name: 'read', description: 'Reads.', inputSchema: schema }] }).tools).toBeGreaterThan(20)
    expect(readOverhead({ tools: { read: { inputSchema: { shape: { path: {} } } } } }).tools).toBeGreaterThan(12)
    expect(readOverhead({ instructions: [{ role: 'system', content: 'a b c' }] }).system).toBeGreaterThan(1)
    expect(readOverhead({})).toEqual({ system: 0, tools: 0, memory: 0 })
  })
})

describe('modelSummarizer', () => {
  const answering = (finishReason: unknown, text = 'a summary') => ({
    modelId: 'm',
    doGenerate: async () => ({
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text },
      ],
      finishReason,
      usage: { inputTokens: { total: 9 }, outputTokens: { total: 3 } },
    }),
  })
  it.each([
    ['stop', 'stop'],
    [{ unified: 'length' }, 'length'],
    [{ unified: 'content-filter' }, 'filter'],
    ['unknown', 'other'],
  ])('%j ends as %s', async (finishReason, finish) => {
    const summarizer = modelSummarizer({ model: answering(finishReason), window: 8_000 })
    expect(await summarizer.summarize(request, new AbortController().signal)).toMatchObject({ text: 'a summary', finish })
    expect(summarizer.window).toBe(8_000)
  })
  it('tries transient failures again, others not', async () => {
    let calls = 0
    const failing = (isRetryable: boolean) => ({
      modelId: 'm',
      doGenerate: async () => {
        if (++calls < 2) throw Object.assign(new Error('busy'), { isRetryable })
        return { content: [{ type: 'text', text: 'ok' }], finishReason: 'stop' }
      },
    })
    expect((await modelSummarizer({ model: failing(true) }).summarize(request, new AbortController().signal)).text).toBe('ok')
    calls = 0
    await expect(modelSummarizer({ model: failing(false) }).summarize(request, new AbortController().signal)).rejects.toThrow('busy')
  })
  it('needs a model object', () => {
    expect(() => modelSummarizer({ model: 'openai/gpt-5' as never })).toThrow('model object')
  })
})
