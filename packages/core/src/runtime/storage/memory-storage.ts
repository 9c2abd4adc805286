import { ConflictError } from '../../errors.ts'
import type { StorageDriver } from './driver.ts'

/** Keeps everything in this process: for tests, and for sessions that end with it. */
export function memoryStorage(): StorageDriver {
  const entries = new Map<string, { readonly body: string; readonly version: string }>()
  let writes = 0
  return {
    name: 'memory',
    async get(key, options) {
      options?.signal?.throwIfAborted()
      return entries.get(key)
    },
    async put(key, body, options) {
      options?.signal?.throwIfAborted()
      const expected = options?.ifVersion
      if (expected !== undefined && expected !== (entries.get(key)?.version ?? null)) throw new ConflictError(key)
      const version = String(++writes)
      entries.set(key, { body, version })
      return { version }
    },
    async delete(key) {
      entries.delete(key)
    },
    async *list(prefix) {
      for (const key of [...entries.keys()].sort()) if (key.startsWith(prefix)) yield key
    },
  }
}
