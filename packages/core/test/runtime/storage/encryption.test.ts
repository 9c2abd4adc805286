import { assistant, fakeClock, fakeExporter, history, storageDriverCases, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  type EncryptionKey,
  encryptedStorage,
  InvalidConfigurationError,
  memoryStorage,
  neutralCodec,
  rotateEncryption,
  type StorageDriver,
  TamperedError,
} from '../../../src/index.ts'
import { codingSession } from '../../systems/setup.ts'

const bytes = (seed: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, at) => (at * 7 + seed) % 256)
const ring = (current: string, ...ids: string[]) => {
  const keys = new Map([current, ...ids].map((id) => [id, { id, key: bytes(id.length + id.charCodeAt(0)) } satisfies EncryptionKey]))
  return { key: (id: string = current) => keys.get(id) }
}
const source = history(user('The password of the goal: swordfish-47.'), codingSession({ turns: 8, steps: 3, lines: 40 }), user('and now?'))

describe('an encrypted storage is a storage', () => {
  it.each(storageDriverCases)('$name', ({ run }) => run(async () => encryptedStorage(memoryStorage(), ring('k1'))))
})

describe('encryption at rest', () => {
  it('a key that is none is a mistake in the configuration, for reading as for writing, and no damage', async () => {
    const inner = memoryStorage()
    await encryptedStorage(inner, ring('k1')).put('a', 'text')
    const short = encryptedStorage(inner, { key: () => ({ id: 'k1', key: bytes(1).subarray(0, 16) }) })
    for (const call of [() => short.get('a'), () => short.put('b', 'text')])
      await expect(call()).rejects.toSatisfy((error) => InvalidConfigurationError.isInstance(error))
  })
  it('states, transcripts and outputs: not a word of the conversation is readable underneath', async () => {
    const inner = memoryStorage()
    const storage = encryptedStorage(inner, ring('k1'))
    const options = { codec: neutralCodec, storage, archive: createArchive(storage), outputs: createToolOutputStore(storage, { keep: 'all' }) }
    const compactor = createCompactor({ ...options, limits: { contextWindow: 8_000, maxOutput: 500 }, clock: fakeClock() })
    await compactor.session('s').beforeModelCall(source)
    const raw: string[] = []
    for await (const key of inner.list('')) raw.push((await inner.get(key))?.body ?? '')
    expect(raw.length).toBeGreaterThan(3)
    expect(raw.every((body) => body.startsWith('precis-aes-256-gcm-1:k1:'))).toBe(true)
    expect(raw.join()).not.toMatch(/module0|swordfish|fingerprint/)
    // Another process reads it.
    const again = createCompactor({ ...options, limits: { contextWindow: 8_000, maxOutput: 500 } })
    expect((await again.session('s').beforeModelCall([...source, assistant('Going on.'), user('And then?')])).report.outcome).toBe('projected')
  })
  it('the same text twice looks different', async () => {
    const inner = memoryStorage()
    const storage = encryptedStorage(inner, ring('k1'))
    await storage.put('a', 'x')
    await storage.put('b', 'x')
    expect((await inner.get('a'))?.body.split(':')[3]).not.toBe((await inner.get('b'))?.body.split(':')[3])
  })
  it('keys are changed: old texts stay readable, and can be written anew', async () => {
    const inner = memoryStorage()
    await encryptedStorage(inner, ring('old')).put('a/x', 'first')
    const both = ring('new', 'old')
    const storage = encryptedStorage(inner, both)
    await storage.put('a/y', 'second')
    expect((await storage.get('a/x'))?.body).toBe('first')
    expect(await rotateEncryption(inner, both)).toEqual({ written: 1, failed: [] })
    expect(await rotateEncryption(inner, both)).toEqual({ written: 0, failed: [] })
    expect((await encryptedStorage(inner, ring('new')).get('a/x'))?.body).toBe('first')
  })
  it.each([
    ['one letter of it', (body: string) => `${body.slice(0, -4)}AAA=`],
    ['all of it', () => 'precis-aes-256-gcm-1:k1:AAAA:AAAA'],
    ['by plain text', () => '{"checkpoints":[]}'],
    ['its key id', (body: string) => body.replace(':k1:', ':k2:')],
    ['what is no base64', () => 'precis-aes-256-gcm-1:k1:§:§'],
  ])('a text that was changed (%s) is not believed', async (_, change) => {
    const inner = memoryStorage()
    const storage = encryptedStorage(inner, ring('k1', 'k2'))
    await storage.put('a', 'text')
    await inner.put('a', change((await inner.get('a'))?.body ?? ''))
    await expect(storage.get('a')).rejects.toSatisfy((error) => TamperedError.isInstance(error))
  })
  it('a text that was moved is not believed, nor one whose key is gone', async () => {
    const inner = memoryStorage()
    const storage = encryptedStorage(inner, ring('k1'))
    await storage.put('a', 'text')
    await inner.put('b', (await inner.get('a'))?.body ?? '')
    await expect(storage.get('b')).rejects.toThrow('moved')
    await expect(encryptedStorage(inner, ring('other')).get('a')).rejects.toThrow('"k1"')
  })
  it('texts from before can be read where that is wanted', async () => {
    const inner = memoryStorage()
    await inner.put('a', 'plain')
    expect((await encryptedStorage(inner, { ...ring('k1'), plain: true }).get('a'))?.body).toBe('plain')
  })
  it('a session whose state was tampered with says so, begins anew, and writes nothing over it', async () => {
    const inner = memoryStorage()
    const storage = encryptedStorage(inner, ring('k1'))
    const exporter = fakeExporter()
    const options = { codec: neutralCodec, storage, limits: { contextWindow: 8_000, maxOutput: 500 }, exporters: [exporter] }
    await createCompactor(options).session('s').beforeModelCall(source)
    const forged = 'precis-aes-256-gcm-1:k1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAA'
    await inner.put('sessions/s/state.json', forged)
    const compactor = createCompactor(options)
    const { report } = await compactor.session('s').beforeModelCall(source)
    await compactor.flush()
    expect(report.outcome).toBe('summarized')
    expect(exporter.events.some((event) => event.attributes['reason'] === 'the stored state cannot be trusted')).toBe(true)
    expect((await inner.get('sessions/s/state.json'))?.body).toBe(forged)
  })
  it('a key of the wrong length, a bad id, or none: said at once', async () => {
    const storageWith = (key: EncryptionKey | undefined) => encryptedStorage(memoryStorage(), { key: () => key }).put('a', 'x')
    await expect(storageWith({ id: 'k', key: new Uint8Array(16) })).rejects.toThrow('32 bytes')
    await expect(storageWith({ id: 'k:1', key: bytes(1) })).rejects.toThrow('key.id')
    await expect(storageWith(undefined)).rejects.toThrow('to write with')
  })
})

it('what somebody writes under an older key while keys are rotated is rotated too', async () => {
  const inner = memoryStorage()
  const older = encryptedStorage(inner, ring('k1'))
  await older.put('sessions/a/state.json', 'before')
  let late = 2
  const busy: StorageDriver = {
    ...inner,
    async put(key, body, options) {
      if (late-- > 0) await older.put('sessions/a/state.json', `meanwhile ${late}`)
      return inner.put(key, body, options)
    },
  }
  expect(await rotateEncryption(busy, ring('k2', 'k1'))).toEqual({ written: 1, failed: [] })
  const onlyNew = encryptedStorage(inner, ring('k2'))
  expect((await onlyNew.get('sessions/a/state.json'))?.body).toBe('meanwhile 0')
})

it('a text that could not be rotated is said to be left', async () => {
  const inner = memoryStorage()
  const older = encryptedStorage(inner, ring('k1'))
  await older.put('a', 'text')
  const busy: StorageDriver = {
    ...inner,
    async put(key, body, options) {
      await older.put('a', crypto.randomUUID())
      return inner.put(key, body, options)
    },
  }
  const { written, failed } = await rotateEncryption(busy, ring('k2', 'k1'))
  expect([written, failed.map(({ key }) => key)]).toEqual([0, ['a']])
})
