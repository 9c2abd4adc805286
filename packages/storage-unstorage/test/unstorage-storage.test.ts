import { ConflictError } from '@precis/core'
import { storageDriverCases } from '@precis/testkit'
import { createDatabase } from 'db0'
import sqlite from 'db0/connectors/node-sqlite'
import db0Driver from 'unstorage/drivers/db0'
import memoryDriver from 'unstorage/drivers/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { type UnstorageDriver, unstorageStorage } from '../src/index.ts'

const open: { dispose(): unknown }[] = []
afterEach(() => {
  for (const database of open.splice(0)) database.dispose()
})
const sqliteDriver = () => {
  const database = createDatabase(sqlite({ name: ':memory:' }))
  open.push(database)
  return db0Driver({ database }) as unknown as UnstorageDriver
}

// Redis and PostgreSQL for real: `npm run test:integration`.
describe.each([
  ['memory', () => memoryDriver() as unknown as UnstorageDriver, 'process'],
  ['SQLite', sqliteDriver, 'everywhere'],
] as const)('over %s', (_, driver, conditions) => {
  it.each(storageDriverCases)('$name', ({ run }) => run(async () => unstorageStorage(driver())))
  it('says where conditions hold', () => {
    expect(unstorageStorage(driver()).conditions).toBe(conditions)
  })
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
  const driver = { name: 'db0', options: { tableName: 'x; drop' }, getInstance: () => ({ dialect: 'sqlite' }) } as unknown as UnstorageDriver
  expect(() => unstorageStorage(driver)).toThrow('table name')
})
