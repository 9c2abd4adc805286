import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { adapterCases } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { messageCodec as codec } from '../src/index.ts'
import { make } from './make.ts'

describe('LangChain messages keep the laws of adapters', () => {
  it.each(adapterCases)('$name', ({ run }) => run({ codec, make, splits: 'results' }), 60_000)
})

describe('what LangChain spells in more than one way', () => {
  it('arguments in both places are edited together', () => {
    const message = new AIMessage({
      id: 'ai-1',
      content: [
        { type: 'text', text: 'writing' },
        { type: 'tool_use', id: 'c1', name: 'write', input: { path: 'a', content: 'long '.repeat(100) } },
      ],
      tool_calls: [{ id: 'c1', name: 'write', args: { path: 'a', content: 'long '.repeat(100) } }],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    } as never)
    expect(codec.read(message).parts.map((part) => part.type)).toEqual(['text', 'tool-call'])
    const copy = codec.edit(message, { outputs: new Map(), inputs: new Map([['c1', '{"path":"a","content":"…"}']]) }) as AIMessage
    expect(copy.tool_calls?.[0]?.args).toEqual({ path: 'a', content: '…' })
    expect((copy.content as { input?: unknown }[])[1]?.input).toEqual({ path: 'a', content: '…' })
    expect([copy.id, copy.usage_metadata]).toEqual(['ai-1', message.usage_metadata])
    expect((message.content as { input?: { content: string } }[])[1]?.input?.content).toHaveLength(500)
  })
  it('a copy keeps what was assigned after construction: id, status, artifact, name', () => {
    const message = new ToolMessage({ content: 'long', tool_call_id: 'c1', name: 'read', artifact: { rows: [1] }, additional_kwargs: { x: 1 } })
    message.id = 'late'
    message.status = 'error'
    const copy = codec.edit(message, { outputs: new Map([['c1', { text: 'short', keepAttachments: false }]]), inputs: new Map() }) as ToolMessage
    expect(copy).toBeInstanceOf(ToolMessage)
    expect([copy.content, copy.id, copy.status, copy.artifact, copy.name, copy.additional_kwargs]).toEqual([
      'short',
      'late',
      'error',
      { rows: [1] },
      'read',
      { x: 1 },
    ])
    expect(message.content).toBe('long')
  })
  it('thinking and reasoning, images and unknown blocks are counted, the artifact is not', () => {
    const parts = codec.read(
      new AIMessage({
        content: [
          { type: 'thinking', thinking: 'hm '.repeat(50), signature: 's' },
          { type: 'reasoning', reasoning: 'so' },
          { type: 'image', source_type: 'base64', data: 'x' },
          { type: 'hologram', payload: 'y'.repeat(900) },
        ] as never,
      }),
    ).parts
    expect(parts.map((part) => part.type)).toEqual(['reasoning', 'reasoning', 'media', 'opaque'])
    expect(codec.read(new ToolMessage({ content: 'a', tool_call_id: 'x', artifact: 'z'.repeat(9_000) })).parts).toEqual([
      { type: 'tool-result', callId: 'x', tool: '', output: 'a' },
    ])
  })
  it('images inside a tool result are counted, and stay with a view', () => {
    const message = new ToolMessage({
      content: [
        { type: 'text', text: 'long' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      ],
      tool_call_id: 'c',
    })
    expect(codec.read(message).parts[0]).toMatchObject({ output: 'long', attachments: [{ mediaType: 'image/png' }] })
    const view = codec.edit(message, { outputs: new Map([['c', { text: 'short', keepAttachments: true }]]), inputs: new Map() })
    expect(codec.read(view).parts[0]).toMatchObject({ output: 'short', attachments: [{ mediaType: 'image/png' }] })
  })
  it('a message that comes out of storage reads as it went in', () => {
    for (const message of [
      new HumanMessage('hi'),
      new SystemMessage('rules'),
      new AIMessage({ content: 'a', tool_calls: [{ id: '1', name: 't', args: { x: 1 } }] }),
      new ToolMessage({ content: 'r', tool_call_id: '1', name: 't', status: 'error' }),
    ]) {
      expect(codec.read(JSON.parse(JSON.stringify(message)) as BaseMessage)).toEqual(codec.read(message))
    }
  })
  it('the summary carries LangChain’s own mark', () => {
    expect(codec.createSummary('s', { version: 1, role: 'user' }).additional_kwargs).toMatchObject({ lc_source: 'summarization' })
  })
})
