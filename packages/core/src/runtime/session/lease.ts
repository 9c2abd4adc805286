import type { CompactionPolicy } from '../../policy/policy.ts'
import type { Effects } from '../effects.ts'
import type { Clock } from '../platform/clock.ts'
import type { StorageDriver } from '../storage/driver.ts'

/** The right to write the next summary of a session, for a while: whoever has it pays, the others wait or do something else. */
export interface Lease {
  release(): Promise<void>
}

export interface Leases {
  /** @returns undefined while somebody else holds it. A storage that fails grants it: a summary twice is better than none. */
  take(sessionId: string, milliseconds: number): Promise<Lease | undefined>
  /** Resolves when nobody holds it any more (true), or after `milliseconds` (false): at once where somebody has waited for this one that long. */
  free(sessionId: string, milliseconds: number, signal: AbortSignal | undefined): Promise<boolean>
}

/** Milliseconds that a request waits for another process to finish its summary of the same conversation. */
export const patience = 2_000
/** Milliseconds that a summary may take beyond its own deadline, until it counts as abandoned. */
const margin = 30_000
/** Milliseconds that one summary may take in all. */
export function leaseTime({ summary }: CompactionPolicy): number {
  return summary.deadline + margin
}

export function createLeases(storage: StorageDriver, clock: Clock, effects: Pick<Effects, 'begin'>): Leases {
  // Most requests never ask for one.
  const leasing = async () => (await import('./leasing.ts')).createLeasing({ storage, clock, begin: effects.begin })
  return {
    take: async (sessionId, milliseconds) => (await leasing()).take(sessionId, milliseconds),
    free: async (sessionId, milliseconds, signal) => (await leasing()).free(sessionId, milliseconds, signal),
  }
}
