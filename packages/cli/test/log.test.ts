import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { estimateHistory, InsufficientBudgetError, type Message, neutralCodec } from '@precis/core'
import { createRandom, generateHistory, toAnthropic, toOpenAIChat, validateAnthropic, validateOpenAIChat } from '@precis/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { compactLog, compactTranscript, inspect, inspectLogs, readTranscripts, TranscriptError } from '../src/index.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-log-'))
})
const lines = (values: readonly unknown[]): string => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`
async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}
const compactctl = (args: readonly string[], input?: string): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, ['--conditions=@precis/source', join(import.meta.dirname, '../src/main.ts'), ...args], (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
    child.stdin?.end(input ?? '')
  })

/** A session log of Claude Code: bookkeeping, calls, results in users' messages, umlauts across any cut. */
function claudeLog(turns: number): string {
  const values: unknown[] = [
    { type: 'summary', summary: 'bookkeeping' },
    { type: 'user', uuid: 'u', message: { role: 'user', content: 'Fix the parser, ticket PARSE-77. Größe zählt.' } },
  ]
  for (let at = 0; at < turns; at++) {
    const output = Array.from({ length: 60 }, (_, line) => `Zeile ${line} für module_${at}: compute(${(at * line) % 97})`).join('\n')
    values.push(
      {
        type: 'assistant',
        uuid: `a${at}`,
        message: { role: 'assistant', content: [{ type: 'tool_use', id: `c${at}`, name: 'Read', input: { file_path: `/src/module_${at}.ts` } }] },
      },
      { type: 'user', uuid: `r${at}`, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${at}`, content: output }] } },
    )
  }
  return lines(values)
}

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

describe('compact --in-place', () => {
  const messages = toOpenAIChat(generateHistory(9, { turns: 40 }))
  it.each([
    ['lines', 'a.jsonl', lines(messages)],
    ['a list', 'b.json', JSON.stringify(messages, null, 2)],
    ['a request', 'c.json', JSON.stringify({ model: 'x', temperature: 0, messages })],
    ['a request of another API', 'd.json', JSON.stringify({ model: 'x', temperature: 0, messages: toAnthropic(generateHistory(9, { turns: 40 })) })],
  ])('%s: a copy and the archive first, then the file in its own form', async (_, name, text) => {
    const own = await mkdtemp(join(folder, 'in-place-'))
    const path = join(own, name)
    await writeFile(path, text, { mode: 0o640 })
    const root = join(own, 'archive')
    const { code, out, err } = await compactctl(['compact', path, '--in-place', '-w', '8000', '--root', root])
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toContain('as it was:')
    const files = (await readdir(own)).filter((one) => one !== 'archive')
    expect(files).toHaveLength(2)
    const backup = files.find((one) => one.endsWith('.bak')) ?? ''
    expect(await readFile(join(own, backup), 'utf8')).toBe(text)
    expect((await stat(path)).mode & 0o777).toBe(0o640)
    const after = await readFile(path, 'utf8')
    const [transcript] = await readTranscripts(path)
    expect(transcript?.messages.length).toBeLessThan(messages.length)
    const held = name === 'a.jsonl' ? transcript?.write(transcript.messages) : (JSON.parse(after).messages ?? JSON.parse(after))
    expect((name === 'd.json' ? validateAnthropic(held).filter(({ rule }) => rule !== 'no-prefill') : validateOpenAIChat(held)).length).toBe(0)
    if (name === 'b.json') expect(after.startsWith('[\n  {')).toBe(true)
    if (name > 'c') expect(JSON.parse(after)).toMatchObject({ model: 'x', temperature: 0 })
    const restored = await compactctl(['restore', name.split('.')[0] ?? '', '--root', root])
    // Anthropic's messages hold several of ours.
    expect(restored.out.trim().split('\n').length).toBeGreaterThan(name === 'd.json' ? 200 : messages.length - 1)
  })

  it('a log of another program stays as it is', async () => {
    const path = await file('foreign.jsonl', claudeLog(60))
    const before = await readFile(path, 'utf8')
    const { code, err } = await compactctl(['compact', path, '-i', '-w', '4000', '--root', join(folder, 'none')])
    expect(code).toBe(1)
    expect(err).toMatch(/is claude-code.*--out/)
    expect(await readFile(path, 'utf8')).toBe(before)
    expect((await readdir(folder)).some((name) => name.startsWith('foreign.jsonl.'))).toBe(false)
  })

  it('an archive that cannot be written leaves the file as it is', async () => {
    const path = await file('kept.jsonl', lines(messages))
    const root = await file('no-folder', 'a file')
    const { code } = await compactctl(['compact', path, '-i', '-w', '8000', '--root', root])
    expect(code).toBe(1)
    expect(await readFile(path, 'utf8')).toBe(lines(messages))
  })

  it('a file that is not there is named', async () => {
    expect((await compactctl(['compact', '/nowhere.jsonl', '-i'])).err).toContain('Cannot read /nowhere.jsonl: there is no such file.')
  })

  it('goes with neither --out nor --stream', async () => {
    const path = await file('copy.jsonl', lines(messages))
    expect(await compactctl(['compact', path, '-i', '-o', join(folder, 'x')])).toMatchObject({ code: 2 })
    expect(await compactctl(['compact', path, '-i', '--stream'])).toMatchObject({ code: 2 })
  })
})

describe('inspect', () => {
  it('tells what came again, the regions, and what a compaction would do', async () => {
    const output = Array.from({ length: 40 }, (_, at) => `line ${at} of the same file`).join('\n')
    const step = (id: string) => [
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: output },
    ]
    const path = await file('again.jsonl', lines([{ role: 'user', content: 'go' }, ...step('a'), ...step('b'), ...step('c')]))
    const [found] = await inspectLogs(path)
    expect(found?.duplicates).toMatchObject({ outputs: 2, most: [{ tool: 'read', times: 3 }] })
    expect(found?.duplicates.tokens).toBeGreaterThan(300)
    const { out } = await compactctl(['inspect', path, '--window', '1000'])
    expect(out).toMatch(/Came again[\s\S]*read.* × 3[\s\S]*By region[\s\S]*at most \d+ tokens/)
    const json = JSON.parse((await compactctl(['inspect', path, '--window', '1000', '--json'])).out)
    expect(json[0].plan.decision.action).toBe('compact')
  })
})

describe('complete', () => {
  const offered = async (...words: readonly string[]): Promise<string> => (await compactctl(['complete', '--', ...words])).out
  it('commands, options and choices; files where none of these fits', async () => {
    expect(await offered('ins')).toMatch(/^inspect\t/)
    expect(await offered('compact', '--in')).toMatch(/^--in-place\t/)
    expect(await offered('eval', '--preset', '')).toMatch(/^balanced\t?\n/m)
    expect(await offered('config', '')).toMatch(/^validate\t/m)
    for (const words of [
      ['inspect', ''],
      ['compact', 'x.jsonl', '--out', ''],
    ])
      expect(await offered(...words)).toBe(':0\n')
  })
  it.each(['bash', 'zsh', 'fish', 'powershell'])('a script for %s', async (shell) => {
    const { out, code } = await compactctl(['complete', shell])
    expect(code).toBe(0)
    expect(out).toMatch(/compactctl complete '?--/)
  })
  it('bash reads its own, and offers files', async () => {
    const { out } = await compactctl(['complete', 'bash'])
    const path = await file('completion.bash', out)
    const printed = await new Promise<string>((resolve, reject) =>
      execFile('bash', ['-c', `. ${path}; complete -p compactctl`], (error, text) => (error === null ? resolve(text) : reject(error))),
    )
    expect(printed).toContain('-o default')
  })
  it('an unknown shell is a wrong call', async () => {
    expect(await compactctl(['complete', 'tcsh'])).toMatchObject({ code: 2 })
  })
})
