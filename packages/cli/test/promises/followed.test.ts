import { execFile, spawn } from 'node:child_process'
import { appendFile, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { presets } from '@precis/core'
import { generateHistory, toOpenAIChat } from '@precis/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { continueTranscript, parseTranscripts } from '../../src/index.ts'
import { watched, watchedScreen } from '../../src/look/watched.ts'

const main = join(import.meta.dirname, '../../src/main.ts')
let folder = ''
const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const history = toOpenAIChat(generateHistory(5, { turns: 30 }))
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-followed-'))
})

describe('compactctl watch', () => {
  it('a line for each change, until Ctrl-C', async () => {
    const path = join(folder, 'running.jsonl')
    await writeFile(path, lines(history.slice(0, 20)))
    const child = spawn(process.execPath, ['--conditions=@precis/source', main, 'watch', path, '-w', '16k'], { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    const code = await new Promise((resolve) => {
      child.on('close', resolve)
      child.stdout.on('data', async (chunk) => {
        out += String(chunk)
        const seen = out.split('\n').length - 1
        if (seen === 1) await appendFile(path, lines(history.slice(20, 30)))
        if (seen === 2) child.kill('SIGINT')
      })
    })
    expect(code).toBe(0)
    expect(out).toMatch(/^20 messages {2}context [\d,]+ of 16k \(\d+ %\); next compaction at 11,200, in about \d+ calls?\n30 messages /)
  })
  it('goes on where the file is moved away, is empty or half written for a moment', async () => {
    const path = join(folder, 'moved.jsonl')
    await writeFile(path, lines(history.slice(0, 20)))
    const child = spawn(process.execPath, ['--conditions=@precis/source', main, 'watch', path, '-w', '16k', '--for', '20'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    const code = await new Promise((resolve) => {
      child.on('close', resolve)
      child.stdout.on('data', async (chunk) => {
        out += String(chunk)
        const seen = out.split('\n').length - 1
        if (seen === 2) child.kill('SIGINT')
        if (seen !== 1) return
        for (const step of [() => rename(path, `${path}.away`), () => writeFile(path, ''), () => writeFile(path, '[{"role":')]) {
          await step()
          await wait(1_300)
        }
        await writeFile(path, lines(history.slice(0, 10)))
      })
    })
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^20 messages .*\n10 messages .*\n$/)
  })
  it('ends after --for, and says so of what cannot be watched', async () => {
    const path = join(folder, 'still.jsonl')
    await writeFile(path, lines(history.slice(0, 20)))
    const run = (...args: readonly string[]): Promise<{ out: string; err: string }> =>
      new Promise((resolve) => execFile(process.execPath, ['--conditions=@precis/source', main, 'watch', ...args], (_, out, err) => resolve({ out, err })))
    expect(JSON.parse((await run(path, '--for', '0.2', '--json')).out)).toMatchObject({ messages: 20, window: 200_000 })
    expect((await run('-')).err).toContain('cannot be watched')
    expect((await run('/nowhere')).err).toContain('there is no such file')
  })
  it('knows what the agent itself compacted, and what it really sent', () => {
    const message = (role: string, content: string) => ({ type: role, uuid: content.slice(0, 8), message: { role, content } })
    const usage = { input_tokens: 7_000, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 0, output_tokens: 1 }
    const log = [
      message('user', 'old '.repeat(9_000)),
      { type: 'system', subtype: 'compact_boundary', uuid: 'b' },
      message('user', 'a summary'),
      { type: 'assistant', uuid: 'z', message: { role: 'assistant', content: 'done', model: 'm', usage } },
    ]
    const [transcript] = parseTranscripts(lines(log), 'log')
    if (transcript === undefined) throw new Error('no transcript')
    const found = watched(transcript, { window: 16_000, policy: presets.balanced })
    expect(found).toMatchObject({ messages: 3, context: 8_000, lastPrompt: 8_000 })
    expect(Object.values(found.regions).reduce((a, b) => a + b, 0)).toBeLessThan(200)
    expect(watchedScreen(found, 80).every((line) => line.length <= 80)).toBe(true)
  })
})

describe('compactctl continue', () => {
  it('is Markdown with a summary, small enough, secrets replaced, fences that hold', async () => {
    const secret = ['ghp', 'Ab3dE6gH9jKl2nOp5rSt8vWx1zAb3dE6gH9j'].join('_')
    const [transcript] = parseTranscripts(lines([...history, { role: 'user', content: `use ${secret} and \`\`\`\`four\`\`\`\`` }]), 'log')
    if (transcript === undefined) throw new Error('no transcript')
    const { markdown, tokens } = await continueTranscript(transcript, { window: 16_000 })
    expect(markdown).toMatch(/^# A conversation to continue\n/)
    expect(markdown).toContain('## Summary of earlier messages')
    expect(markdown).not.toContain(secret)
    expect(tokens.after).toBeLessThan(tokens.before / 2)
    expect(markdown.length / 4).toBeLessThan(16_000)
  })
  it('a short conversation stands there whole', async () => {
    const [transcript] = parseTranscripts(
      lines([
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
      ]),
      'log',
    )
    if (transcript === undefined) throw new Error('no transcript')
    const { markdown } = await continueTranscript(transcript, { window: 64_000 })
    expect(markdown).toContain('## User\n\nhi\n\n## Assistant\n\nhello')
    expect(markdown).not.toContain('Summary of earlier')
  })
})
