import type { CompactionState } from '../../../state/state.ts'
import type { Clock } from '../../platform/clock.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import type { ParsedState } from './parsed-state.ts'

/** Where a state is stored, and what is known of it. */
export interface Place {
  readonly storage: StorageDriver
  readonly key: string
  readonly clock: Clock
  /** What is there, as far as we know: a version, null for nothing, undefined when we do not know. */
  version?: string | null | undefined
  /** The version that was read or written last, and what was written without an answer since. */
  seen?: { readonly version: string | null; readonly pending?: string }
  /** When what is stored was written or touched, as far as we know. */
  used: number
  /** Whether a look found something new that was not taken over since. */
  outdated: boolean
}

/** The stored state, or a fresh one; none where the storage did not say what there is, but threw `error`. `aside`: where something is kept that cannot be read. */
export interface LoadedState {
  readonly state?: CompactionState
  readonly error?: unknown
  readonly aside?: string | undefined
}

/** This version was read or written. */
export function settle(place: Place, version: string | null): void {
  Object.assign(place, { version, seen: { version }, outdated: false } satisfies Partial<Place>)
}

/** What was stored, where something was, and when it was used last. */
export const parsed = async (body: string): Promise<ParsedState | undefined> => (await import('./parsed-state.ts')).parsedState(body)
