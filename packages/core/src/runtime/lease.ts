import { ConflictError } from '../errors.ts'
import { keySegment } from '../keys.ts'
import type { Clock, StorageDriver } from '../ports.ts'

/** The right to write the next summary of a session, for a while: whoever has it pays, the others wait or do something else. */
interface Lease {
  release(): Promise<void>
}

export interface Leases {
  /** @returns undefined while somebody else holds it. A storage that fails grants it: a summary twice is better than none. */
  take(sessionId: string, milliseconds: number): Promise<Lease | undefined>
  /** Resolves when nobody holds it any more, or after `milliseconds`. */
  free(sessionId: string, milliseconds: number, signal: AbortSignal | undefined): Promise<void>
}

interface Held {
  readonly owner: string
  /** Milliseconds since 1970, by the clock of whoever wrote it. */
  readonly until: number
}

/** Milliseconds between two looks. */
const interval = 200

export function createLeases(storage: StorageDriver, clock: Clock): Leases {
  const keyOf = (sessionId: string): string => `sessions/${keySegment(sessionId)}/lease.json`
  const look = async (key: string): Promise<{ readonly held: Held | undefined; readonly version: string | null }> => {
    const found = await storage.get(key)
    if (found === undefined) return { held: undefined, version: null }
    const held = JSON.parse(found.body) as Held
    return { held: held.until > clock.now() ? held : undefined, version: found.version }
  }
  return {
    async take(sessionId, milliseconds) {
      const key = keyOf(sessionId)
      try {
        const { held, version } = await look(key)
        if (held !== undefined) return undefined
        const owner = clock.id()
        const { version: mine } = await storage.put(key, JSON.stringify({ owner, until: clock.now() + milliseconds } satisfies Held), { ifVersion: version })
        return {
          async release() {
            // Lost meanwhile, or the storage is away: then it ends by itself.
            await storage.put(key, JSON.stringify({ owner, until: 0 } satisfies Held), { ifVersion: mine }).catch(() => {})
          },
        }
      } catch (error) {
        return ConflictError.isInstance(error) ? undefined : { release: async () => {} }
      }
    },
    async free(sessionId, milliseconds, signal) {
      const key = keyOf(sessionId)
      for (let waited = 0; waited < milliseconds; waited += interval) {
        signal?.throwIfAborted()
        const { held } = await look(key).catch(() => ({ held: undefined }))
        if (held === undefined) return
        await new Promise((resolve) => setTimeout(resolve, interval))
      }
    },
  }
}
