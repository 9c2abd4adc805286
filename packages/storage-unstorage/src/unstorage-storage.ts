import { ConflictError, checkKey, InvalidConfigurationError, type StorageDriver, StorageError } from '@precis/core'
import { aFunction, checkGiven, orAborted, type ValueRules, type Words } from '@precis/core/adapters'
import { type CompareAndSwap, redisCompareAndSwap, sqlCompareAndSwap, sqlNames } from './backends.ts'
import type { UnstorageDriver } from './driver.ts'
import { keyOf, namesOf } from './names.ts'

/** What the driver cannot say about its backend. */
export interface UnstorageOptions {
  /** One step of the backend that writes on a condition. Default: known for the drivers `redis` and `db0` (PostgreSQL, SQLite, libSQL); else none. */
  readonly compareAndSwap?: CompareAndSwap
}

/** A storage that says how far its conditional writes reach. */
export interface UnstorageStorage extends StorageDriver {
  /** Where conditions hold: of several writers exactly one wins `everywhere`, or only among those of this `process`, because the backend has no step for it. */
  readonly conditions: 'everywhere' | 'process'
}

/**
 * A storage over any unstorage driver. Texts are stored behind a line with their version. Listing reads all names under a prefix at once and sorts them:
 * fine for a session, slow over a whole store of millions.
 *
 * With `conditions: 'process'` two processes that compact the same session at the same time may both win; the later one's notes stand, no message is lost.
 *
 * @throws InvalidConfigurationError for what is no driver, and for options that cannot be meant. From its methods: StorageError also where a driver returns its error instead of throwing it, and from `delete` where the item is still there afterwards.
 */
export function unstorageStorage(driver: UnstorageDriver, options: UnstorageOptions = {}): UnstorageStorage {
  checkDriver(driver)
  checkGiven('unstorageStorage', options, rules, words)
  const dialect = dialectOf(driver)
  const swap = options.compareAndSwap ?? knownSwap(driver, dialect)
  const names = isLite(dialect) ? sqlNames(driver) : (base: string) => driver.getKeys(base, {})
  const turns = new Map<string, Promise<unknown>>()
  const name = `unstorage ${driver.name ?? ''}`.trim()
  const nameOf = namesOf(driver)
  const failed = (action: string, key: string, cause: Error): StorageError => new StorageError(name, action, key, cause)
  /** What a driver returned, if it is no error: `fs` and `fs-lite` return those of the file system as values. */
  const answered = <T>(action: string, key: string, value: T): T => {
    if (value instanceof Error) throw failed(action, key, value)
    return value
  }
  const read = async (key: string): Promise<{ readonly raw: string; readonly body: string; readonly version: string } | undefined> => {
    const raw = answered('get', key, await driver.getItem(nameOf(key)))
    if (raw === null || raw === undefined) return undefined
    const text = textOf(raw)
    if (text === undefined) throw failed('get', key, new Error('the driver returned something else than the text that was stored'))
    const end = text.indexOf('\n')
    const [version, body] = [text.slice(0, end), text.slice(end + 1)]
    return { raw: text, version, body: version.endsWith(asJson) ? (JSON.parse(body) as string) : body }
  }
  const write = async (key: string, value: string): Promise<void> => {
    if (driver.setItem === undefined || isReadOnly(driver))
      throw failed('put', key, new Error('the driver cannot write; take one that can, without `readOnly`'))
    answered('put', key, await driver.setItem(nameOf(key), value, {}))
  }
  const conditionally = async (key: string, value: string, expected: string | null, signal: AbortSignal | undefined): Promise<void> => {
    const found = await read(key)
    signal?.throwIfAborted()
    if ((found?.version ?? null) !== expected) throw new ConflictError(key)
    if (swap === undefined) return write(key, value)
    if (!(await swap(nameOf(key), found?.raw ?? null, value))) throw new ConflictError(key)
  }
  /** Without help from the backend, writers of this process go one after another. One that the backend never answers has its turn, and no more. */
  const inTurn = async (key: string, work: () => Promise<void>): Promise<void> => {
    const begun = (turns.get(key) ?? Promise.resolve()).then(() => ({ written: work() }))
    const turn = begun.then(({ written }) => orAborted(written, AbortSignal.timeout(longestTurn))).catch(() => {})
    turns.set(key, turn)
    try {
      await (await begun).written
    } finally {
      if (turns.get(key) === turn) turns.delete(key)
    }
  }
  return {
    name,
    remote: !onThisMachine.test(driver.name ?? ''),
    conditions: swap === undefined ? 'process' : 'everywhere',
    async get(key, { signal } = {}) {
      checkKey(key)
      signal?.throwIfAborted()
      const found = await orAborted(read(key), signal)
      return found === undefined ? undefined : { body: found.body, version: found.version }
    },
    async put(key, body, { ifVersion, signal } = {}) {
      checkKey(key)
      signal?.throwIfAborted()
      const escaped = body.includes('\u0000')
      const version = `${crypto.randomUUID()}${escaped ? asJson : ''}`
      const value = `${version}\n${escaped ? JSON.stringify(body) : body}`
      const work = async (): Promise<void> => {
        signal?.throwIfAborted()
        await (ifVersion === undefined ? write(key, value) : conditionally(key, value, ifVersion, signal))
      }
      // What the backend was given already may be written all the same.
      await orAborted(swap === undefined ? inTurn(key, work) : work(), signal)
      return { version }
    },
    async delete(key) {
      checkKey(key)
      if (driver.removeItem === undefined || isReadOnly(driver))
        throw failed('delete', key, new Error('the driver cannot delete; take one that can, without `readOnly`'))
      answered('delete', key, await driver.removeItem(nameOf(key), {}))
      if (!showsLater.test(driver.name ?? '') && (await driver.hasItem(nameOf(key), {})))
        throw failed('delete', key, new Error('the driver reported no error, and the item is still there'))
    },
    async *list(prefix) {
      // Drivers list by whole segments, some by any beginning: what is asked for is the last whole segment, the rest is sorted out here.
      const base = nameOf(prefix.slice(0, prefix.lastIndexOf('/') + 1)).replace(/:$/, '')
      const keys = answered('list', prefix, await names(base))
        .map(keyOf)
        .filter((key) => key.startsWith(prefix))
      // Redis may give a name twice while it grows or shrinks.
      yield* [...new Set(keys)].sort()
    },
  }
}

/** Milliseconds that the next writer of a key waits for the one before: most calls have long given it up. What comes later may be written all the same. */
const longestTurn = 30_000

const rules: ValueRules<UnstorageOptions> = { compareAndSwap: aFunction('write async (key, expected, value) => …, true where it was written, or leave it out') }
/** What the driver is made with. */
const words: Words = { base: 'unstorageStorage(redisDriver({ url, base }))', ttl: 'unstorageStorage(redisDriver({ url, ttl }))' }

/** A storage of unstorage's own has no name, so that what its backend can do is not known. */
function checkDriver(driver: UnstorageDriver): void {
  const isStorage = typeof Object(driver).getMount === 'function'
  if (!isStorage && typeof Object(driver).getItem === 'function' && typeof Object(driver).getKeys === 'function') return
  const found = isStorage ? 'a storage, not a driver' : typeof driver === 'function' ? 'a function that was not called' : 'no driver of unstorage'
  const write = isStorage ? 'write unstorageStorage(driver), with the driver that createStorage was given' : 'write unstorageStorage(redisDriver({ url })), say'
  throw new InvalidConfigurationError('driver', typeof driver, write, `driver is ${found}`)
}

/** Ends the version of a text that is stored as JSON: PostgreSQL takes no NUL in a text, and a tool's output may have one. */
const asJson = ' json'

/** Of the database behind a `db0` driver. */
function dialectOf(driver: UnstorageDriver): string | undefined {
  return driver.name === 'db0' ? (driver.getInstance?.() as { readonly dialect?: string } | undefined)?.dialect : undefined
}

const isLite = (dialect: string | undefined): boolean => dialect === 'sqlite' || dialect === 'libsql'

function knownSwap(driver: UnstorageDriver, dialect: string | undefined): CompareAndSwap | undefined {
  if (driver.name === 'redis') return redisCompareAndSwap(driver)
  return dialect === 'postgresql' || isLite(dialect) ? sqlCompareAndSwap(driver) : undefined
}

/** Drivers of unstorage that keep what they are given on this machine. */
const onThisMachine = /^(?:memory|fs|fs-lite|lru-cache|localstorage|session-storage|indexedb)$/

/** Drivers whose backends may go on showing what was deleted for a while: whether it is gone cannot be asked at once. */
const showsLater = /^(?:cloudflare-kv|netlify-blobs|vercel-)/

/** `fs` and `fs-lite` with `readOnly` write nothing, and say nothing. */
function isReadOnly({ options }: UnstorageDriver): boolean {
  return (Object(options) as { readonly readOnly?: unknown }).readOnly === true
}

/** What a driver returned as text: some return the bytes. */
function textOf(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw
  if (raw instanceof Uint8Array) return new TextDecoder().decode(raw)
  return typeof raw === 'object' ? undefined : String(raw)
}
