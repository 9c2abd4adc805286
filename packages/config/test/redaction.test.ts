import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linearPattern, loadConfig, storageEncryption } from '@precis/config'
import { createCompactor, createRedactor, neutralCodec, rotateEncryption } from '@precis/core'
import { generateHistory, history, user } from '@precis/testkit'
import { afterAll, describe, expect, it } from 'vitest'

const folders: string[] = []
const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'precis-config-'))
  folders.push(path)
  return path
}
const config = async (text: string, env: Record<string, string> = {}) => {
  const path = join(await folder(), 'precis.yaml')
  await writeFile(path, text)
  return loadConfig({ path, env })
}
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true, force: true }))))
const bare = (text: string): string => text.replace(/:[0-9a-f]{6}\]/g, ']')

describe('redaction by file', () => {
  it('own patterns and the rules for persons, beside the secrets', async () => {
    const { redact } = await config('redaction:\n  personal: true\n  patterns:\n    - { tag: customer, pattern: "acme-\\\\d+", ignoreCase: true }\n')
    if (typeof redact !== 'function') throw new Error('expected a redactor')
    expect(bare(redact('ACME-42 kim@ledger.dev password=hunter2hunter2'))).toBe('[customer] [email] password=[password]')
    expect(redact(redact('ACME-42'))).toBe(redact('ACME-42'))
  })
  it('nothing asked for: core’s own rules; switched off: none', async () => {
    expect((await config('redaction: { enabled: true }\n')).redact).toBeTypeOf('function')
    expect((await config('redaction: { enabled: false }\n')).redact).toBe(false)
  })
  it.each([
    ['a look-behind, which RE2 has not', '(?<=x)y'],
    ['a back reference', '(a)\\\\1'],
    ['a bracket too many', '(a'],
  ])('%s is refused with its place', async (_, pattern) => {
    await expect(config(`redaction:\n  patterns:\n    - { tag: own, pattern: "${pattern}" }\n`)).rejects.toThrow('redaction.patterns.0.pattern')
  })
  it('a pattern that stalls other engines does not stall this one', () => {
    const redact = createRedactor([{ tag: 'own', pattern: linearPattern('(a+)+$') }])
    expect(bare(redact(`${'a'.repeat(50_000)}!`))).toBe(`${'a'.repeat(50_000)}!`)
    expect(bare(redact('aaa'))).toBe('[own]')
  })
  it('matches of nothing, characters beyond the first plane, several in a row', () => {
    expect(bare(createRedactor([{ tag: 'x', pattern: linearPattern('b*') }])('a🚀bb c b'))).toBe('a🚀[x] c [x]')
  })
})

describe('encryption by file', () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  it('nothing readable lies on the disk, and the next process reads it', async () => {
    const root = await folder()
    const text = `model: { contextWindow: 8000, maxOutput: 1000 }\nstorage: { adapter: fs, path: ${root} }\narchive: true\noutputs: { keep: all }\nencryption: { keyId: k1, keyVariable: MY_KEY }\n`
    const source = history(user('The word is swordfish.'), generateHistory(2, { turns: 30 }))
    const first = await config(text, { MY_KEY: key })
    expect(
      (
        await createCompactor({ codec: neutralCodec, ...first })
          .session('s')
          .beforeModelCall(source)
      ).report.outcome,
    ).toBe('summarized')
    const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    const bodies = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')))
    expect(bodies.length).toBeGreaterThan(3)
    expect(bodies.join()).not.toContain('swordfish')
    const again = await config(text, { MY_KEY: key })
    expect(
      (
        await createCompactor({ codec: neutralCodec, ...again })
          .session('s')
          .beforeModelCall(source)
      ).report.outcome,
    ).toBe('projected')
    expect((await again.archive?.read('s'))?.messages).toHaveLength(source.length)
  })
  it('a key changes: the older one reads, the new one writes, and what is rotated needs the older one no more', async () => {
    const root = await folder()
    const [old, next] = [key, Buffer.alloc(32, 8).toString('base64')]
    const under = (encryption: string, env: Record<string, string>) => config(`storage: { adapter: fs, path: ${root} }\nencryption: ${encryption}\n`, env)
    await (await under('{ keyId: k1, keyVariable: OLD }', { OLD: old })).storage?.put('a', 'kept')
    const both = await under('{ keyId: k2, keyVariable: NEW, olderKeys: { k1: OLD } }', { OLD: old, NEW: next })
    expect((await both.storage?.get('a'))?.body).toBe('kept')
    await both.storage?.put('b', 'new')
    const { storage, keys } = storageEncryption(both) ?? {}
    expect(await rotateEncryption(storage as never, keys as never)).toEqual({ written: 1, failed: [] })
    const alone = await under('{ keyId: k2, keyVariable: NEW }', { NEW: next })
    expect([(await alone.storage?.get('a'))?.body, (await alone.storage?.get('b'))?.body]).toEqual(['kept', 'new'])
    expect(storageEncryption(await config(`storage: { adapter: fs, path: ${root} }\n`))).toBeUndefined()
  })
  it.each([
    ['{ k1: OLD }', 'encryption.olderKeys.k1: is the id of the current key; write another keyId for the new one'],
    ['{ k0: GONE }', 'encryption.olderKeys.k0: expected 32 bytes as base64 in the variable GONE'],
    ['[k0]', 'encryption.olderKeys'],
    ['{ k0: "c2VjcmV0 of no variable" }', 'encryption.olderKeys.k0: expected the name of the variable that holds the key'],
  ])('older keys %s are refused, and no value is shown', async (older, words) => {
    const read = config(`encryption: { keyId: k1, keyVariable: MY_KEY, olderKeys: ${older} }\n`, { MY_KEY: key, OLD: key })
    await expect(read).rejects.toThrow(words)
    await expect(read).rejects.not.toThrow('c2VjcmV0')
  })
  it('a variable that is not there, or holds no key, is said at once', async () => {
    const text = 'encryption: { keyId: k1, keyVariable: MY_KEY }\n'
    await expect(config(text)).rejects.toThrow('MY_KEY')
    await expect(config(text, { MY_KEY: 'c2hvcnQ=' })).rejects.toThrow('32 bytes')
  })
})
