import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, generateHistory } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { compactTranscript, inspect, parseTranscripts, TranscriptError } from '../src/index.ts'
import { lines, shapes } from './shapes.ts'

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

describe('a list named "input", "messages" or "contents"', () => {
  const message = (more: object): object => ({ role: 'user', content: 'go', ...more })
  const items = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
    { type: 'custom_tool_call', call_id: 'c', name: 'run', input: ['a', 'b'] },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
  ]
  it.each([
    ['in a message of its own', [message({ messages: [] }), message({ input: [1] })]],
    ['in the first of several messages', [message({ contents: ['x'] }), message({}), message({})]],
    ['in an item of a type', items],
  ])('%s is a field like any other', (_, values) => {
    for (const text of [lines(values), JSON.stringify(values)]) {
      const found = parseTranscripts(text, 'file')
      expect(found.map(({ messages }) => messages.length)).toEqual([values.length])
    }
  })
  it('must be in every line where it is in the first', () => {
    const held = { messages: [message({})] }
    expect(() => parseTranscripts(lines([held, held, message({})]), 'file')).toThrow('file, line 3: expected "messages", as the lines before have.')
    expect(parseTranscripts(lines([held, held]), 'file')).toHaveLength(2)
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
