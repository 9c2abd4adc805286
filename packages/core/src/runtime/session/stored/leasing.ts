import { ConflictError } from '../../../errors.ts'
import { fingerprint } from '../../../history/fingerprint.ts'
import type { Message } from '../../../history/message.ts'
import type { CompactionPolicy } from '../../../policy/policy.ts'
import { folderOf, isUnnamed } from '../../../state/keys.ts'
import type { Effects } from '../../effects.ts'
import type { Clock } from '../../platform/clock.ts'
import type { StorageDriver } from '../../storage/driver.ts'

/** Milliseconds that a request waits for another process to finish its summary of the same conversation. */
export const patience = 2_000
/** Milliseconds that one summary may take in all: its own deadline, and some beyond it until it counts as abandoned. */
export function leaseTime({ summary }: CompactionPolicy): number {
  return summary.deadline + 30_000
}

/** The right to write the next summary of a session, for a while: whoever has it pays, the others wait or do something else. */
export interface Lease {
  /** @param inVain Whoever waited for the summary gave up on it, since it takes too long. */
  release(inVain?: boolean): Promise<void>
}

export interface Leases {
  /**
   * @returns undefined while somebody else holds it; `in vain` for a while after two in a row were not given back, or somebody gave up: whoever tries is ended
   * before the summary is there. A storage that fails grants it: a summary twice is better than none.
   * @param hasTime It is taken also where others tried in vain: by a worker, which lives as long as it has to.
   */
  take(sessionId: string, messages: readonly Message[], milliseconds: number, hasTime?: boolean): Promise<Lease | 'in vain' | undefined>
  /** Resolves when nobody holds it any more (true), or after `milliseconds` (false): at once where somebody has waited for this one that long. */
  free(sessionId: string, messages: readonly Message[], milliseconds: number, signal: AbortSignal | undefined): Promise<boolean>
}

/** What a lease says of its holder. */
interface Holder {
  readonly owner: string
  /** Milliseconds since 1970, by the clock of whoever wrote it. */
  readonly until: number
  /** Milliseconds that it lasts; absent: an older version wrote it. */
  readonly length?: number
  /** Somebody waited for it in vain: its holder is slow, or dead. */
  readonly waited?: boolean
  /** Leases in a row before this one that were not given back; absent: none. */
  readonly lost?: number
}

/** Who holds it, where somebody does, what is written whether it holds or not, and which version of the object says so. */
interface Look {
  readonly held: Holder | undefined
  readonly last?: Holder | undefined
  readonly version: string | null
}

interface LeasingParts {
  readonly storage: StorageDriver
  readonly clock: Clock
  /** `begin` begins a wait: what the looks take of it is not the storage's delay. */
  readonly effects: Pick<Effects, 'begin' | 'isLate'>
}

/** Milliseconds that no lease lasts: one that would is damaged. */
const longest = 86_400_000
/** Milliseconds by which two clocks may differ. */
const margin = 3_600_000
/** Milliseconds by which the clock of a holder may be ahead. */
const ahead = 30_000
/** Milliseconds between two looks. */
const interval = 200
/** Leases in a row that were not given back, after which none is given, and for how many milliseconds: then one tries again. */
const mostLost = 2
const alone = 600_000

/** How leases are written and looked at: objects of the storage, each over the version that was read. */
export function leasing({ storage, clock, effects }: LeasingParts): Leases {
  const look = async (key: string): Promise<Look> => {
    const found = await storage.get(key)
    if (found === undefined) return { held: undefined, version: null }
    const held = heldIn(found.body)
    const left = (held?.until ?? 0) - clock.now()
    return { held: left > 0 && left < Math.min(longest, (held?.length ?? longest) + ahead) ? held : undefined, last: held, version: found.version }
  }
  const write = (key: string, held: Holder, version: string | null): Promise<unknown> => storage.put(key, JSON.stringify(held), { ifVersion: version })
  return {
    async take(sessionId, messages, milliseconds, hasTime = false) {
      const key = keyOf(sessionId, messages)
      const owner = clock.id()
      try {
        const { held, last, version } = await look(key)
        if (held !== undefined) return undefined
        const now = clock.now()
        const lost = last === undefined || last.until === 0 ? 0 : (last.lost ?? 0) + 1
        const since = now - (last?.until ?? 0)
        if (!hasTime && lost >= mostLost && since >= 0 && since < alone) return 'in vain'
        const length = Math.min(milliseconds, longest - margin)
        await write(key, { owner, until: now + length, length, ...(lost > 0 && { lost }) }, version)
      } catch (error) {
        // A client that asked again after a lost answer finds itself.
        if (ConflictError.isInstance(error) && (await look(key).catch(() => undefined))?.held?.owner !== owner) return undefined
      }
      // Also after a failure: what was not answered in time may have been written since.
      const release = async (inVain: boolean): Promise<void> => {
        effects.begin() // a summary was written meanwhile: who was away may be back
        const { held, version } = await look(key)
        if (held?.owner === owner) await write(key, inVain ? { owner, until: clock.now(), lost: mostLost } : { owner, until: 0 }, version)
      }
      return {
        async release(inVain = false) {
          const isAway = effects.isLate('storage')
          const done = release(inVain)
            // Somebody noted meanwhile that they had waited.
            .catch((error: unknown) => (ConflictError.isInstance(error) ? release(inVain) : undefined))
            // Lost meanwhile, or the storage is away: then it ends by itself.
            .catch(() => {})
          // A request does not wait once more for what did not answer a moment ago.
          if (!isAway) await done
        },
      }
    },
    async free(sessionId, messages, milliseconds, signal) {
      const key = keyOf(sessionId, messages)
      const began = clock.now()
      // A look may take its time, too.
      for (let waited = 0; ; waited = Math.max(waited + interval, clock.now() - began)) {
        signal?.throwIfAborted()
        effects.begin()
        const { held, version } = await look(key).catch((): Look => ({ held: undefined, version: null }))
        if (held === undefined) return true
        if (held.waited === true) return false
        if (waited >= milliseconds) {
          await write(key, { ...held, waited: true }, version).catch(() => {})
          return false
        }
        await new Promise((resolve) => setTimeout(resolve, interval))
      }
    },
  }
}

/** Messages by which conversations with one id are told apart, where there are so many. */
const telling = [24, 12]

/** Several conversations that nobody named may begin alike: none of them waits for the summary of another. */
function keyOf(sessionId: string, messages: readonly Message[]): string {
  const count = isUnnamed(sessionId) ? telling.find((one) => one <= messages.length) : undefined
  return `${folderOf(sessionId)}lease${count === undefined ? '' : `-${fingerprint(messages, count).slice(0, 16)}`}.json`
}

/** What does not read as a lease is none: the next one is written over it. */
function heldIn(body: string): Holder | undefined {
  try {
    const held = JSON.parse(body) as Partial<Holder>
    return typeof held.owner === 'string' && typeof held.until === 'number' && [held.length ?? 0, held.lost ?? 0].every(Number.isFinite)
      ? (held as Holder)
      : undefined
  } catch {
    return undefined
  }
}
