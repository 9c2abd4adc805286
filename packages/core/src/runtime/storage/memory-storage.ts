import { ConflictError } from '../../errors.ts'
import { checkedFields, orMore } from '../../policy/merge.ts'
import type { StorageDriver } from './driver.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const unpacked = (body: string | Uint8Array): string => (typeof body === 'string' ? body : decoder.decode(body))

/** In UTF-8, where that says the same: one arrow in a text makes two bytes of each of its characters. */
function packed(body: string): string | Uint8Array {
  return (body as string & { isWellFormed?(): boolean }).isWellFormed?.() === true ? encoder.encode(body) : body
}

/**
 * Keeps everything in this process: for tests, and for sessions that end with it.
 *
 * `characters`: most characters of all bodies together: what was used longest ago goes first. Default: no limit.
 */
export function memoryStorage(options: { readonly characters?: number | undefined } = {}): StorageDriver {
  const { characters = Infinity } = checkedFields('memoryStorage', options, { 'characters?': orMore(0) }) as typeof options
  /** Least recently used first. */
  const entries = new Map<string, { readonly body: string | Uint8Array; readonly length: number; readonly version: string }>()
  let writes = 0
  let held = 0
  const remove = (key: string): void => {
    held -= entries.get(key)?.length ?? 0
    entries.delete(key)
  }
  return {
    name: 'memory',
    async get(key, options) {
      options?.signal?.throwIfAborted()
      const found = entries.get(key)
      if (!found) return undefined
      entries.delete(key)
      entries.set(key, found)
      return { body: unpacked(found.body), version: found.version }
    },
    async put(key, body, options) {
      options?.signal?.throwIfAborted()
      const expected = options?.ifVersion
      if (expected !== undefined && expected !== (entries.get(key)?.version ?? null)) throw new ConflictError(key)
      const version = String(++writes)
      remove(key)
      entries.set(key, { body: packed(body), length: body.length, version })
      held += body.length
      for (const oldest of entries.keys()) {
        if (held <= characters || oldest === key) break
        remove(oldest)
      }
      return { version }
    },
    async delete(key) {
      remove(key)
    },
    async *list(prefix) {
      for (const key of [...entries.keys()].sort()) if (key.startsWith(prefix)) yield key
    },
  }
}
