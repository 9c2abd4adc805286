import { S3Client } from '@aws-sdk/client-s3'
import { ConflictError, createArchive, createCompactor, createToolOutputStore, encryptedStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { s3Storage } from '@precis/storage-s3'
import { type UnstorageDriver, unstorageStorage } from '@precis/storage-unstorage'
import { generateHistory, storageDriverCases } from '@precis/testkit'
import { createDatabase } from 'db0'
import postgresql from 'db0/connectors/postgresql'
import db0Driver from 'unstorage/drivers/db0'
import redisDriver from 'unstorage/drivers/redis'
import { afterAll, describe, expect, inject, it } from 'vitest'

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})
let roots = 0
const fresh = (): string => `run${++roots}`

function s3Client(): S3Client {
  const { endpoint, access, secret } = inject('s3')
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId: access, secretAccessKey: secret }, maxAttempts: 5 })
}
/** Each backend; called twice with the same root it gives two instances, as two processes have them. */
const backends: Readonly<Record<string, (root: string) => StorageDriver>> = {
  'S3 (versitygw)': (root) => s3Storage({ bucket: 'precis', prefix: root, client: s3Client() }),
  Redis: (root) => {
    const driver = redisDriver({ url: inject('redis').url, base: root })
    closing.push(() => driver.dispose?.())
    return unstorageStorage(driver as unknown as UnstorageDriver)
  },
  PostgreSQL: (root) => {
    const database = createDatabase(postgresql({ url: inject('postgres').url }))
    closing.push(() => database.dispose())
    return unstorageStorage(db0Driver({ database, tableName: root }) as unknown as UnstorageDriver)
  },
  'S3, encrypted': (root) =>
    encryptedStorage(s3Storage({ bucket: 'precis', prefix: root, client: s3Client() }), { key: (id = 'k1') => ({ id, key: new Uint8Array(32).fill(7) }) }),
}

/** Keys are longer than the 255 characters of the table that db0 makes itself: as the README of the package says. */
async function makeTable(name: string): Promise<void> {
  const database = createDatabase(postgresql({ url: inject('postgres').url }))
  await database.exec(
    `CREATE TABLE ${name} (key TEXT PRIMARY KEY, value TEXT, blob BYTEA, created_at TIMESTAMP DEFAULT now(), updated_at TIMESTAMP DEFAULT now())`,
  )
  await database.dispose()
}

describe.each(Object.keys(backends))('%s', (name) => {
  const create = backends[name] as (root: string) => StorageDriver
  it.each(storageDriverCases)('$name', ({ run }) =>
    run(async () => {
      const root = fresh()
      if (name === 'PostgreSQL') await makeTable(root)
      return create(root)
    }),
  )

  it('two instances on one root agree: of a hundred racers in two places one wins, twenty rounds', async () => {
    const root = fresh()
    const [first, second] = [create(root), create(root)]
    await first.get('warm/up.json')
    let version: string | null = null
    const winners = { absent: 0, version: 0 }
    for (let round = 0; round < 20; round++) {
      const outcomes: PromiseSettledResult<{ version: string }>[] = await Promise.allSettled(
        Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? first : second).put('race/state.json', `${round}:${at}`, { ifVersion: version })),
      )
      const won = outcomes.flatMap((outcome, at) => (outcome.status === 'fulfilled' ? [{ at, version: outcome.value.version }] : []))
      winners[version === null ? 'absent' : 'version'] += won.length
      expect(won).toHaveLength(1)
      expect((await second.get('race/state.json'))?.body).toBe(`${round}:${won[0]?.at}`)
      version = won[0]?.version ?? null
    }
    console.log(
      `${name} enforced: only if absent, ${winners.absent} winner in 1 round; only this version, ${winners.version} winners in 19 rounds; 100 writers each`,
    )
  })

  it('a session goes on in another process: summary, transcript and outputs are there', async () => {
    const root = fresh()
    const source = generateHistory(5, { turns: 30 })
    const compactorOn = (storage: StorageDriver) =>
      createCompactor({
        codec: neutralCodec,
        limits: { contextWindow: 8_000, maxOutput: 1_000 },
        storage,
        archive: createArchive(storage),
        outputs: createToolOutputStore(storage, { keep: 'all' }),
      })
    const { messages, report } = await compactorOn(create(root)).session('s').beforeModelCall(source)
    expect(report.outcome).toBe('summarized')
    const other = create(root)
    const next = await compactorOn(other).session('s').beforeModelCall(source)
    expect([next.report.outcome, next.messages]).toEqual(['projected', messages])
    expect((await createArchive(other).read('s')).messages).toHaveLength(source.length)
  })
})

describe('S3, in parts', () => {
  it('a text of 30 MB comes back as it was, and conditions hold for the whole of it', async () => {
    const storage = s3Storage({ bucket: 'precis', prefix: fresh(), client: s3Client(), multipartFrom: 6_000_000 })
    const text = 'žluťoučký kůň 🚀 '.repeat(1_000_000)
    const { version } = await storage.put('large.txt', text, { ifVersion: null })
    const found = await storage.get('large.txt')
    expect([found?.version, found?.body === text]).toEqual([version, true])
    const isConflict = (error: unknown): boolean => ConflictError.isInstance(error)
    await expect(storage.put('large.txt', text, { ifVersion: null })).rejects.toSatisfy(isConflict)
    await expect(storage.put('large.txt', text, { ifVersion: '"no-such-version"' })).rejects.toSatisfy(isConflict)
    await storage.put('large.txt', `${text}!`, { ifVersion: version })
    expect((await storage.get('large.txt'))?.body.endsWith('!')).toBe(true)
    await expect(storage.put('other.txt', text, { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped')
    expect(await storage.get('other.txt')).toBeUndefined()
  })
})
