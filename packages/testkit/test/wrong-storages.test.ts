import { ConflictError, memoryStorage, type StorageDriver } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { storageDriverCases } from '../src/index.ts'

/** A storage that is sound but for one thing. */
type Spoilt = (inner: StorageDriver) => Partial<StorageDriver>

const allKeys = async (storage: StorageDriver): Promise<readonly string[]> => {
  const keys: string[] = []
  for await (const key of storage.list('')) keys.push(key)
  return keys
}
const listing =
  (matches: (prefix: string) => (key: string) => boolean): Spoilt =>
  (inner) => ({
    async *list(prefix) {
      yield* (await allKeys(inner)).filter(matches(prefix))
    },
  })
/** As `LIKE` reads it. */
const like = (prefix: string, flags = ''): RegExp => {
  const letters = [...prefix].map((letter) => (letter === '_' ? '.' : letter === '%' ? '.*' : letter.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${letters.join('')}`, `s${flags}`)
}
const cutAt255 = (key: string): string => key.slice(0, 255)
const texts =
  (change: (text: string) => string): Spoilt =>
  (inner) => ({ put: async (key, body, options) => inner.put(key, change(body), options) })

const spoilt: Readonly<Record<string, Spoilt>> = {
  'lists with LIKE': listing((prefix) => (key) => like(prefix).test(key)),
  'lists without regard to capitals': listing((prefix) => (key) => key.toLowerCase().startsWith(prefix.toLowerCase())),
  'cuts keys at 255 characters': (inner) => ({
    get: (key, options) => inner.get(cutAt255(key), options),
    put: (key, body, options) => inner.put(cutAt255(key), body, options),
    delete: (key) => inner.delete(cutAt255(key)),
  }),
  'refuses NUL': texts((text) => {
    if (text.includes('\u0000')) throw new Error('invalid byte sequence for encoding "UTF8": 0x00')
    return text
  }),
  'drops NUL': texts((text) => text.replaceAll('\u0000', '')),
  'normalizes texts': texts((text) => text.normalize('NFC')),
  'trims texts': texts((text) => text.trimEnd()),
  'has one version for all': (inner) => ({
    get: async (key, options) => {
      const found = await inner.get(key, options)
      return found === undefined ? undefined : { ...found, version: '1' }
    },
    async put(key, body, options) {
      if (options?.ifVersion === null && (await inner.get(key)) !== undefined) throw new ConflictError(key)
      await inner.put(key, body, options?.signal === undefined ? {} : { signal: options.signal })
      return { version: '1' }
    },
  }),
}

/** The case that each must fail. */
const caught: Readonly<Record<string, RegExp>> = {
  'lists with LIKE': /letter by letter/,
  'lists without regard to capitals': /letter by letter/,
  'cuts keys at 255 characters': /keys as long as they get/,
  'refuses NUL': /exact text/,
  'drops NUL': /exact text/,
  'normalizes texts': /exact text/,
  'trims texts': /exact text/,
  'has one version for all': /another version/,
}

describe('the cases of storages', () => {
  it.each(Object.entries(spoilt))('one that %s does not pass', async (name, spoil) => {
    const create = async (): Promise<StorageDriver> => {
      const inner = memoryStorage()
      return { ...inner, ...spoil(inner) }
    }
    const found = storageDriverCases.find((one) => caught[name]?.test(one.name))
    await found?.run(async () => memoryStorage())
    await expect(found?.run(create)).rejects.toThrow()
  })
})
