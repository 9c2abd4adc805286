import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { generateHistory, toOpenAIChat } from '@precis/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../../src/main.ts')
const sample = join(import.meta.dirname, '../../../../examples/data/chat.jsonl')
let home = ''
const at = (name: string): string => join(home, name)
const compactctl = (args: readonly string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const own = { PATH: process.env['PATH'] ?? '', HOME: home, ...env }
    execFile(process.execPath, ['--conditions=@precis/source', main, ...args], { env: own, cwd: home }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
const put = async (name: string, values: readonly unknown[], end = '\n'): Promise<void> => {
  await mkdir(dirname(at(name)), { recursive: true })
  await writeFile(at(name), values.map((value) => JSON.stringify(value)).join('\n') + end)
}
const usage = { input_tokens: 10, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 20_000, output_tokens: 50 }
const output = 'PASS one of many tests in a file with a long name\n'.repeat(60)
const step = (id: string) => [
  {
    type: 'assistant',
    uuid: id,
    message: {
      id,
      role: 'assistant',
      model: 'claude-sonnet-4-5-20250929',
      usage,
      content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'cd app && npm test' } }],
    },
  },
  { type: 'user', uuid: `${id}r`, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] } },
]
const claude = [{ type: 'user', uuid: 'u', message: { role: 'user', content: 'make the tests pass' } }, ...step('a'), ...step('b'), ...step('c')]

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'precis-asked-'))
  await put('.claude/projects/app/one.jsonl', claude)
  await put('.codex/sessions/2026/11/rollout-1.jsonl', [
    { type: 'session_meta', payload: {} },
    { type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'explain the parser' }] } },
  ])
  await put('data/opencode/storage/session/p/ses_1.json', [{ id: 'ses_1', title: 'a change of colors' }])
  await put('data/opencode/storage/message/ses_1/msg_1.json', [{ id: 'msg_1', role: 'user' }])
  await put('data/opencode/storage/part/msg_1/prt_1.json', [{ type: 'text', text: 'change the colors' }])
  await put('folder/a.jsonl', toOpenAIChat(generateHistory(1)))
  await put('folder/deep/b.jsonl', toOpenAIChat(generateHistory(2)))
  await put('folder/package.json', [{ name: 'not a transcript' }])
  await utimes(at('.claude/projects/app/one.jsonl'), 2e9, 2e9)
})

describe('compactctl alone', () => {
  it('lists the sessions of agents on this machine, and the command for each', async () => {
    const { code, out } = await compactctl([], { XDG_DATA_HOME: at('data') })
    expect(code).toBe(0)
    expect(out).toContain('3 sessions')
    expect(out).toMatch(/Claude Code .* make the tests pass\n {2}compactctl inspect .*one\.jsonl/)
    expect(out).toContain('explain the parser')
    expect(out).toContain('a change of colors')
    const listed = JSON.parse((await compactctl(['logs', '--json'], { XDG_DATA_HOME: at('data') })).out) as { agent: string; path: string }[]
    expect(listed[0]?.agent).toBe('Claude Code')
    const openCode = listed.find(({ agent }) => agent === 'OpenCode')
    expect((await compactctl(['inspect', openCode?.path ?? ''])).out).toContain('opencode')
  })
  it('says so where there are none', async () => expect((await compactctl([], { HOME: '/nowhere' })).out).toContain('No session of'))
})

describe('what a log cost', () => {
  const spent = async (name: string, creation: object): Promise<{ dollars: number; cacheWrite: number; cacheWriteHour?: number }> => {
    const written = { input_tokens: 0, cache_creation_input_tokens: 1_000_000, output_tokens: 0, ...creation }
    const message = { id: 'm', role: 'assistant', model: 'claude-sonnet-4-5-20250929', usage: written, content: 'done' }
    await put(name, [claude[0], { type: 'assistant', uuid: 'a', message }])
    return JSON.parse((await compactctl(['inspect', name, '--json'])).out)[0].usage.models[0]
  }
  it('writes into the cache for an hour cost twice the input, for minutes one and a quarter', async () => {
    const mixed = { ephemeral_5m_input_tokens: 400_000, ephemeral_1h_input_tokens: 600_000 }
    const [minutes, both] = [await spent('m.jsonl', {}), await spent('h.jsonl', { cache_creation: mixed })]
    const input = minutes.dollars / 1.25
    expect(both.dollars).toBeCloseTo(input * (0.4 * 1.25 + 0.6 * 2), 6)
    expect([minutes.cacheWriteHour, both.cacheWriteHour, both.cacheWrite]).toEqual([undefined, 600_000, 1_000_000])
  })
})

describe('what ate my context?', () => {
  it('the command by name, what came again and its price, usage by model', async () => {
    const { out } = await compactctl(['inspect', '.claude/projects/app/one.jsonl'], { COLUMNS: '80' })
    expect(out).toMatch(/Bash: npm test × 3 +[\d,]+ +\d+ %/)
    expect(out).toMatch(/2 repetitions: [\d,]+ tokens/)
    expect(out).toMatch(/claude-sonnet-4-5-20250929 +3 +30 +60k +3k +150 +\$0\.03/)
    expect(out).toContain('The last prompt had 21,010 tokens')
    for (const line of out.split('\n').filter((one) => !/repetitions|in all/.test(one))) expect(line.length).toBeLessThanOrEqual(80)
  })
})

describe('files as people name them', () => {
  it('folders, patterns and several files; what is no transcript is left out with a note', async () => {
    const inFolder = await compactctl(['plan', 'folder', '-w', '200k'])
    expect(inFolder.out.trim().split('\n')).toHaveLength(2)
    expect(inFolder.err).toContain('1 file holds no transcript: folder/package.json')
    expect((await compactctl(['plan', 'folder/**/*.jsonl', sample, '-w', '128,000'])).out.trim().split('\n')).toHaveLength(3)
    expect(await compactctl(['plan', 'folder/package.json'])).toMatchObject({ code: 1 })
    expect((await compactctl(['plan', 'none/*.jsonl'])).err).toMatch(/^compactctl: No file matches none\/\*\.jsonl\.\n {2}Name a transcript/)
  })
  it.skipIf(process.platform === 'win32')('what never ends, in a folder or matched by a pattern, is not read', { timeout: 15_000 }, async () => {
    await put('endless/good.jsonl', toOpenAIChat(generateHistory(1)))
    await symlink('/dev/zero', at('endless/zero.json'))
    execFileSync('mkfifo', [at('endless/waits.jsonl')])
    for (const path of ['endless', 'endless/*.json*']) {
      const { code, out } = await compactctl(['plan', path, '-w', '200k'])
      expect([code, out.trim().split('\n').length]).toEqual([0, 1])
    }
  })
  it('a file of a folder that is broken or too large is left out with what is wrong with it', async () => {
    await put('mixed/good.jsonl', toOpenAIChat(generateHistory(1)))
    await put('mixed/other.json', [{ name: 'not a transcript' }])
    await put('mixed/torn.jsonl', [{ role: 'user', content: 'a' }], '\n{"role":\n{"role":"user","content":"b"}\n')
    await put('mixed/odd.jsonl', [{ role: 'user' }])
    await put('mixed/huge.jsonl', [])
    await truncate(at('mixed/huge.jsonl'), 300 * 2 ** 20)
    const { code, out, err } = await compactctl(['plan', 'mixed'])
    expect([code, out.trim().split('\n').length]).toEqual([0, 1])
    expect(err.trim().split('\n')).toEqual([
      'note: 1 file holds no transcript: mixed/other.json.',
      expect.stringMatching(/^note: left out: mixed\/huge\.jsonl has 300 MB/),
      expect.stringMatching(/^note: left out: mixed\/odd\.jsonl, message 1: it has a role but neither "parts" nor "content"/),
      expect.stringMatching(/^note: left out: mixed\/torn\.jsonl, line 2: expected a JSON object/),
      expect.stringMatching(/^note: window: 200,000 tokens \(nobody names/),
    ])
  })
  it('a half-written last line is left out with a note, and no file is replaced meanwhile', async () => {
    await put('running.jsonl', toOpenAIChat(generateHistory(3)), '\n{"role":"assis')
    for (const more of [[], ['--stream']]) {
      const { code, err } = await compactctl(['inspect', 'running.jsonl', ...more])
      expect(code).toBe(0)
      expect(err).toMatch(/note: running\.jsonl, line \d+ is only half written/)
    }
    expect((await compactctl(['compact', 'running.jsonl', '-i'])).err).toContain('is being written')
  })
})

describe('manners', () => {
  it('--version; errors of two lines', async () => {
    expect((await compactctl(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
    const bad = await compactctl(['plan', sample, '-w', 'many'])
    expect(bad).toMatchObject({ code: 2, out: '' })
    expect(bad.err.trim().split('\n')).toHaveLength(2)
    expect(bad.err).toContain('See: compactctl plan --help')
    expect((await compactctl(['inspect', 'nowhere.jsonl'])).err.trim().split('\n')).toHaveLength(2)
  })
  it('colors by FORCE_COLOR, never by default into a pipe, nor with NO_COLOR', async () => {
    expect((await compactctl(['inspect', sample])).out).not.toContain('\u001b')
    expect((await compactctl(['inspect', sample], { FORCE_COLOR: '1' })).out).toContain('\u001b[1m')
    expect((await compactctl(['inspect', sample], { NO_COLOR: '1' })).out).not.toContain('\u001b')
  })
  it('-o - is standard output', async () => {
    const printed = await compactctl(['compact', sample, '-w', '1000'])
    expect(await compactctl(['compact', sample, '-w', '1000', '-o', '-'])).toMatchObject({ code: 0, out: printed.out })
    expect((await compactctl(['report', sample, '-w', '1000', '-o', '-'])).out).toMatch(/^<!doctype html>/)
    expect((await compactctl(['config', 'init', '-'])).out).toMatch(/^# yaml[\s\S]*archive: true.*\n$/)
    expect(existsSync(at('-'))).toBe(false)
  })
  it.each([
    ['a folder that is not there', 'nodir/x.html', 'Cannot write nodir/x.html: there is no folder nodir.'],
    ['a folder', 'folder', 'Cannot write folder: it is a folder.'],
    ['nothing', '', 'The name of the output file is empty.'],
  ])('-o with %s says so before any work', async (_, out, expected) => {
    for (const command of [
      ['report', 'nowhere.jsonl'],
      ['compact', 'nowhere.jsonl'],
      ['restore', 'nothing'],
    ]) {
      const { code, err } = await compactctl([...command, '-o', out])
      expect([code, err]).toEqual([1, `compactctl: ${expected}\n  Name a new file, or - for standard output.\n`])
    }
  })
  it.skipIf(!existsSync('/dev/full'))('a full disk is an error of two lines', async () => {
    const full = openSync('/dev/full', 'w')
    const ended = await new Promise<{ code: number | null; err: string }>((resolve) => {
      const child = spawn(process.execPath, ['--conditions=@precis/source', main, 'compact', sample], { stdio: ['ignore', full, 'pipe'] })
      let err = ''
      child.stderr?.on('data', (chunk) => (err += String(chunk)))
      child.on('close', (code) => resolve({ code, err }))
    })
    expect(ended.code).toBe(1)
    expect(ended.err).toMatch(/compactctl: Cannot write the output: ENOSPC[^\n]*\n {2}Is the disk full\?[^\n]*\n$/)
    expect(ended.err).not.toContain('    at ')
  })
  it('a closed pipe ends it quietly', async () => {
    await put('long.jsonl', toOpenAIChat(generateHistory(5, { turns: 60 })))
    const ended = await new Promise<{ code: number | null; err: string }>((resolve) => {
      const child = spawn(process.execPath, ['--conditions=@precis/source', main, 'compact', at('long.jsonl'), '-w', '64k'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let err = ''
      child.stderr.on('data', (chunk) => (err += String(chunk)))
      child.stdout.destroy()
      child.on('close', (code) => resolve({ code, err }))
    })
    expect(ended.code).toBe(0)
    expect(ended.err).not.toMatch(/EPIPE|Error/)
  })
})
