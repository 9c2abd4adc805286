import { appendFile, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { compactctl, folder, lines } from './setup.ts'

const talk = (about: string) => [...Array(80).keys()].map((at) => ({ role: at % 2 ? 'assistant' : 'user', content: `${about} ${at}: ${'word '.repeat(120)}` }))
const [first, second] = [talk('apples'), talk('pears')]
let own = ''
let path = ''
beforeEach(async () => {
  own = await mkdtemp(join(folder, 'ended-'))
  path = join(own, 'x.jsonl')
  await writeFile(path, lines(first))
})
const rooted = (...args: readonly string[]): readonly string[] => [...args, '--root', join(own, 'archive')]
const compact = (node: readonly string[] = []) => compactctl(rooted('compact', path, '-i', '-w', '8000'), '', node)
const sessions = async () => JSON.parse((await compactctl(rooted('sessions', '--json'))).out)
const ids = async (): Promise<readonly string[]> => (await sessions()).map(({ session }: { session: string }) => session).sort()
const restored = async (session: string) =>
  (await compactctl(rooted('restore', session))).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const textsUnder = async (where: string): Promise<string> => {
  const files = (await readdir(where, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
  return (await Promise.all(files.map((one) => readFile(join(one.parentPath, one.name), 'utf8')))).join('\n')
}
/** Node with an operation on our file that goes wrong. */
const where = (operation: 'link' | 'rename', argument: 0 | 1, wrong: string): readonly string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const whole = fs.${operation}
    fs.${operation} = async (...paths) => {
      const own = paths[${argument}] === ${JSON.stringify(path)}
      const go = () => whole(...paths)
      if (!own) return go()
      ${wrong}
    }
    syncBuiltinESMExports()
  `)}`,
]
const kill = "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})"
const refused = "throw Object.assign(new Error('EACCES: permission denied, link'), { code: 'EACCES' })"

describe('compact --in-place that does not get to its rename', () => {
  it.each([
    ['killed before the copy', () => where('link', 0, kill)],
    ['killed before the rename', () => where('rename', 1, kill)],
    ['refused by the folder', () => where('link', 0, refused)],
    ['refused by the rename', () => where('rename', 1, refused)],
  ])('%s: the next ones go on with the same record, and forget deletes all of it', async (_, wrong) => {
    for (let night = 0; night < 3; night++) {
      expect((await compact(wrong())).out).toBe('')
      expect(await sessions()).toEqual([{ session: expect.stringMatching(/^x-[0-9a-f]{8}$/), messages: first.length, compactions: 0, last: null }])
    }
    expect(await readFile(path, 'utf8')).toBe(lines(first))
    // What the last one was writing lies there at most; no other is left.
    expect((await readdir(own)).filter((name) => name.endsWith('.tmp')).length).toBeLessThanOrEqual(1)
    expect((await compactctl(rooted('rewind', path))).err).toContain('nothing to forget')
    await appendFile(path, lines(second))
    expect((await compact()).out).toContain('as it was:')

    expect(await sessions()).toMatchObject([{ messages: first.length + second.length, compactions: 1, file: path }])
    expect(await restored(path)).toEqual([...first, ...second])
    const { out } = await compactctl(rooted('forget', path, '--backups'))
    expect(out).toContain('deleted')
    expect((await readdir(own)).filter((name) => name.endsWith('.bak'))).toEqual([])
    expect(await textsUnder(join(own, 'archive'))).not.toContain('apples')
  })

  it('killed right after it: that counts, and the next one goes on', async () => {
    await compact(where('rename', 1, `await go(); ${kill}`))
    expect(await sessions()).toMatchObject([{ compactions: 1, file: path }])
    await appendFile(path, lines(second))
    await compact()
    expect(await sessions()).toMatchObject([{ compactions: 2, messages: first.length + second.length }])
    await compactctl(rooted('rewind', path))
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, -lines(second).length))
    expect((await compactctl(rooted('rewind', path))).code).toBe(0)
    expect(await readFile(path, 'utf8')).toBe(lines(first))
  })

  it('and then holds another conversation: each has a record of its own, and forget by the file names and deletes both', async () => {
    await compact(where('link', 0, kill))
    await writeFile(path, lines(second))
    await compact()
    const [one = '', two = ''] = await ids()
    expect(two).toBe(`${one}-2`)
    expect([await restored(one), await restored(two)]).toEqual([first, second])
    const dry = await compactctl(rooted('forget', path, '--dry-run'))
    expect(dry.out).toContain(`which held ${one}, ${two}: `)
    expect((await compactctl(rooted('forget', path))).out).toContain(`which held ${one}, ${two}: `)
    const left = await textsUnder(join(own, 'archive'))
    expect([left.includes('apples'), left.includes('pears')]).toEqual([false, false])
    expect(await sessions()).toEqual([])
  })

  it('killed before the rename, and forgotten at once: what was being written is named, and deleted with the copies', async () => {
    await compact(where('rename', 1, kill))
    const drafts = (await readdir(own)).filter((name) => name.endsWith('.tmp'))
    expect(drafts).toHaveLength(1)
    expect((await compactctl(rooted('forget', path, '--dry-run'))).out).toContain(`copy ${join(own, String(drafts[0]))}`)
    await compactctl(rooted('forget', path, '--backups'))
    expect((await readdir(own)).filter((name) => name !== 'archive')).toEqual(['x.jsonl'])
  })

  it('one of two conversations is forgotten by its id, and the other stays', async () => {
    await compact()
    await writeFile(path, lines(second))
    await compact()
    const [one = '', two = ''] = await ids()
    await compactctl(rooted('forget', one))
    expect(await ids()).toEqual([two])
    expect(await restored(path)).toEqual(second)
  })
})
