import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom, generateHistory, toOpenAIChat, validateOpenAIChat } from '@precis/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { compactTranscript, inspect, parseTranscripts, planTranscript, readTranscripts, renderInspection, TranscriptError } from '../src/index.ts'

const sample = join(import.meta.dirname, '../../../examples/data/chat.jsonl')
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-cli-'))
})

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}
const compactctl = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=@precis/source', join(import.meta.dirname, '../src/main.ts'), ...args], (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })

const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n')
const sdk = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'read', input: { path: 'a' } }] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 'read', output: { type: 'text', value: 'text' } }] },
]

describe('formats', () => {
  it.each([
    ['openai-chat', lines(toOpenAIChat(generateHistory(1)))],
    [
      'openai-chat',
      JSON.stringify([
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ]),
    ],
    ['neutral', lines(generateHistory(1))],
    ['ai-sdk', lines(sdk)],
    [
      'recorded',
      JSON.stringify({
        id: 'x',
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 't', arguments: {} }] },
          { role: 'tool', content: 'r', toolCallId: '1' },
        ],
      }),
    ],
  ])('%s is found by its shape', (format, text) => {
    const [transcript] = parseTranscripts(text, 'file')
    expect(transcript?.format).toBe(format)
    expect(transcript?.messages.map((message) => transcript.codec.read(message)).every((message) => message.parts.length > 0)).toBe(true)
  })

  it.each([
    ['nothing', '', /is empty/],
    ['a cut-off array', '[{"role":"user"', /cut off/],
    ['a torn line', '{"role":"user","content":"a"}\n{"role":\n', /line 2: expected a JSON object/],
    ['numbers', '[1, 2]', /message 1: expected an object with a "role"/],
    ['no role', '[{"text":"a"}]', /"role"/],
    ['no content', '[{"role":"user"}]', /neither "parts" nor "content"/],
    ['binary', '\u0000\u0001\u0002', /line 1/],
  ])('%s: says what was expected', (_, text, expected) => {
    expect(() => parseTranscripts(text, 'file')).toThrow(expected)
    expect(() => parseTranscripts(text, 'file')).toThrow(TranscriptError)
  })

  it('500 damaged files: a clear message or a result, never another error', async () => {
    const whole = await readFile(sample, 'utf8')
    const random = createRandom(7)
    for (let round = 0; round < 500; round++) {
      const at = random.between(0, whole.length)
      const damaged = random.pick([
        whole.slice(0, at),
        `${whole.slice(0, at)}\u0000${whole.slice(at + 3)}`,
        whole.replace('"content"', `"c${at}"`),
        `${whole}\n${random.between(1, 9)}`,
        whole.slice(at),
      ])
      try {
        for (const transcript of parseTranscripts(damaged, 'file')) await compactTranscript(transcript, { window: 2_000 })
      } catch (error) {
        expect(error).toBeInstanceOf(TranscriptError)
      }
    }
  })
})

describe('what it does', () => {
  it('plans and compacts, valid in the format it came in', async () => {
    const [transcript] = parseTranscripts(lines(toOpenAIChat(generateHistory(4, { turns: 30 }))), 'file')
    if (transcript === undefined) throw new Error('no transcript')
    expect(planTranscript(transcript, { window: 8_000 }).summarize.length).toBeGreaterThan(0)
    const { messages, report } = await compactTranscript(transcript, { window: 8_000, focus: 'paths' })
    expect(report.tokens.after).toBeLessThan(report.tokens.before / 2)
    const written = transcript.write(messages)
    expect(validateOpenAIChat(written as never)).toEqual([])
    const [again] = parseTranscripts(lines(written), 'file')
    expect(again?.messages.map((message) => again.codec.read(message)).filter((message) => message.summary !== undefined)).toHaveLength(1)
  })
  it('inspects', async () => {
    const [transcript] = await readTranscripts(sample)
    if (transcript === undefined) throw new Error('no transcript')
    const found = inspect(transcript)
    expect(found.messages).toBe(12)
    expect(found.byTool.map((entry) => entry.tool).sort()).toEqual(['edit_file', 'read_file', 'run'])
    expect(renderInspection(found)).toContain('run × 2')
  })
})

describe('compactctl', () => {
  it("counts what a request's body carries beside its messages", async () => {
    const body = join(folder, 'body.json')
    const tools = [{ name: 'read_file', description: 'Reads a file. '.repeat(40), input_schema: { type: 'object' } }]
    await writeFile(body, JSON.stringify({ system: 'Be good. '.repeat(300), tools, messages: [{ role: 'user', content: 'hi' }] }))
    expect(JSON.parse((await compactctl('inspect', body, '--json')).out)[0].byRole).toMatchObject({
      user: 5,
      system: expect.toSatisfy((tokens: number) => tokens > 500),
      'tool definitions': expect.toSatisfy((tokens: number) => tokens > 100),
    })
    expect((await compactctl('plan', body, '-w', '8000')).out).toMatch(/fits: \d{3,} of 7,000 tokens, nothing to do/)
  })
  it('says what it left out of a log that was cut at its head', async () => {
    const log = join(folder, 'tail.jsonl')
    await writeFile(
      log,
      lines([
        { role: 'tool', tool_call_id: 'x', content: 'The build number is 4711.' },
        { role: 'user', content: 'Hello.' },
        { role: 'assistant', content: 'Hi.' },
      ]),
    )
    expect((await compactctl('compact', log, '-w', '128000')).err).toContain('mended: 1 tool result without its call left out')
  })
  it('inspects, as text and as JSON', async () => {
    expect((await compactctl('inspect', sample)).out).toContain('12 messages')
    expect(JSON.parse((await compactctl('inspect', sample, '--json')).out)[0].format).toBe('openai-chat')
  })
  it('plans', async () => {
    expect((await compactctl('plan', sample, '--window', '500')).out).toMatch(/compact, \d+ → at most \d+ tokens/)
  })
  it('writes a new file, and never over an old one', async () => {
    const out = join(folder, 'out.jsonl')
    const first = await compactctl('compact', sample, '-w', '500', '-o', out)
    expect(first).toMatchObject({ code: 0 })
    expect(first.err).toContain('tokens')
    const written = await readFile(out, 'utf8')
    expect(
      validateOpenAIChat(
        written
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ),
    ).toEqual([])
    const second = await compactctl('compact', sample, '-w', '1000', '-o', out)
    expect(second).toMatchObject({ code: 1 })
    expect(second.err).toContain('exists already')
    expect(await readFile(out, 'utf8')).toBe(written)
  })
  it.each([
    ['a file that is not there', ['inspect', '/nowhere.jsonl'], 1, /no such file/],
    ['a bad number', ['plan', sample, '-w', 'many'], 2, /Expected whole tokens/],
    ['an unknown command', ['frobnicate'], 2, /unknown command/],
  ])('%s: says so', async (_, args, code, expected) => {
    const ended = await compactctl(...args)
    expect(ended.code).toBe(code)
    expect(ended.err).toMatch(expected)
    expect(ended.err).not.toContain('    at ')
  })
  it('several conversations in one file cannot be compacted into one', async () => {
    const path = join(folder, 'two.jsonl')
    await writeFile(
      path,
      `${JSON.stringify({ messages: [{ role: 'user', content: 'a' }] })}\n${JSON.stringify({ messages: [{ role: 'user', content: 'b' }] })}`,
    )
    expect((await compactctl('compact', path)).err).toContain('holds 2 conversations')
  })
})

describe('compactctl diff and remembered', () => {
  it('show what goes, what stays and what is new, and write nothing', async () => {
    const path = join(folder, 'long.jsonl')
    await writeFile(path, lines(toOpenAIChat(generateHistory(5, { turns: 30 }))))
    const before = await readFile(path, 'utf8')
    const { code, out } = await compactctl('diff', path, '-w', '16000')
    expect(code).toBe(0)
    expect(out).toMatch(/: [\d,]+ → [\d,]+ tokens \(\d+ % less\)\n/)
    expect(out).toMatch(/^- +\d+ assistant/m)
    expect(out).toMatch(/^ +\d+ user/m)
    expect(out).toMatch(/^\+ <context-summary version="1">$/m)
    expect(out).not.toContain('\u001b')
    const json = JSON.parse((await compactctl('diff', path, '-w', '16000', '--json')).out) as { entries: { change: string }[] }[]
    expect(new Set(json[0]?.entries.map((entry) => entry.change))).toContain('summarized')
    const remembered = await compactctl('remembered', path, '-w', '16000')
    expect(remembered.out).toMatch(
      /pinned \(\d+\), older \(\d+\), recent \(\d+\); a summary of \d+ messages\.[\s\S]*## Summary of earlier messages[\s\S]*## Assistant/,
    )
    expect((await compactctl('remembered', sample)).out).toContain('everything is still there')
    expect(await readFile(path, 'utf8')).toBe(before)
  })
  it('an edited output is a unified difference', async () => {
    const path = join(folder, 'twice.jsonl')
    const output = Array.from({ length: 300 }, (_, at) => `line ${at} of the same file`).join('\n')
    const step = (id: string) => [
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }] },
      { role: 'tool', tool_call_id: id, content: output },
    ]
    await writeFile(path, lines([{ role: 'user', content: 'go' }, ...step('a'), ...step('b'), ...step('c'), { role: 'user', content: 'on' }]))
    const { out } = await compactctl('diff', path, '-w', '200000', '--force')
    expect(out).toMatch(/^~ +2 tool/m)
    expect(out).toContain('-line 299 of the same file')
    expect(out).toContain('+[same output again below: read({"path":"x"}) returned 300 lines')
  })
})
