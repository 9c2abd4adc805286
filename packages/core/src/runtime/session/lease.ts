import { ConflictError } from '../../errors.ts'
import type { CompactionPolicy } from '../../policy/policy.ts'
import { folderOf } from '../../state/keys.ts'
import type { Effects } from '../effects.ts'
import type { Clock } from '../platform/clock.ts'
import type { StorageDriver } from '../storage/driver.ts'

/** The right to write the next summary of a session, for a while: whoever has it pays, the others wait or do something else. */
interface Lease {
  release(): Promise<void>
}

export interface Leases {
  /** @returns undefined while somebody else holds it. A storage that fails grants it: a summary twice is better than none. */
  take(sessionId: string, milliseconds: number): Promise<Lease | undefined>
  /** Resolves when nobody holds it any more (true), or after `milliseconds` (false). */
  free(sessionId: string, milliseconds: number, signal: AbortSignal | undefined): Promise<boolean>
}

interface Held {
  readonly owner: string
  /** Milliseconds since 1970, by the clock of whoever wrote it. */
  readonly until: number
}

/** Milliseconds that no lease lasts: one that would is damaged. */
const longest = 86_400_000
/** Milliseconds that a summary may take beyond its own deadline, until it counts as abandoned. */
const margin = 30_000
/** Milliseconds between two looks. */
const interval = 200

/** Milliseconds that one summary may take in all. */
export function leaseTime({ summary }: CompactionPolicy): number {
  return summary.deadline + margin
}

export function createLeases(storage: StorageDriver, clock: Clock, effects: Pick<Effects, 'begin'>): Leases {
  const keyOf = (sessionId: string): string => `${folderOf(sessionId)}lease.json`
  const look = async (key: string): Promise<{ readonly held: Held | undefined; readonly version: string | null }> => {
    const found = await storage.get(key)
    if (found === undefined) return { held: undefined, version: null }
    const held = heldIn(found.body)
    const left = (held?.until ?? 0) - clock.now()
    return { held: left > 0 && left < longest ? held : undefined, version: found.version }
  }
  return {
    async take(sessionId, milliseconds) {
      const key = keyOf(sessionId)
      const owner = clock.id()
      try {
        const { held, version } = await look(key)
        if (held !== undefined) return undefined
        await storage.put(key, JSON.stringify({ owner, until: clock.now() + milliseconds } satisfies Held), { ifVersion: version })
      } catch (error) {
        if (ConflictError.isInstance(error)) return undefined
      }
      // Also after a failure: what was not answered in time may have been written since.
      return {
        async release() {
          effects.begin() // a summary was written meanwhile: who was away may be back
          try {
            const { held, version } = await look(key)
            if (held?.owner === owner) await storage.put(key, JSON.stringify({ owner, until: 0 } satisfies Held), { ifVersion: version })
          } catch {
            // Lost meanwhile, or the storage is away: then it ends by itself.
          }
        },
      }
    },
    async free(sessionId, milliseconds, signal) {
      const key = keyOf(sessionId)
      for (let waited = 0; waited < milliseconds; waited += interval) {
        signal?.throwIfAborted()
        effects.begin() // the wait is for a summary; what the looks take of it is not the storage's delay
        const { held } = await look(key).catch(() => ({ held: undefined }))
        if (held === undefined) return true
        await new Promise((resolve) => setTimeout(resolve, interval))
      }
      return false
    },
  }
}

/** What does not read as a lease is none: the next one is written over it. */
function heldIn(body: string): Held | undefined {
  try {
    const { owner, until } = JSON.parse(body) as Partial<Held>
    return typeof owner === 'string' && typeof until === 'number' ? { owner, until } : undefined
  } catch {
    return undefined
  }
}
