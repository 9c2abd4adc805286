import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConflictError, createArchive, createCompactor, InvalidConfigurationError, neutralCodec, StorageError } from '@precis/core'
import { generateHistory, storageDriverCases } from '@precis/testkit'
import { createDatabase } from 'db0'
import sqlite from 'db0/connectors/node-sqlite'
import { createStorage } from 'unstorage'
import db0Driver from 'unstorage/drivers/db0'
import fsDriver from 'unstorage/drivers/fs'
import fsLiteDriver from 'unstorage/drivers/fs-lite'
import memoryDriver from 'unstorage/drivers/memory'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type UnstorageDriver, unstorageStorage } from '../src/index.ts'

const open: { dispose(): unknown }[] = []
const roots: string[] = []
afterEach(async () => {
  for (const database of open.splice(0)) database.dispose()
  await Promise.all(roots.splice(0).map((root) => rm(root, { recursive: true, force: true })))
})
const freshRoot = async (): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'precis-unstorage-'))
  roots.push(root)
  return root
}
const sqliteDriver = () => {
  const database = createDatabase(sqlite({ name: ':memory:' }))
  open.push(database)
  return db0Driver({ database }) as unknown as UnstorageDriver
}

// Redis and PostgreSQL for real: `npm run test:integration`.
describe.each([
  ['memory', async () => memoryDriver() as unknown as UnstorageDriver, 'process'],
  ['SQLite', async () => sqliteDriver(), 'everywhere'],
  ['files', async () => fsLiteDriver({ base: await freshRoot() }) as unknown as UnstorageDriver, 'process'],
] as const)('over %s', (_, driver, conditions) => {
  it.each(storageDriverCases)('$name', ({ run }) => run(async () => unstorageStorage(await driver())), 60_000)
  it('says where conditions hold', async () => {
    expect(unstorageStorage(await driver()).conditions).toBe(conditions)
  })
})

it('a text with a NUL is stored where the backend takes none, as PostgreSQL does not', async () => {
  const inner = memoryDriver() as unknown as UnstorageDriver
  const driver: UnstorageDriver = {
    ...inner,
    setItem(key, value, options) {
      if (value.includes('\u0000')) throw new Error('invalid byte sequence for encoding "UTF8": 0x00')
      return inner.setItem?.(key, value, options)
    },
  }
  const storage = unstorageStorage(driver)
  const { version } = await storage.put('a', 'nul\u0000 "and\nmore"')
  expect(await storage.get('a')).toEqual({ body: 'nul\u0000 "and\nmore"', version })
  await storage.put('a', 'plain', { ifVersion: version })
  expect((await storage.get('a'))?.body).toBe('plain')
})
it('long names are listed where a pattern may have 50 characters, as in Cloudflare D1', async () => {
  const database = createDatabase(sqlite({ name: ':memory:' }))
  open.push(database)
  const asInD1: typeof database.sql = (strings, ...values) => {
    if (strings.join('').includes(' LIKE ') && values.some((value) => String(value).length > 50)) throw new Error('LIKE or GLOB pattern too complex')
    return database.sql(strings, ...values)
  }
  const limited = { ...database, dialect: database.dialect, sql: asInD1 } as typeof database
  const storage = unstorageStorage(db0Driver({ database: limited }) as unknown as UnstorageDriver)
  const folder = `sessions/conversation-${'0123456789abcdef'.repeat(4)}/`
  for (const name of ['state.json', 'lease.json']) await storage.put(folder + name, '{}')
  await storage.put('sessions/conversation-0/state.json', '{}')
  const names: string[] = []
  for await (const name of storage.list(folder)) names.push(name)
  expect(names).toEqual([`${folder}lease.json`, `${folder}state.json`])
})
it('two storages over one database agree: of fifty racers in two places one wins', async () => {
  const driver = sqliteDriver()
  const [first, second] = [unstorageStorage(driver), unstorageStorage(driver)]
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? first : second).put('race.json', `racer ${at}`, { ifVersion: null })),
  )
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(ConflictError.isInstance(outcome.reason)).toBe(true)
})
it('over Redis, a name that is listed twice is one key, and the driver’s `ttl` holds for writes on a condition too', async () => {
  const commands: unknown[][] = []
  const inner = memoryDriver() as unknown as UnstorageDriver
  const driver: UnstorageDriver = {
    ...inner,
    name: 'redis',
    options: { base: 'p', ttl: 60 },
    getInstance: () => ({ eval: async (...command: unknown[]) => commands.push(command.slice(1)) }),
    getKeys: async () => ['s:a', 's:b', 's:a'],
  }
  const storage = unstorageStorage(driver)
  const listed: string[] = []
  for await (const key of storage.list('s/')) listed.push(key)
  expect(listed).toEqual(['s/a', 's/b'])
  await storage.put('s/a', 'text', { ifVersion: null })
  expect(commands).toEqual([[1, 'p:s:a', '0', '', expect.stringMatching(/\ntext$/), '60']])
})
it('an abort ends a call that the backend does not answer', async () => {
  const hangs = () => new Promise<never>(() => {})
  const storage = unstorageStorage({ ...(memoryDriver() as unknown as UnstorageDriver), getItem: hangs, setItem: hangs })
  for (const call of [
    (signal: AbortSignal) => storage.get('a', { signal }),
    (signal: AbortSignal) => storage.put('a', 'b', { signal }),
    (signal: AbortSignal) => storage.put('b', 'b', { ifVersion: null, signal }),
  ])
    await expect(Promise.race([call(AbortSignal.timeout(20)), new Promise((resolve) => setTimeout(resolve, 3_000, 'still waiting'))])).rejects.toThrow()
})
it('keys with the characters that unstorage reads otherwise come back as they were', async () => {
  const storage = unstorageStorage(memoryDriver() as unknown as UnstorageDriver)
  const keys = ['a/b%3Ac.json', 'a/b~c.json', 'a/%25.json']
  for (const key of keys) await storage.put(key, key)
  for (const key of keys) expect((await storage.get(key))?.body).toBe(key)
  const listed: string[] = []
  for await (const key of storage.list('a/')) listed.push(key)
  expect(listed).toEqual([...keys].sort())
})
it('a driver that cannot write says so; a hostile table name is refused', async () => {
  const { setItem: _none, ...readOnly } = memoryDriver() as unknown as UnstorageDriver
  await expect(unstorageStorage(readOnly).put('a', 'x')).rejects.toThrow('cannot write')
  const driver = { ...memoryDriver(), name: 'db0', options: { tableName: 'x; drop' }, getInstance: () => ({ dialect: 'sqlite' }) } as unknown as UnstorageDriver
  expect(() => unstorageStorage(driver)).toThrow('table name')
})

describe.each([
  ['fs', fsDriver],
  ['fs-lite', fsLiteDriver],
] as const)('%s, which returns errors instead of throwing them', (_, create) => {
  const made = async (): Promise<{ readonly root: string; readonly driver: UnstorageDriver }> => {
    const root = await freshRoot()
    return { root, driver: create({ base: root }) as unknown as UnstorageDriver }
  }
  it('an error is thrown, not read as a text', async () => {
    const { root, driver } = await made()
    await mkdir(join(root, 'redaction'))
    await symlink('salt.json', join(root, 'redaction/salt.json'))
    const error = await unstorageStorage(driver)
      .get('redaction/salt.json')
      .catch((thrown: unknown) => thrown)
    expect(StorageError.isInstance(error)).toBe(true)
    expect(String(error)).toMatch(/could not get "redaction\/salt\.json": ELOOP/)
  })
  it('what could not be deleted is not said to be', async () => {
    const { driver } = await made()
    const denied = Object.assign(new Error('EACCES: permission denied, unlink'), { code: 'EACCES' })
    const storage = (removeItem: UnstorageDriver['removeItem']) => unstorageStorage({ ...driver, removeItem: removeItem as never })
    const compactor = (removeItem = driver.removeItem) => {
      const place = storage(removeItem)
      return createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, storage: place, archive: createArchive(place) })
    }
    expect(
      (
        await compactor()
          .session('a')
          .beforeModelCall(generateHistory(1, { turns: 30 }))
      ).report.outcome,
    ).toBe('summarized')
    await expect(compactor(async () => denied as never).forget('a')).rejects.toThrow('EACCES')
    await expect(compactor(async () => {}).forget('a')).rejects.toThrow('still there')
    expect((await compactor().forget('a')).keys.length).toBeGreaterThan(1)
  })
  it('an id whose letters are several bytes each is stored, found, listed and deleted', async () => {
    const { driver } = await made()
    for (const id of ['Обращение клиента Иванова № 2051', '客户支持对话记录二零二六年十一月', '50 % off', '%-']) {
      const storage = unstorageStorage(driver)
      const archive = createArchive(storage)
      const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, storage, archive })
      const { report } = await compactor.session(id).beforeModelCall(generateHistory(1, { turns: 30 }))
      expect([report.outcome, report.warnings]).toEqual(['summarized', []])
      const ids: string[] = []
      for await (const one of archive.sessions()) ids.push(one)
      expect(ids).toEqual([id])
      expect((await archive.read(id)).messages.length).toBeGreaterThan(0)
      expect((await compactor.forget(id)).keys.length).toBeGreaterThan(1)
      await storage.delete(`sessions/${encodeURIComponent(id)}/state.json`)
    }
  })
  it('a name that is too long is an error, not a state that cannot be read', async () => {
    const { driver } = await made()
    await expect(unstorageStorage(driver).get('%'.repeat(254))).rejects.toThrow('ENAMETOOLONG')
  })
  it('with `readOnly` neither writing nor deleting is said to be done', async () => {
    const root = await freshRoot()
    await unstorageStorage(create({ base: root }) as unknown as UnstorageDriver).put('a', 'x')
    const storage = unstorageStorage(create({ base: root, readOnly: true }) as unknown as UnstorageDriver)
    expect((await storage.get('a'))?.body).toBe('x')
    await expect(storage.put('a', 'y')).rejects.toThrow('cannot write')
    await expect(storage.delete('a')).rejects.toThrow('cannot delete')
  })
})
it('a driver without a way to delete says so', async () => {
  const { removeItem: _none, ...driver } = memoryDriver() as unknown as UnstorageDriver
  await expect(unstorageStorage(driver).delete('a')).rejects.toThrow('cannot delete')
})

it('a write that is never answered has its turn, and the key is written again', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const turns = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50))
  try {
    const inner = memoryDriver() as unknown as UnstorageDriver
    let asked = 0
    const storage = unstorageStorage({ ...inner, setItem: (...given) => (asked++ === 0 ? new Promise<never>(() => {}) : inner.setItem?.(...given)) })
    await expect(storage.put('a', 'lost', { signal: timeout(5) })).rejects.toThrow()
    await storage.put('b', 'another key does not wait')
    const [second, third] = await Promise.allSettled([storage.put('a', 'second', { ifVersion: null }), storage.put('a', 'third', { ifVersion: null })])
    expect([second.status, third.status, (await storage.get('a'))?.body]).toEqual(['fulfilled', 'rejected', 'second'])
    expect(turns.mock.calls.every(([milliseconds]) => milliseconds === 30_000)).toBe(true)
  } finally {
    turns.mockRestore()
  }
})

it('bytes that a driver returns are the text; what is neither is an error, not a state that cannot be read', async () => {
  const kept = new Map<string, string>()
  const driver = (read: (text: string) => unknown): UnstorageDriver =>
    ({
      name: 'kept',
      hasItem: (key: string) => kept.has(key),
      getItem: (key: string) => (kept.has(key) ? read(kept.get(key) as string) : null),
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
      getKeys: () => [...kept.keys()],
    }) as unknown as UnstorageDriver
  await unstorageStorage(driver((text) => text)).put('a', 'Größe')
  expect((await unstorageStorage(driver((text) => new TextEncoder().encode(text))).get('a'))?.body).toBe('Größe')
  await expect(unstorageStorage(driver((text) => ({ text }))).get('a')).rejects.toThrow('the driver returned something else than the text that was stored')
})
it.each([
  ['redis', {}, 'driver is no driver of unstorage; write unstorageStorage(redisDriver({ url })), say'],
  [memoryDriver, {}, 'driver is a function that was not called; write unstorageStorage(redisDriver({ url }))'],
  [
    createStorage({ driver: memoryDriver() }),
    {},
    'driver is a storage, not a driver; write unstorageStorage(driver), with the driver that createStorage was given',
  ],
  [memoryDriver(), { compareAndSwap: true }, 'compareAndSwap is true; write async (key, expected, value)'],
  [memoryDriver(), { compareAndSwp: () => true }, 'unknown option "compareAndSwp" of unstorageStorage; write compareAndSwap'],
  [memoryDriver(), { base: 'precis' }, 'unknown option "base" of unstorageStorage; write unstorageStorage(redisDriver({ url, base }))'],
  [memoryDriver(), 'precis', 'unstorageStorage is a text; expected an object with compareAndSwap'],
])('what is no driver, or no option, is refused: %#', (driver, options, words) => {
  expect(() => unstorageStorage(driver as never, options as never)).toThrow(InvalidConfigurationError)
  expect(() => unstorageStorage(driver as never, options as never)).toThrow(words)
})
