import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createArchive, createCompactor, neutralCodec } from '@precis/core'
import { fsStorage } from '@precis/storage-fs'
import { generateHistory, toOpenAIChat } from '@precis/testkit'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createProgram } from '../src/program.ts'

let folder = ''
const at = (name: string): string => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-program-'))
  const history = generateHistory(5, { turns: 30 })
  await writeFile(
    at('session.jsonl'),
    toOpenAIChat(history)
      .map((message) => `${JSON.stringify(message)}\n`)
      .join(''),
  )
  const storage = fsStorage({ root: at('archive') })
  const limits = { contextWindow: 8_000, maxOutput: 1_000 }
  await createCompactor({ codec: neutralCodec, limits, storage, archive: createArchive(storage) })
    .session('ticket-205')
    .compact(history)
})
afterEach(() => vi.restoreAllMocks())

/** Runs a command in this process. @returns what it printed to standard output. */
async function run(...args: readonly string[]): Promise<string> {
  let printed = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    printed += String(chunk)
    return true
  })
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await createProgram().parseAsync(['node', 'compactctl', ...args])
  return printed
}

describe('every command', () => {
  const commands = createProgram().commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]))
  it.each(commands.map((command) => [command.name(), command] as const))('%s says what it is for, and shows how it is called', (_, command) => {
    expect(command.description().length).toBeGreaterThan(10)
    let shown = ''
    command.configureOutput({ writeOut: (text) => (shown += text) })
    command.outputHelp()
    expect(shown).toContain('Example: compactctl ')
    expect(shown).toContain('--json')
  })
})

describe('as JSON', () => {
  it.each([
    ['inspect', ['inspect', 'session.jsonl', '--window', '8000'], (value: never) => value[0]?.['plan']?.['summarize']],
    ['inspect, piece by piece', ['inspect', 'session.jsonl', '--stream'], (value: never) => value[0]?.['tokens']],
    ['plan', ['plan', 'session.jsonl', '-w', '8000'], (value: never) => value[0]?.['plan']?.['keep']],
    ['diff', ['diff', 'session.jsonl', '-w', '8000', '--focus', 'paths'], (value: never) => value[0]?.['entries']],
    ['remembered', ['remembered', 'session.jsonl', '-w', '8000'], (value: never) => value[0]?.['layers']],
    ['compact', ['compact', 'session.jsonl', '-w', '8000', '-o', 'out.jsonl'], (value: never) => value['tokens']],
    ['compact, piece by piece', ['compact', 'session.jsonl', '-w', '8000', '--stream', '-o', 'streamed.jsonl'], (value: never) => value['tokens']],
    ['sessions', ['sessions', '--root', 'archive'], (value: never) => value[0]?.['session'] === 'ticket-205'],
    ['recall', ['recall', 'ticket-205', 'file', '--root', 'archive', '--limit', '3', '--offset', '0'], (value: never) => value['text']],
    ['repair', ['repair', 'ticket-205', '--root', 'archive'], (value: never) => value['rebuilt'] === false && value['messages']],
    ['rewind', ['rewind', 'ticket-205', '--root', 'archive'], (value: never) => value['forgotten']],
    ['eval', ['eval', 'session.jsonl', '-w', '8000,16000', '--preset', 'layered'], (value: never) => value[0]],
    ['report', ['report', 'session.jsonl', '-w', '8000', '-o', 'report.html'], (value: never) => value[0]],
    ['config init', ['config', 'init', 'precis.yaml'], (value: never) => value['file']],
    ['config validate', ['config', 'validate', 'precis.yaml'], (value: never) => value['valid']],
    ['config explain', ['config', 'explain', 'precis.yaml'], (value: never) => value[0]],
  ])('%s', async (_, args, pick) => {
    const names = new Set(['session.jsonl', 'out.jsonl', 'streamed.jsonl', 'report.html', 'precis.yaml', 'archive'])
    const value = JSON.parse(await run(...args.map((arg) => (names.has(arg) ? at(arg) : arg)), '--json')) as never
    expect(pick(value)).toBeTruthy()
  })
  it('by a policy of the caller: a preset, a file', async () => {
    const kept = async (...more: readonly string[]): Promise<number> =>
      JSON.parse(await run('plan', at('session.jsonl'), '-w', '8000', '--json', ...more))[0].plan.keep.length
    const usual = await kept()
    expect(await kept('--preset', 'pivot')).toBeLessThan(usual)
    await writeFile(at('policy.yaml'), 'policy: { retain: { tokens: { tokens: 0 }, turns: 0, messages: 0, toolPairs: 0 } }')
    expect(await kept('--config', at('policy.yaml'))).toBeLessThan(usual)
    await run('compact', at('session.jsonl'), '-w', '8000', '--config', at('policy.yaml'), '--json', '-o', at('by-policy.jsonl'))
    const count = async (name: string): Promise<number> => (await readFile(at(name), 'utf8')).split('\n').length
    expect(await count('by-policy.jsonl')).toBeLessThan(await count('out.jsonl'))
  })
  it.each([
    ['plan', (value: never) => value[0]?.['window']],
    ['inspect', (value: never) => value[0]?.['window']],
    ['diff', (value: never) => value[0]?.['window']],
    ['remembered', (value: never) => value[0]?.['window']],
    ['compact', (value: never) => value['window']],
    ['report', (value: never) => value[0]?.['window']],
    ['eval', (value: never) => value[0]?.['window']],
  ])('%s: the window is that of --window, of the environment, of the configuration, in this order', async (name, windowOf) => {
    await writeFile(at('model.yaml'), 'model: { contextWindow: 12000, maxOutput: 1000 }')
    const window = async (...more: readonly string[]): Promise<number> => {
      const out = name === 'compact' || name === 'report' ? ['-o', at(`${name}-${Math.random()}`)] : []
      return windowOf(JSON.parse(await run(name, at('session.jsonl'), '--json', ...out, ...more)) as never)
    }
    expect(await window('--config', at('model.yaml'))).toBe(12_000)
    vi.stubEnv('PRECIS_CONTEXT_WINDOW', '9000')
    expect(await window('--config', at('model.yaml'))).toBe(9_000)
    expect(await window()).toBe(9_000)
    expect(await window('--config', at('model.yaml'), '-w', '8k')).toBe(8_000)
    vi.unstubAllEnvs()
    const none = name === 'inspect' ? undefined : name === 'eval' ? 16_000 : 200_000
    expect(await window()).toBe(none)
  })
  it('the reply that a configuration names is left room for, and its policy is kept to', async () => {
    await writeFile(at('model.yaml'), 'model: { contextWindow: 12000, maxOutput: 2500 }')
    const usable = async (...more: readonly string[]): Promise<number> =>
      JSON.parse(await run('plan', at('session.jsonl'), '--json', ...more))[0].plan.decision.usable
    expect(await usable('--config', at('model.yaml'))).toBe(9_500)
    expect(await usable('-w', '12000')).toBe(10_500)
    vi.stubEnv('PRECIS_TRIGGER', '1')
    expect(JSON.parse(await run('plan', at('session.jsonl'), '-w', '26k', '--json'))[0].plan.decision.action).toBe('none')
    vi.unstubAllEnvs()
    expect(JSON.parse(await run('plan', at('session.jsonl'), '-w', '26k', '--json'))[0].plan.decision.action).toBe('compact')
  })
  it('restore prints lines, or writes them', async () => {
    const lines = await run('restore', 'ticket-205', '--root', at('archive'))
    expect(lines.trim().split('\n').length).toBeGreaterThan(50)
    await run('restore', 'ticket-205', '--root', at('archive'), '--out', at('whole.jsonl'))
    expect(await readFile(at('whole.jsonl'), 'utf8')).toBe(lines)
    await expect(run('restore', 'ticket-205', '--root', at('archive'), '--out', at('whole.jsonl'))).rejects.toMatchObject({ code: 'EEXIST' })
  })
  it('as text too', async () => {
    await mkdir(at('empty'), { recursive: true })
    expect(await run('sessions', '--root', at('empty'))).toBe('The archive is empty.\n')
    expect(await run('plan', at('session.jsonl'), '-w', '8000')).toContain('at most')
    await expect(run('compact', '-', '--in-place')).rejects.toThrow('Standard input cannot be replaced')
  })
})

describe('a storage that is not there', () => {
  it.each([
    ['sessions', ['sessions']],
    ['forget', ['forget', 'nope']],
    ['gc', ['gc']],
    ['gc, dry', ['gc', '--dry-run']],
    ['rewind', ['rewind', 'nope']],
  ])('%s says so, and makes none', async (_, args) => {
    await expect(run(...args, '--root', at('none'))).rejects.toThrow(/^Nothing is stored in .*none: there is no such folder\.$/)
    await mkdir(at('app'), { recursive: true })
    await writeFile(at('app/precis.yaml'), 'storage: { adapter: fs, path: ./.own }\n')
    await expect(run(...args, '--config', at('app/precis.yaml'))).rejects.toThrow(at('app/.own'))
    expect([existsSync(at('none')), existsSync(at('app/.own')), existsSync('.own')]).toEqual([false, false, false])
  })
  it('a session that is not in it is not made by rewind', async () => {
    await expect(run('rewind', 'nope', '--root', at('archive'))).rejects.toThrow('Nothing is on record under "nope". Known: ticket-205.')
  })
})

describe('what a conversation’s name cannot do to a terminal', () => {
  const evil = 'x\u001b]0;owned\u0007\u001b[2J\n00:00 faked line'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be printed
  const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/
  it.each([
    ['plan', ['plan', 'evil.json', '-w', '8000']],
    ['gc', ['gc', '--days', '0.0000001', '--dry-run', '--root', 'evil']],
    ['forget', ['forget', evil, '--dry-run', '--root', 'evil']],
    ['recall', ['recall', evil, '--root', 'evil', '--limit', '3']],
  ])('%s prints it on one line, without what moves the cursor', async (_, args) => {
    const history = [...generateHistory(5, { turns: 30 }), { role: 'user' as const, parts: [{ type: 'text' as const, text: 'an \u001b[31mescape' }] }]
    await writeFile(at('evil.json'), JSON.stringify({ id: evil, messages: toOpenAIChat(history) }))
    const storage = fsStorage({ root: at('evil') })
    const limits = { contextWindow: 8_000, maxOutput: 1_000 }
    await createCompactor({ codec: neutralCodec, limits, storage, archive: createArchive(storage) })
      .session(evil)
      .compact(history)
    const printed = await run(...args.map((arg) => (arg === 'evil.json' || arg === 'evil' ? at(arg) : arg)))
    expect(printed).not.toMatch(controls)
    expect(printed).not.toMatch(/^00:00 faked/m)
    await expect(run('restore', 'nope', '--root', at('evil'))).rejects.toThrow(/Known: x \]0;owned \[2J 00:00 faked line\.$/)
  })
})
