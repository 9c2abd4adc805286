import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { messageCodec as codec, createCompactor, readUsage } from '../../src/index.ts'
import { answer, changes, limits, words } from './setup.ts'

describe('messages', () => {
  it('a chunk is copied as what it is, with the fields that were assigned after construction', () => {
    const chunk = new AIMessageChunk({ content: [{ type: 'tool_use', id: 'c', name: 'write', input: { text: words(99) } }] as never })
    chunk.id = 'late'
    chunk.tool_calls = [{ id: 'c', name: 'write', args: { text: words(99) } }]
    const copy = codec.edit(chunk, changes([], [['c', '{"text":"…"}']])) as AIMessage
    expect([copy.id, copy.tool_calls?.[0]?.args, (copy.content as unknown as { input: unknown }[])[0]?.input]).toEqual(['late', { text: '…' }, { text: '…' }])
  })
  it('v1 content blocks: both places of arguments', () => {
    const message = new AIMessage({
      content: [{ type: 'tool_call', id: 'c', name: 'write', args: { text: words(99) } }] as never,
      tool_calls: [{ id: 'c', name: 'write', args: { text: words(99) } }],
      response_metadata: { output_version: 'v1' },
    })
    const copy = codec.edit(message, changes([], [['c', '{"text":"…"}']])) as AIMessage
    expect([copy.tool_calls?.[0]?.args, (copy.content as unknown as { args: unknown }[])[0]?.args]).toEqual([{ text: '…' }, { text: '…' }])
  })
  it('calls that stand in the content only are paired and answered like the others', async () => {
    const message = new AIMessage({ content: [{ type: 'tool_use', id: 'c', name: 'read', input: { path: 'a' } }] as never })
    message.tool_calls = []
    expect(codec.read(message).parts).toEqual([{ type: 'tool-call', callId: 'c', tool: 'read', input: '{"path":"a"}' }])
  })
  it('arguments that a stream left beside their call count once', () => {
    const args = { text: words(99) }
    const said = (content: readonly object[]) => codec.read(new AIMessage({ content: content as never, tool_calls: [{ id: 'c', name: 'write', args }] }))
    const streamed = [
      { type: 'tool_use', id: 'c', name: 'write', input: '', index: 1 },
      { type: 'input_json_delta', input: JSON.stringify(args), index: 1 },
    ]
    expect(said(streamed)).toEqual(said([{ type: 'tool_use', id: 'c', name: 'write', input: args }]))
    const search = { type: 'input_json_delta', input: '{"query":"a"}', index: 2 }
    expect(said([...streamed, search]).parts.map(({ type }) => type)).toEqual(['opaque', 'tool-call'])
  })
  it('both spellings of thinking, calls and images are known', () => {
    const kinds = (content: unknown) => codec.read(new AIMessage({ content: content as never })).parts.map((part) => part.type)
    expect(
      kinds([
        { type: 'thinking', thinking: 'a' },
        { type: 'reasoning', reasoning: 'a' },
        { type: 'redacted_thinking', data: 'x' },
      ]),
    ).toEqual(Array(3).fill('reasoning'))
    expect(kinds([{ type: 'image' }, { type: 'image_url', image_url: 'u' }, { type: 'input_image' }])).toEqual(Array(3).fill('media'))
  })
  it('a result that answers an invalid call, of which a provider package sends nothing, does not go out alone', async () => {
    const broken = new AIMessage({ content: 'I try.', invalid_tool_calls: [{ id: 'bad', name: 'read', args: '{', error: 'no JSON' }] })
    const sent = await createCompactor({ limits }).invoke([new HumanMessage('go'), broken, answer('bad', 'Error: no JSON'), new HumanMessage('on')])
    expect(sent.map((message) => message.getType())).toEqual(['human', 'ai', 'human'])
  })
  it('a RemoveMessage that was left in a list reaches no model', async () => {
    const sent = await createCompactor({ limits }).invoke([new HumanMessage('go'), new RemoveMessage({ id: 'x' }), new HumanMessage('on')] as BaseMessage[])
    expect(sent.map((message) => message.getType())).toEqual(['human', 'human'])
  })
  it('message-like inputs are coerced, tool calls in OpenAI’s own form among them', async () => {
    const like = [
      ['human', 'hi'],
      { role: 'assistant', content: '', tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }] },
      { role: 'tool', content: 'text', tool_call_id: 'c' },
    ]
    const sent = await createCompactor({ limits }).invoke(like as never)
    expect(sent.map((message) => message.getType())).toEqual(['human', 'ai', 'tool'])
    expect((sent[1] as AIMessage).tool_calls?.[0]?.args).toEqual({ path: 'a' })
  })
  it('usage includes cached tokens, for every provider package', () => {
    const usage_metadata = { input_tokens: 18, output_tokens: 3, total_tokens: 21, input_token_details: { cache_read: 5, cache_creation: 3 } }
    expect(readUsage(new AIMessage({ content: 'x', usage_metadata } as never))).toEqual({ input: 10, cacheRead: 5, cacheWrite: 3, output: 3 })
  })
})
