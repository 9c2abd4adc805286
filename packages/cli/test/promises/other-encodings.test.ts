import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../../src/main.ts')
let folder = ''
const at = (name: string): string => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-encodings-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

function compactctl(args: readonly string[], { input = '', before = [] }: { readonly input?: string | Buffer; readonly before?: readonly string[] } = {}) {
  return new Promise<Ended>((resolve) => {
    const child = execFile(process.execPath, ['--conditions=@precis/source', ...before, main, ...args], (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
    child.stdin?.end(input)
  })
}

const text = `${JSON.stringify({ role: 'user', content: 'Grüße, go.' })}\n${JSON.stringify({ role: 'assistant', content: 'Done.' })}\n`
const little = Buffer.from(text, 'utf16le')

describe('a transcript in another encoding is called that, wherever it is read', () => {
  it.each([
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), little]), 'is UTF-16;', 'Out-File -Encoding utf8'],
    ['UTF-16, big end first', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(little).swap16()]), 'is UTF-16;', 'Out-File -Encoding utf8'],
    ['UTF-16 without a mark', little, 'is UTF-16;', 'Out-File -Encoding utf8'],
    ['gzip', gzipSync(text), 'is compressed with gzip.', 'gunzip'],
  ])('%s', async (_, bytes, said, hint) => {
    const path = at('session.jsonl')
    await writeFile(path, bytes)
    const ended = [
      await compactctl(['inspect', path]),
      await compactctl(['inspect', '--stream', path]),
      await compactctl(['inspect', '-'], { input: bytes }),
      await compactctl(['compact', '--in-place', '--root', at('archive'), path]),
    ]
    for (const { code, err } of ended) {
      expect(err.trimEnd().split('\n')).toHaveLength(2)
      expect(err).toContain(said)
      expect(err).toContain(hint)
      expect(code).toBe(1)
    }
    expect(await readFile(path)).toEqual(bytes)
  })
  it('standard input is read whole, however its characters are cut', async () => {
    const { code, out } = await compactctl(['inspect', '-', '--json'], { input: text })
    expect([code, JSON.parse(out)[0].messages]).toEqual([0, 2])
  })
})

describe('an error is two lines: what is wrong, and what to write instead', () => {
  it('a Node that is too old is told before anything is loaded that it lacks', async () => {
    const old = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`
    const { code, err } = await compactctl(['inspect', at('session.jsonl')], { before: ['--import', old] })
    expect(err).toMatch(/^compactctl: it needs Node 22\.12 or newer; this is 20\.20\.2\.\n {2}.*npx -p node@24.*\n$/)
    expect(code).toBe(2)
    // What an older Node does not export would be a syntax error.
    expect(await readFile(main, 'utf8')).not.toMatch(/^import (?!\* as)/m)
  })
  it.each([
    ['a file that is there', ['config', 'init', '<there>'], '<there> exists already.'],
    ['a missing configuration', ['gc', '--config', '<none>'], '<none>: cannot be read: there is no such file'],
    ['a missing configuration to explain', ['config', 'explain', '<none>'], 'Cannot read <none>: there is no such file.'],
    ['a missing configuration to check', ['config', 'validate', '<none>'], '<none>: cannot be read: there is no such file'],
  ])('%s', async (_, args, said) => {
    await writeFile(at('there.yaml'), 'preset: balanced\n')
    const named = (one: string): string => one.replace('<there>', at('there.yaml')).replace('<none>', at('none.yaml'))
    const { code, err } = await compactctl(args.map(named))
    expect(err.trimEnd().split('\n')).toHaveLength(2)
    expect(err).toContain(named(said))
    expect(code).toBe(1)
  })
})
