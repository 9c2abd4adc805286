import { writeFile } from 'node:fs/promises'
import { estimateHistory, InsufficientBudgetError, type Message, neutralCodec } from '@precis/core'
import { createRandom, generateHistory, toOpenAIChat, validateOpenAIChat } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { compactLog, compactTranscript, inspect, inspectLogs, readTranscripts, TranscriptError } from '../../src/index.ts'
import { claudeLog, compactctl, file, lines } from './setup.ts'

describe('logs, piece by piece', () => {
  it('are inspected as whole files are', async () => {
    for (const [name, text] of [
      ['claude.jsonl', claudeLog(40)],
      ['chat.jsonl', lines(toOpenAIChat(generateHistory(3, { turns: 20 })))],
      ['neutral.jsonl', lines(generateHistory(4, { turns: 300 }))],
      ['held.jsonl', lines([1, 2].map((seed) => ({ id: `s${seed}`, messages: toOpenAIChat(generateHistory(seed)) })))],
    ] as const) {
      const path = await file(name, text)
      expect(await inspectLogs(path)).toEqual((await readTranscripts(path)).map(inspect))
    }
  })

  it('are compacted in portions into a context that fits, with what was asked first and the newest word for word', async () => {
    const path = await file('long.jsonl', claudeLog(400))
    const { messages, report, read } = await compactLog(path, { window: 8_000, portion: 20_000 })
    const [whole] = await readTranscripts(path)
    if (whole === undefined) throw new Error('no transcript')
    expect(read).toBe(whole.messages.length)
    const context = messages as readonly Message[]
    expect(estimateHistory(context)).toBeLessThan(7_000)
    expect(report.tokens.after).toBeLessThanOrEqual(7_000)
    const text = JSON.stringify(context)
    expect(text).toContain('PARSE-77. Größe zählt.')
    expect(context.at(-1)).toEqual(whole.messages.at(-1))
    // Version n: n portions were summarized, each into the one before.
    const version = Number(/<context-summary version=."(\d+)/.exec(text)?.[1])
    expect(version).toBeGreaterThan(4)
    const calls = new Set(context.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))))
    const results = context.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : [])))
    expect(results.every((id) => calls.has(id))).toBe(true)
  })

  it('and what an early portion said stands in the record of the last', async () => {
    const said = { type: 'user', uuid: 'said', message: { role: 'user', content: 'Never use floats for money; this is for ticket ABC-12.' } }
    const path = await file('early.jsonl', `${claudeLog(9)}${lines([said])}${claudeLog(400)}`)
    const { messages } = await compactLog(path, { window: 8_000, portion: 20_000 })
    // Behind nine calls with their results, and what was asked first.
    expect(JSON.stringify(messages)).toMatch(/\[19\] user: Never use floats for money; this is for ticket ABC-12\./)
  })

  it('a message that alone does not fit is passed over, as long as it is not the newest', async () => {
    const huge = { role: 'user', parts: [{ type: 'text', text: 'long words '.repeat(20_000) }] }
    const path = await file('huge.jsonl', `${lines(generateHistory(4, { turns: 6 }))}${lines([huge])}${lines(generateHistory(5, { turns: 40 }))}`)
    const { report } = await compactLog(path, { window: 8_000, portion: 16_000 })
    expect(report.tokens.after).toBeLessThanOrEqual(7_000)
    const last = await file('last.jsonl', `${lines(generateHistory(4, { turns: 6 }))}${lines([huge])}`)
    await expect(compactLog(last, { window: 8_000, portion: 16_000 })).rejects.toThrow(InsufficientBudgetError)
  })

  it('that fit into one portion are compacted as whole files are', async () => {
    const path = await file('short.jsonl', lines(toOpenAIChat(generateHistory(6, { turns: 40 }))))
    const [whole] = await readTranscripts(path)
    if (whole === undefined) throw new Error('no transcript')
    const { messages } = await compactLog(path, { window: 8_000, focus: 'paths' })
    const other = await compactTranscript(whole, { window: 8_000, focus: 'paths' })
    expect(messages).toEqual(whole.write(other.messages))
    expect(validateOpenAIChat(messages as never)).toEqual([])
  })

  it.each([
    ['nothing', '', /is empty/],
    ['a torn line', '{"role":"user","content":"a"}\n{"role":\n', /line 2: expected a JSON object/],
    ['one value over many lines', '[\n{"role":"user","content":"a"}\n]', /write one message a line/],
    ['numbers', '1\n2\n', /line 1: expected a JSON object/],
    ['a line without messages', '{"messages":[{"role":"user","content":"a"}]}\n{"id":1}\n', /line 2: expected "messages"/],
    ['bookkeeping only', lines([{ type: 'session_meta', payload: {} }]), /no message was found/],
    ['binary', '\u0000\u0001\n\u0002', /line 1/],
  ])('%s: says what was expected', async (name, text, expected) => {
    const path = await file(`${name.replaceAll(' ', '-')}.bad`, text)
    const error = await inspectLogs(path).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TranscriptError)
    expect(`${(error as TranscriptError).message} ${(error as TranscriptError).hint}`).toMatch(expected)
  })

  it('300 damaged logs: a clear message or a result, never another error', async () => {
    const random = createRandom(11)
    const texts = [claudeLog(12), lines(toOpenAIChat(generateHistory(3, { turns: 6 }))), lines(generateHistory(4, { turns: 6 }))]
    for (let round = 0; round < 300; round++) {
      const whole = Buffer.from(random.pick(texts))
      const at = random.between(0, whole.length)
      const damaged = random.pick([
        () => whole.subarray(0, at),
        () => whole.subarray(at),
        () => Buffer.concat([whole.subarray(0, at), Buffer.from([0, 255, 254, 10, 192]), whole.subarray(at + 3)]),
        () => Buffer.from(whole.toString().replaceAll('"content"', random.pick(['"c"', '"content":1,"x"', '"content":null,"y"']))),
        () => Buffer.from(whole.toString().replace('"role"', '"role":[],"r"')),
        () => Buffer.from(whole.toString().replace('\n', '')),
        () => Buffer.concat([whole, Buffer.from(`${'x'.repeat(random.between(1, 100_000))}\n`)]),
        () => Buffer.from(`${whole.toString()}${random.pick(['null', '[]', '7', '"text"', '{}', '{"messages":{}}'])}\n`),
      ])()
      const path = await file('damaged.jsonl', '')
      await writeFile(path, damaged)
      const outcomes = await Promise.allSettled([inspectLogs(path), compactLog(path, { window: 2_000, portion: 3_000 })])
      for (const outcome of outcomes)
        if (outcome.status === 'rejected' && !InsufficientBudgetError.isInstance(outcome.reason)) expect(outcome.reason).toBeInstanceOf(TranscriptError)
    }
  })

  it('by the command too, from standard input', async () => {
    const { out, code } = await compactctl(['inspect', '-', '--stream', '--json'], claudeLog(3))
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject([{ format: 'claude-code', messages: 7, byTool: [{ tool: 'Read', calls: 3 }] }])
    const compacted = await compactctl(['compact', '-', '--stream', '-w', '4000'], claudeLog(80))
    const messages = compacted.out
      .trim()
      .split('\n')
      .map((line) => neutralCodec.read(JSON.parse(line)))
    expect(messages.some((message) => message.summary !== undefined)).toBe(true)
    expect((await compactctl(['inspect', '/nowhere.jsonl', '--stream'])).err).toContain('Cannot read /nowhere.jsonl: there is no such file.')
    const two = await file('two.jsonl', lines([1, 2].map((seed) => ({ messages: toOpenAIChat(generateHistory(seed)) }))))
    expect((await compactctl(['compact', two, '--stream'])).err).toContain('several conversations')
  })

  it('a file that cannot be read as one text names the commands that can', async () => {
    const path = await file('sparse.jsonl', '{"role":"user","content":"a"}\n')
    const { truncate } = await import('node:fs/promises')
    await truncate(path, 300 * 2 ** 20)
    const { code, err } = await compactctl(['plan', path])
    expect(code).toBe(1)
    expect(err).toMatch(/has 300 MB.*"inspect" and "compact" read JSON Lines of any size/)
    // Read piece by piece: one message, and then a line of nothing but zeros.
    expect((await compactctl(['inspect', path])).err).toContain('too long for one message')
  })
})
