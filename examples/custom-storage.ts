import { DatabaseSync } from 'node:sqlite'
import {
  ConflictError,
  createCompactor,
  neutralCodec,
  type StorageDriver,
} from '@precis/core'
import { generateHistory, storageDriverCases } from '@precis/testkit'

/** A storage in one table: four methods, and one promise: of several conditional writers exactly one wins. */
function sqliteStorage(database: DatabaseSync): StorageDriver {
  database.exec(
    'CREATE TABLE IF NOT EXISTS precis (key TEXT PRIMARY KEY, body TEXT NOT NULL, version TEXT NOT NULL)',
  )
  const found = database.prepare(
    'SELECT body, version FROM precis WHERE key = ?',
  )
  const upsert = database.prepare(
    'INSERT INTO precis VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body, version = excluded.version',
  )
  const insert = database.prepare(
    'INSERT INTO precis VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING',
  )
  const update = database.prepare(
    'UPDATE precis SET body = ?, version = ? WHERE key = ? AND version = ?',
  )
  const remove = database.prepare('DELETE FROM precis WHERE key = ?')
  const list = database.prepare(
    'SELECT key FROM precis WHERE substr(key, 1, ?) = ? ORDER BY key',
  )
  return {
    name: 'sqlite',
    async get(key, { signal } = {}) {
      signal?.throwIfAborted()
      return found.get(key) as { body: string; version: string } | undefined
    },
    async put(key, body, { ifVersion, signal } = {}) {
      signal?.throwIfAborted()
      const version = crypto.randomUUID()
      const { changes } =
        ifVersion === undefined
          ? upsert.run(key, body, version)
          : ifVersion === null
            ? insert.run(key, body, version)
            : update.run(body, version, key, ifVersion)
      if (changes === 0) throw new ConflictError(key)
      return { version }
    },
    async delete(key) {
      remove.run(key)
    },
    async *list(prefix) {
      for (const { key } of list.all(prefix.length, prefix) as {
        key: string
      }[])
        yield key
    },
  }
}

// The same cases that our own storages pass; any test runner will do.
for (const { name, run } of storageDriverCases) {
  await run(async () => sqliteStorage(new DatabaseSync(':memory:')))
  console.log(`✓ ${name}`)
}
const storage = sqliteStorage(new DatabaseSync(':memory:'))
const session = createCompactor({
  codec: neutralCodec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
  storage,
}).session('one')
console.log(
  (await session.beforeModelCall(generateHistory(1, { turns: 40 }))).report
    .outcome,
)
