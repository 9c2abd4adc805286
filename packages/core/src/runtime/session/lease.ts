import type { CompactionPolicy } from '../../policy/policy.ts'
import type { Effects } from '../effects.ts'
import type { Clock } from '../platform/clock.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { Leases } from './leasing.ts'

export type { Lease, Leases } from './leasing.ts'

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
    take: async (...which) => (await leasing()).take(...which),
    free: async (...which) => (await leasing()).free(...which),
  }
}
