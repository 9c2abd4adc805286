import { appendFileSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, symlinkSync, writeSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateHistory, toOpenAIChat } from '@precis/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rewindSession } from '../../src/archive/archived.ts'
import { compactInPlace, type Replaced } from '../../src/archive/in-place.ts'

/** What another program does right before and right after a file takes the place of `path`. */
const hooks: { path: string; before: () => void; after: () => void } = vi.hoisted(() => ({ path: '', before: () => {}, after: () => {} }))
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const rename: typeof fs.rename = async (from, to) => {
    const isIts = to === hooks.path
    const { before, after } = hooks
    if (isIts) Object.assign(hooks, { before: () => {}, after: () => {} })
    if (isIts) before()
    await fs.rename(from, to)
    if (isIts) after()
  }
  return { ...fs, rename }
})

const messages = toOpenAIChat(generateHistory(9, { turns: 40 }))
const text = messages.map((message) => `${JSON.stringify(message)}\n`).join('')
const appended = `${JSON.stringify({ role: 'user', content: 'appended while it was compacted' })}\n`
let folder = ''
let file = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-races-'))
  file = join(folder, 's.jsonl')
  await writeFile(file, text)
  hooks.path = file
})
afterEach(() => void Object.assign(hooks, { path: '', before: () => {}, after: () => {} }))
const place = (): { readonly root: string } => ({ root: join(folder, 'archive') })
const compact = async (path: string = file) => (await compactInPlace(path, { window: 8_000 }, place())).replaced as Replaced
const others = (): readonly string[] => readdirSync(folder).filter((name) => name !== 's.jsonl' && name !== 'archive')

describe('a line that is appended while a file is compacted in place', () => {
  it('right before the file is replaced: the file comes back with it', async () => {
    const { ino } = statSync(file)
    hooks.before = () => appendFileSync(file, appended)
    await expect(compact()).rejects.toThrow('was written to while it was compacted; it stays as it is')
    expect(readFileSync(file, 'utf8')).toBe(text + appended)
    expect([statSync(file).ino, others()]).toEqual([ino, []])
    await expect(rewindSession('s', place())).rejects.toThrow('nothing to forget')
  })
  it('before and after it: both lines stay, in their order', async () => {
    hooks.before = () => appendFileSync(file, appended)
    hooks.after = () => appendFileSync(file, 'second\n')
    await expect(compact()).rejects.toThrow('was written to')
    expect(readFileSync(file, 'utf8')).toBe(`${text}${appended}second\n`)
  })
  it('by a program that holds the file open: it stands in the copy', async () => {
    const open = openSync(file, 'a')
    const { backup } = await compact()
    writeSync(open, appended)
    expect(await readFile(backup, 'utf8')).toBe(text + appended)
  })
  it('and while that is undone', async () => {
    await compact()
    const compacted = readFileSync(file, 'utf8')
    hooks.before = () => appendFileSync(file, appended)
    await expect(rewindSession('s', place())).rejects.toThrow('has changed since it was compacted; it stays as it is')
    expect(readFileSync(file, 'utf8')).toBe(compacted + appended)
    expect(others()).toEqual([expect.stringMatching(/\.bak$/)])
  })
})

it('what is no UTF-8 comes back byte for byte', async () => {
  const bytes = Buffer.from(text)
  bytes[bytes.indexOf('"content":"') + 11] = 0xe9
  await writeFile(file, bytes)
  await compact()
  await rewindSession('s', place())
  expect((await readFile(file)).equals(bytes)).toBe(true)
})

it('a symbolic link stays one: the file that it leads to is replaced, and kept beside itself', async () => {
  const [real, link] = [join(folder, 'real', 'own.jsonl'), join(folder, 'link.jsonl')]
  mkdirSync(join(folder, 'real'))
  await writeFile(real, text)
  symlinkSync(real, link)
  const { backup } = await compact(link)
  expect([lstatSync(link).isSymbolicLink(), readFileSync(real, 'utf8') === text, readFileSync(backup, 'utf8') === text]).toEqual([true, false, true])
  expect(readdirSync(join(folder, 'real'))).toEqual(['own.jsonl', expect.stringMatching(/^own\.jsonl\..*\.bak$/)])
})
