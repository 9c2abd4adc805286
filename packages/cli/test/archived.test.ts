import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createArchive, createCompactor, encryptedStorage, type Message, neutralCodec } from '@precis/core'
import { fsStorage } from '@precis/storage-fs'
import { generateHistory, history, user } from '@precis/testkit'
import { beforeAll, describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../src/main.ts')
const compactctl = (...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=@precis/source', main, ...args], (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
const source = history(user('The ticket is PRE-205, error E4711 in shard kappa.'), generateHistory(6, { turns: 30 }))
let folder = ''
let root = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-cli-'))
  root = join(folder, 'archive')
  const storage = fsStorage({ root })
  const compactor = createCompactor<Message>({
    codec: neutralCodec,
    limits: { contextWindow: 8_000, maxOutput: 1_000 },
    storage,
    archive: createArchive<Message>(storage),
  })
  await compactor.session('ticket/205').beforeModelCall(source)
})

describe('an archive', () => {
  it('lists its sessions', async () => {
    const { out } = await compactctl('sessions', '--root', root, '--json')
    expect(JSON.parse(out)).toMatchObject([{ session: 'ticket/205', messages: source.length, compactions: 1 }])
    expect((await compactctl('sessions', '--root', root)).out).toContain(`ticket/205  ${source.length} messages, 1 compaction, last 20`)
    expect((await compactctl('sessions', '--root', join(folder, 'nothing'))).err).toContain('there is no such folder')
  })
  it('gives the whole conversation back, once', async () => {
    const out = join(folder, 'whole.jsonl')
    expect((await compactctl('restore', 'ticket/205', '--root', root, '-o', out)).code).toBe(0)
    expect(
      (await readFile(out, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Message),
    ).toEqual(source)
    expect((await compactctl('restore', 'ticket/205', '--root', root, '-o', out)).code).toBe(1)
    expect((await compactctl('inspect', out)).out).toContain(`${source.length} messages`)
  })
  it('is searched as the model searches it', async () => {
    expect((await compactctl('recall', 'ticket/205', 'E4711', '--root', root)).out).toContain('shard kappa')
    expect((await compactctl('recall', 'ticket/205', '--root', root, '--limit', '2')).out).toContain('go on with offset 2')
  })
  it('a compaction is forgotten, and no message is', async () => {
    expect((await compactctl('rewind', 'ticket/205', 'c-unknown', '--root', root)).err).toContain('has no compaction')
    expect((await compactctl('rewind', 'ticket/205', '--root', root)).out).toContain('1 forgotten; nothing is compacted now')
    expect((await compactctl('rewind', 'ticket/205', '--root', root)).err).toContain('nothing to forget')
    expect(JSON.parse((await compactctl('sessions', '--root', root, '--json')).out)).toMatchObject([{ messages: source.length, compactions: 0, last: null }])
  })
  it('is found by a configuration too', async () => {
    const config = join(folder, 'precis.yaml')
    await writeFile(config, `storage: { adapter: fs, path: ${root} }\n`)
    expect((await compactctl('sessions', '--config', config)).out).toContain('ticket/205')
    await writeFile(config, 'preset: layered\n')
    expect((await compactctl('sessions', '--config', config)).err).toContain('names no storage')
  })
  it('what is not there, or asked for in two ways, is said', async () => {
    const unknown = await compactctl('restore', 'ticket-1', '--root', root)
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('Known: ticket/205')])
    expect((await compactctl('sessions', '--root', root, '--config', 'x')).code).toBe(2)
    expect((await compactctl('recall', 'x', '--limit', '-1')).code).toBe(2)
  })
})

describe('deletion', () => {
  const keysUnder = async (place: string): Promise<readonly string[]> => {
    const keys: string[] = []
    for await (const key of fsStorage({ root: place }).list('')) keys.push(key)
    return keys
  }
  it('forget deletes one conversation, and says what it would delete first', async () => {
    const place = join(folder, 'deletion')
    const storage = fsStorage({ root: place })
    const make = () =>
      createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, storage, archive: createArchive<Message>(storage) })
    for (const id of ['ticket/1', 'ticket/2']) await make().session(id).beforeModelCall(source)
    const before = await keysUnder(place)
    const planned = await compactctl('forget', 'ticket/1', '--root', place, '--dry-run')
    expect([planned.code, planned.out]).toEqual([0, expect.stringMatching(/^ticket\/1: 4 keys and 0 whole outputs would be deleted\nsessions\/ticket%2F1\//)])
    expect(await keysUnder(place)).toEqual(before)
    expect((await compactctl('forget', 'ticket/1', '--root', place)).out).toBe('ticket/1: 4 keys and 0 whole outputs deleted\n')
    expect((await compactctl('forget', 'ticket/1', '--root', place)).out).toBe('Nothing is stored under "ticket/1".\n')
    expect((await keysUnder(place)).filter((key) => key.startsWith('sessions/ticket%2F1/'))).toEqual(['sessions/ticket%2F1/state.json'])
    expect(JSON.parse((await compactctl('sessions', '--root', place, '--json')).out)).toMatchObject([{ session: 'ticket/2', messages: source.length }])
  })
  it('rotate encrypts with the key of a configuration what lies under an older one', async () => {
    const place = join(folder, 'rotated')
    const [older, newer] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    Object.assign(process.env, { ROTATED_OLDER: Buffer.from(older).toString('base64'), ROTATED_NEWER: Buffer.from(newer).toString('base64') })
    const storage = encryptedStorage(fsStorage({ root: place }), { key: () => ({ id: 'k1', key: older }) })
    await createCompactor<Message>({
      codec: neutralCodec,
      limits: { contextWindow: 8_000, maxOutput: 1_000 },
      storage,
      archive: createArchive<Message>(storage),
    })
      .session('kept')
      .beforeModelCall(source)
    const config = join(folder, 'rotated.yaml')
    const under = (encryption: string) => writeFile(config, `storage: { adapter: fs, path: ${place} }\n${encryption}\n`)
    await under('encryption: { keyId: k2, keyVariable: ROTATED_NEWER }')
    const early = await compactctl('rotate', '--config', config)
    expect([early.code, early.out]).toEqual([
      1,
      expect.stringMatching(/^0 texts encrypted anew; the older keys are still needed\nfailed: .*its key "k1" is not to be had/),
    ])
    await under('encryption: { keyId: k2, keyVariable: ROTATED_NEWER, olderKeys: { k1: ROTATED_OLDER } }')
    const done = await compactctl('rotate', '--config', config)
    expect([done.code, done.out]).toEqual([0, expect.stringMatching(/^[1-9]\d* texts encrypted anew; the older keys can go\n$/)])
    expect(JSON.parse((await compactctl('rotate', '--config', config, '--json')).out)).toEqual({ written: 0, failed: [] })
    await under('encryption: { keyId: k2, keyVariable: ROTATED_NEWER }')
    expect(JSON.parse((await compactctl('sessions', '--config', config, '--json')).out)).toMatchObject([{ session: 'kept', messages: source.length }])
    await under('')
    expect((await compactctl('rotate', '--config', config)).err).toContain('encrypts nothing. Add encryption: { keyId: k1, keyVariable: PRECIS_KEY }.')
    expect((await compactctl('rotate')).code).toBe(2)
  })
  it('gc removes what is old by the retention of a configuration, or by --days', async () => {
    const place = join(folder, 'gc')
    const storage = fsStorage({ root: place })
    const old = { now: () => Date.now() - 40 * 86_400_000, id: () => crypto.randomUUID() }
    await createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, storage, clock: old })
      .session('old')
      .beforeModelCall(source)
    const config = join(folder, 'retention.yaml')
    await writeFile(config, `storage: { adapter: fs, path: ${place} }\nretention: { days: 90 }\n`)
    expect((await compactctl('gc', '--config', config)).out).toBe('0 conversations, 0 whole outputs, 0 leases, 0 deletion notes removed\n')
    expect((await compactctl('gc', '--config', config, '--days', '35', '--dry-run')).out).toBe(
      '1 conversation, 0 whole outputs, 0 leases, 0 deletion notes would be removed\nconversation old\n',
    )
    expect(JSON.parse((await compactctl('gc', '--root', place, '--json')).out)).toMatchObject({ conversations: ['old'], failed: [] })
    expect(await keysUnder(place)).toEqual(['redaction/salt.json'])
    expect((await compactctl('gc', '--days', '0')).code).toBe(2)
  })
})

it('reads standard input', async () => {
  const child = spawn(process.execPath, ['--conditions=@precis/source', main, 'inspect', '-'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stdin.end(source.map((message) => JSON.stringify(message)).join('\n'))
  await new Promise((resolve) => child.once('close', resolve))
  expect(out).toMatch(new RegExp(`^standard input\n${source.length} messages`))
})

describe('compact --in-place', () => {
  it('is listed by sessions, and undone by rewind: byte for byte, and never over newer work', async () => {
    const place = join(folder, 'in-place')
    const file = join(folder, 'agent.jsonl')
    const text = source.map((message) => `${JSON.stringify(message)}\n`).join('')
    await writeFile(file, text)
    const compact = () => compactctl('compact', file, '-i', '-w', '8k', '--root', place)
    expect((await compact()).code).toBe(0)
    expect(await readFile(file, 'utf8')).not.toBe(text)
    expect(JSON.parse((await compactctl('sessions', '--root', place, '--json')).out)).toMatchObject([
      { session: expect.stringMatching(/^agent-[0-9a-f]{8}$/), compactions: 1, file },
    ])
    expect((await compactctl('rewind', 'agent', '--root', place)).out).toBe(`${file} is as it was; 1 forgotten; nothing is compacted now\n`)
    expect(await readFile(file, 'utf8')).toBe(text)
    expect((await compactctl('rewind', 'agent', '--root', place)).err).toContain('nothing to forget')
    await compact()
    await writeFile(file, (await readFile(file, 'utf8')) + text)
    await compact()
    expect((await compactctl('rewind', file, '--root', place)).out).toBe(`${file} is as it was; 1 forgotten; 1 compaction left\n`)
    expect(JSON.parse((await compactctl('sessions', '--root', place, '--json')).out)).toMatchObject([{ compactions: 1 }])
    // What rewind put back is no copy any more; the other copy is still named.
    expect((await readdir(folder)).filter((name) => name.endsWith('.bak'))).toHaveLength(1)
    expect((await compactctl('forget', file, '--backups', '--root', place)).out).toMatch(/copy .*\.bak: deleted\n$/)
    expect((await readdir(folder)).filter((name) => name.endsWith('.bak'))).toEqual([])
    await writeFile(file, text)
    await compact()
    await writeFile(file, `${await readFile(file, 'utf8')}${JSON.stringify(source[0])}\n`)
    const refused = await compactctl('rewind', 'agent', '--root', place)
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/has changed since it was compacted; it stays as it is\.\n {2}As it was before: .*\.bak/),
    ])
  })
})
