import type { UnstorageDriver } from './driver.ts'

/**
 * Writes `value` under a key if `expected` (null: nothing) is there, in one step of the backend.
 * @returns false when something else was there, and nothing was written.
 */
export type CompareAndSwap = (key: string, expected: string | null, value: string) => Promise<boolean>

interface RedisClient {
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>
}

const script = `
local found = redis.call('GET', KEYS[1])
if (ARGV[1] == '0' and found) or (ARGV[1] == '1' and found ~= ARGV[2]) then return 0 end
if ARGV[4] == '0' then redis.call('SET', KEYS[1], ARGV[3]) else redis.call('SET', KEYS[1], ARGV[3], 'EX', ARGV[4]) end
return 1`

/** For unstorage's `redis` driver: a script, which Redis runs as one step. */
export function redisCompareAndSwap(driver: UnstorageDriver): CompareAndSwap {
  const client = (): RedisClient => driver.getInstance?.() as RedisClient
  const { base = '', ttl = 0 } = (driver.options ?? {}) as { readonly base?: string; readonly ttl?: number }
  // The driver's own way to a name.
  const prefix = base.replace(/[:/\\]/g, ':').replace(/^:|:$/g, '')
  const nameOf = (key: string): string => (prefix === '' ? key : `${prefix}:${key}`)
  return async (key, expected, value) => (await client().eval(script, 1, nameOf(key), expected === null ? '0' : '1', expected ?? '', value, String(ttl))) === 1
}

interface Database {
  readonly dialect: string
  sql(strings: TemplateStringsArray, ...values: unknown[]): Promise<{ readonly rows?: readonly unknown[] }>
}

/** The database of a `db0` driver, and the name of its table. */
function opened(driver: UnstorageDriver): { readonly database: Database; readonly table: string } {
  const { tableName: table = 'unstorage' } = (driver.options ?? {}) as { readonly tableName?: string }
  if (!/^\w+$/.test(table)) throw new TypeError(`The table name ${JSON.stringify(table)} cannot be used: letters, digits and _ only.`)
  return { database: driver.getInstance?.() as Database, table }
}

/** For unstorage's `db0` driver over PostgreSQL, SQLite and libSQL: one statement with a condition. */
export function sqlCompareAndSwap(driver: UnstorageDriver): CompareAndSwap {
  const { database, table } = opened(driver)
  return async (key, expected, value) => {
    await driver.hasItem(key, {}) // the driver makes its table on first use
    const { rows } =
      expected === null
        ? await database.sql`INSERT INTO {${table}} (key, value, created_at, updated_at) VALUES (${key}, ${value}, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP) ON CONFLICT(key) DO NOTHING RETURNING key AS written`
        : await database.sql`UPDATE {${table}} SET value = ${value}, updated_at = CURRENT_TIMESTAMP WHERE key = ${key} AND value = ${expected} RETURNING key AS written`
    return (rows?.length ?? 0) > 0
  }
}

/** Names that begin so, for the same driver over SQLite and libSQL: by the index. The driver's own LIKE reads the whole table, and Cloudflare D1 refuses a pattern of more than 50 characters. */
export function sqlNames(driver: UnstorageDriver): (base: string) => Promise<readonly string[]> {
  const { database, table } = opened(driver)
  return async (base) => {
    await driver.hasItem(base, {})
    const { rows = [] } = await database.sql`SELECT key FROM {${table}} WHERE key >= ${base} AND key < ${`${base}\u{10ffff}`}`
    return rows.map((row) => (row as { readonly key: string }).key)
  }
}
