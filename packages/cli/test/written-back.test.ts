import { pairToolCalls } from '@precis/core'
import {
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
import { compactTranscript, parseTranscripts } from '../src/index.ts'
import { lines, shapes } from './shapes.ts'

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
