import { withCompaction } from '@precis/ai-sdk'
import { generateText, type ModelMessage, streamText, tool } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createCollector, newestRoundOnly, toPrompt, withoutRounds } from '../src/recall/reply-parts.ts'
import { sumUsage } from '../src/recall/usage-sum.ts'

describe('a reply, as the next request carries it', () => {
  it('keeps what the provider signed, reads arguments, and leaves out what no prompt holds', () => {
    const signed = { anthropic: { signature: 's' } }
    const content = [
      { type: 'reasoning', text: 'hm', providerMetadata: signed },
      { type: 'text', text: '' },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://a.b' },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{"a":1}' },
      { type: 'tool-call', toolCallId: 'd', toolName: 't', input: '{broken' },
      { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: { hits: 2 } },
      { type: 'custom', kind: 'x.y', providerMetadata: signed },
    ]
    expect(toPrompt(content)).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: signed },
        { type: 'tool-call', toolCallId: 'c', toolName: 't', input: { a: 1 } },
        { type: 'tool-call', toolCallId: 'd', toolName: 't', input: {} },
        { type: 'tool-result', toolCallId: 'w', toolName: 'web', output: { type: 'json', value: { hits: 2 } } },
        { type: 'custom', kind: 'x.y', providerOptions: signed },
      ],
    })
  })
  it('is the same from a stream', () => {
    const collector = createCollector()
    for (const part of [
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'h' },
      { type: 'reasoning-delta', id: '1', delta: 'm' },
      { type: 'text-start', id: '1' },
      { type: 'reasoning-end', id: '1', providerMetadata: { p: { signature: 's' } } },
      { type: 'text-delta', id: '1', delta: 'ok' },
      { type: 'text-delta', id: 'nobody', delta: 'x' },
      { type: 'tool-input-start', id: 'c', toolName: 't' },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' },
      { type: 'tool-call', toolCallId: 'p', toolName: 'draw', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p', toolName: 'draw', result: 'half', preliminary: true },
      { type: 'tool-result', toolCallId: 'p', toolName: 'draw', result: 'whole' },
    ])
      collector.add(part)
    expect(collector.parts).toEqual([
      { type: 'reasoning', text: 'hm', providerMetadata: { p: { signature: 's' } } },
      { type: 'text', text: 'ok' },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' },
      { type: 'tool-call', toolCallId: 'p', toolName: 'draw', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p', toolName: 'draw', result: 'whole' },
    ])
  })
})

it('of a hidden round only words and files stay in a stored message', () => {
  const part = (type: string, round: number | undefined) => ({
    type,
    text: `${type} ${round}`,
    providerOptions: { openai: { itemId: `${type}-${round}` }, ...(round !== undefined && { precis: { round } }) },
  })
  const prompt = [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: [part('reasoning', undefined), part('text', undefined), part('tool-call', undefined), part('file', 1), part('reasoning', 2), part('text', 2)],
    },
  ]
  expect(withoutRounds(prompt)[1]?.content).toEqual([
    { type: 'text', text: 'text undefined' },
    { type: 'file', text: 'file 1' },
    part('reasoning', 2),
    part('text', 2),
  ])
  expect(withoutRounds(prompt.slice(0, 1))).toEqual(prompt.slice(0, 1))
})
it('words of a hidden round stand behind a signed thought, and once where the round is shown', () => {
  const part = (type: string, round?: number) => ({
    type,
    text: `${type} ${round}`,
    providerOptions: { anthropic: { signature: 's' }, ...(round !== undefined && { precis: { round } }) },
  })
  const newest = [part('custom', 1), part('reasoning', 1), part('tool-call', 1)]
  const [message] = withoutRounds([{ role: 'assistant', content: [part('reasoning'), part('text'), ...newest] }])
  expect(message?.content).toEqual([newest[0], newest[1], { type: 'text', text: 'text undefined' }, newest[2]])
  expect(newestRoundOnly(message as never).content).toEqual(newest)
})

it.each<readonly [string, unknown, unknown, unknown]>([
  [
    'flat',
    { inputTokens: 5, outputTokens: 1, cachedInputTokens: undefined },
    { inputTokens: 7, outputTokens: 2, cachedInputTokens: 3 },
    { inputTokens: 12, outputTokens: 3, cachedInputTokens: 3 },
  ],
  [
    'nested',
    { inputTokens: { total: 5, cacheRead: 1 }, raw: { n: 1 } },
    { inputTokens: { total: 7, cacheRead: 2 }, raw: { n: 2 } },
    { inputTokens: { total: 12, cacheRead: 3 }, raw: { n: 2 } },
  ],
  ['nothing measured', undefined, undefined, undefined],
  ['measured once', { inputTokens: 5 }, undefined, { inputTokens: 5 }],
])('usage is summed as it comes: %s', (_, before, after, expected) => {
  expect(sumUsage(before, after)).toEqual(expected)
})

describe('what the provider does itself in a round of look-ups is the user’s', () => {
  const long: ModelMessage[] = Array.from({ length: 61 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `${at} ${'word '.repeat(200)}` }))
  const searched = [
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com', title: 'Example' },
    { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'aGk=' } },
  ]
  const looked = { type: 'tool-call', toolCallId: 'l', toolName: 'precis_recall', input: '{"query":"word"}' }
  const finish = { finishReason: { unified: 'tool-calls', raw: 'x' }, usage: { inputTokens: { total: 9 }, outputTokens: { total: 1 } } }
  const tools = { read: tool({ description: 'reads', inputSchema: z.object({}), execute: async () => 'x' }) }
  const options = { limits: { contextWindow: 8_000, maxOutput: 500 } }
  it('generating', async () => {
    let calls = 0
    const inner = new MockLanguageModelV4({
      doGenerate: async () => ({ content: ++calls === 1 ? [...searched, looked] : [{ type: 'text', text: 'done' }], warnings: [], ...finish }) as never,
    })
    const { text, sources, files, steps } = await generateText({ model: withCompaction(inner, options), messages: long, tools })
    expect([text, sources.length, files.length, steps.length, calls]).toEqual(['done', 1, 1, 1, 2])
  })
  it('streaming', async () => {
    let calls = 0
    const inner = new MockLanguageModelV4({
      doStream: async () => {
        const said = [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'done' },
          { type: 'text-end', id: '1' },
        ]
        const parts = [{ type: 'stream-start', warnings: [] }, ...(++calls === 1 ? [...searched, looked] : said), { type: 'finish', ...finish }]
        return { stream: convertArrayToReadableStream(parts as never[]) }
      },
    })
    const result = streamText({ model: withCompaction(inner, options), messages: long, tools })
    expect([await result.text, (await result.sources).length, (await result.files).length, calls]).toEqual(['done', 1, 1, 2])
  })
})
