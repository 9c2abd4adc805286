import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fsStorage } from '@precis/storage-fs'
import { generateHistory, history as historyOf, toAnthropic, toGemini, toOpenAIChat, toOpenAIResponses, user } from '@precis/testkit'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { listSessions, recallFrom, restoreSession, rewindSession } from '../../src/archive/archived.ts'
import { collectGarbage, forgetSession, renderCollected, renderForgot } from '../../src/archive/deleted.ts'
import { compactInPlace, type Replaced } from '../../src/archive/in-place.ts'
import { sessionOfFile } from '../../src/archive/session-of-file.ts'

const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const chat = (seed: number) => toOpenAIChat(generateHistory(seed, { turns: 30 }))
let folder = ''
let place = { root: '' }
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-in-place-archive-'))
  place = { root: join(folder, 'archive') }
  for (const name of ['alice', 'bob']) mkdirSync(join(folder, name))
})
const compact = async (file: string) => (await compactInPlace(file, { window: 8_000 }, place)).replaced as Replaced
const failed = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing failed',
    (error: Error) => error.message,
  )

describe('two files of the same name', () => {
  it('are two conversations: by their paths, their links, or the ids that are listed', async () => {
    const [alice, bob] = [join(folder, 'alice/session.jsonl'), join(folder, 'bob/session.jsonl')]
    await writeFile(alice, lines(chat(1)))
    await writeFile(bob, lines(chat(2)))
    for (const file of [alice, bob]) await compact(file)
    expect((await listSessions(place)).map(({ session, file }) => [session, file]).sort()).toEqual(
      [alice, bob].map((file) => [sessionOfFile(file), file]).sort(),
    )
    symlinkSync(alice, join(folder, 'link.jsonl'))
    expect(await restoreSession(alice, place)).toEqual(chat(1))
    expect(await restoreSession(join(folder, 'link.jsonl'), place)).toEqual(chat(1))
    expect(await restoreSession(sessionOfFile(bob), place)).toEqual(chat(2))
    expect(await failed(restoreSession('session', place))).toMatch(/^"session" may be several: .*alice\/session\.jsonl.*\.$/)
    expect(await failed(forgetSession('session.jsonl', place, { dryRun: false, backups: false }))).toContain('may be several')
    await forgetSession(bob, place, { dryRun: false, backups: false })
    expect(await restoreSession('session', place)).toEqual(chat(1))
    mkdirSync(join(folder, 'session'))
    expect(await restoreSession(join(folder, 'session'), place)).toEqual(chat(1))
  })
  it('a conversation that only looks so is never meant by a file’s name', async () => {
    await fsStorage(place).put('sessions/ticket-12345678/state.json', '{}')
    expect((await forgetSession('ticket', place, { dryRun: false, backups: false })).keys).toEqual([])
  })
})

describe('a file that is compacted a second time', () => {
  const history = generateHistory(5, { turns: 60 })
  const half = history.findIndex((message, at) => at > history.length / 2 && message.role === 'user')
  it.each([
    ['openai-chat', toOpenAIChat(history.slice(0, half)), toOpenAIChat(history.slice(half))],
    ['openai-responses', toOpenAIResponses(history.slice(0, half)), toOpenAIResponses(history.slice(half))],
    ['anthropic', toAnthropic(history.slice(0, half)), toAnthropic(history.slice(half))],
    ['gemini', toGemini(history.slice(0, half)), toGemini(history.slice(half))],
    ['neutral', history.slice(0, half), history.slice(half)],
  ])('%s: restore gives all of it as it was, and rewind the file of before', async (_, first, second) => {
    const file = join(folder, 'twice.jsonl')
    await writeFile(file, lines(first))
    await compact(file)
    const once = await restoreSession('twice', place)
    appendFileSync(file, lines(second))
    const between = readFileSync(file, 'utf8')
    await compact(file)
    const restored = await restoreSession('twice', place)
    expect(JSON.stringify(restored)).not.toContain('<context-summary version')
    expect(restored.slice(0, once.length)).toEqual(once)
    const whole = join(folder, 'whole.jsonl')
    await writeFile(whole, lines([...first, ...second]))
    await compact(whole)
    expect(restored).toEqual(await restoreSession('whole', place))
    expect((await listSessions(place)).find((one) => one.file === file)?.compactions).toBe(2)
    await rewindSession('twice', place)
    expect(readFileSync(file, 'utf8')).toBe(between)
    await compact(file)
    expect(await restoreSession('twice', place)).toEqual(restored)
    await rewindSession(file, place)
    expect(await failed(rewindSession(file, place))).toContain('has changed since it was compacted; it stays as it is')
    expect(readFileSync(file, 'utf8')).toBe(between)
  })
  it('holding another conversation: both stay on record', async () => {
    const file = join(folder, 'other.jsonl')
    await writeFile(file, lines(chat(1)))
    const { session } = await compact(file)
    await writeFile(file, lines(chat(2)))
    expect((await compact(file)).session).toBe(`${session}-2`)
    expect(await restoreSession(session, place)).toEqual(chat(1))
    expect(await restoreSession('other', place)).toEqual(chat(2))
    appendFileSync(file, lines(chat(3)))
    await compact(file)
    expect(await restoreSession(file, place)).toEqual([...chat(2), ...chat(3)])
  })
  it('and that an older version archived by its name alone stays there', async () => {
    const file = join(folder, 'old.jsonl')
    await fsStorage(place).put(
      'sessions/old/in-place.json',
      JSON.stringify([{ file, backup: `${file}.bak`, at: 1, tokens: { before: 2, after: 1 }, left: '' }]),
    )
    await writeFile(file, lines(chat(1)))
    expect((await compact(file)).session).toBe('old-2')
    const other = join(folder, 'bob/old.jsonl')
    await writeFile(other, lines(chat(2)))
    expect((await compact(other)).session).toBe(sessionOfFile(other))
  })
})

it('a name too long for a key is shortened', () => {
  expect(sessionOfFile(`/x/${'ж'.repeat(100)}.jsonl`)).toMatch(/^ж{20,}-[0-9a-f]{8}$/)
})

describe('recall of a file that was compacted', () => {
  const history = historyOf(user('The ticket is PRE-205, error E4711 in shard kappa.'), generateHistory(6, { turns: 30 }))
  it.each([
    ['openai-chat', toOpenAIChat(history)],
    ['openai-responses', { model: 'm', input: toOpenAIResponses(history) }],
    ['anthropic', { model: 'm', messages: toAnthropic(history) }],
    ['gemini', { contents: toGemini(history) }],
    ['neutral', history],
  ])('%s: finds what left, and pages through it', async (format, value) => {
    const file = join(folder, `${format}.json`)
    await writeFile(file, JSON.stringify(value))
    await compact(file)
    expect(await recallFrom(format, place, { query: 'E4711' })).toContain('error E4711 in shard kappa')
    expect(await recallFrom(format, place, { limit: 2 })).toContain('go on with offset 2')
  })
})

describe('a byte order mark in front', () => {
  it.each([
    ['lines', lines(chat(1))],
    ['a list', `${JSON.stringify(chat(1), null, 2)}\n`],
    ['a request', `${JSON.stringify({ model: 'm', messages: chat(1) })}\n`],
  ])('of %s is read over, and stays', async (name, text) => {
    const [marked, plain] = [join(folder, 'marked.json'), join(folder, 'plain.json')]
    await writeFile(marked, `\ufeff${text}`)
    await writeFile(plain, text)
    for (const file of [marked, plain]) await compact(file)
    const [own, other] = [readFileSync(marked, 'utf8'), readFileSync(plain, 'utf8')]
    expect([own[0], own.slice(1, 40), own.split('\n').length], name).toEqual(['\ufeff', other.slice(0, 39), other.split('\n').length])
    expect((await compact(marked)).session).toBe(sessionOfFile(marked))
  })
})

describe('the copy beside a file whose conversation is deleted', () => {
  const compacted = async (): Promise<string> => {
    await writeFile(join(folder, 's.jsonl'), lines(chat(1)))
    return (await compact(join(folder, 's.jsonl'))).backup
  }
  it.each([
    [{ dryRun: true, backups: false }, 'stays, delete it yourself', true],
    [{ dryRun: false, backups: false }, 'stays, delete it yourself', true],
    [{ dryRun: true, backups: true }, 'would be deleted', true],
    [{ dryRun: false, backups: true }, 'deleted', false],
  ])('is named by forget, and deleted with --backups: %j', async (flags, fate, stays) => {
    const backup = await compacted()
    const done = await forgetSession('s', place, flags)
    expect(renderForgot('s', done, flags).split('\n').at(-1)).toBe(`copy ${backup}: ${fate}`)
    expect([done.copies, existsSync(backup)]).toEqual([[backup], stays])
  })
  it('is named by gc', async () => {
    const backup = await compacted()
    const gc = () => collectGarbage(place, { days: 1e-6, dryRun: false })
    expect((await gc()).copies).toEqual([]) // it carries no time yet
    await new Promise((resolve) => setTimeout(resolve, 200))
    const done = await gc()
    expect([done.conversations.length, done.copies, existsSync(backup)]).toEqual([1, [backup], true])
    expect(renderCollected(done, false)).toContain(`copy ${backup}: stays, delete it yourself`)
  })
  it('does not keep a conversation from being deleted whose key is lost', async () => {
    const config = join(folder, 'precis.yaml')
    await writeFile(config, 'storage: { adapter: fs, path: archive }\nencryption: { keyId: k, keyVariable: IN_PLACE_KEY }\n')
    await writeFile(join(folder, 's.jsonl'), lines(chat(1)))
    vi.stubEnv('IN_PLACE_KEY', Buffer.alloc(32, 1).toString('base64'))
    await compactInPlace(join(folder, 's.jsonl'), { window: 8_000 }, { config })
    vi.stubEnv('IN_PLACE_KEY', Buffer.alloc(32, 2).toString('base64'))
    const file = join(folder, 's.jsonl')
    const { keys, copies } = await forgetSession(file, { config }, { dryRun: false, backups: true })
    expect([keys.length > 1, copies]).toEqual([true, [expect.stringMatching(/s\.jsonl\.[^/]+\.bak$/)]])
    expect([existsSync(copies[0] ?? file), existsSync(file)]).toEqual([false, true])
    vi.unstubAllEnvs()
  })
  it('is no other file, whatever a note says', async () => {
    const [file, victim] = [join(folder, 's.jsonl'), join(folder, 'mine.txt')]
    await writeFile(victim, 'mine')
    const note = { file, backup: victim, at: 1, tokens: { before: 2, after: 1 }, left: '' }
    await fsStorage(place).put('sessions/s/in-place.json', JSON.stringify([note]))
    expect((await forgetSession('s', place, { dryRun: false, backups: true })).copies).toEqual([])
    expect(existsSync(victim)).toBe(true)
  })
})
