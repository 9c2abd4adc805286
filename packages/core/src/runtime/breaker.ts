import type { StorageDriver } from './storage/driver.ts'

/** Who writes a summary: the usual model, or the one for what a person asked for. */
export type Writer = 'usual' | 'full'

/** Which models are left alone for a while because they failed: per process, never stored. Times are in milliseconds since 1970. */
export interface Breakers {
  /** Failures in a row, and when the newest was, or a trial began. */
  readonly failed: Map<Writer, { readonly failures: number; readonly at: number }>
  /** Until when no request of a conversation waits for a model's summary: one gave up on it, after so many milliseconds of waiting. */
  readonly givenUp: Map<string, { readonly until: number; readonly waited: number }>
}

/** Milliseconds of waiting for a summary, in one request or several, after which giving up on it says that it takes too long; before, somebody pressed stop, or had little time. */
export const longWait = 3_000

export const createBreakers = (): Breakers => ({ failed: new Map(), givenUp: new Map() })

/** Those beside a storage that several compactors share: hosts wrap a model anew for each request. */
export const breakersBeside: WeakMap<StorageDriver, Breakers> = new WeakMap()

/** Failures in a row after which a model is left alone, as in Qwen Code. */
const mostFailures = 3
/** Milliseconds until one request tries again. */
const pause = 60_000

/** Whether a model has failed so often that it is left alone, but for a trial after a minute. */
export function hasFailed({ failed }: Breakers, model: Writer): boolean {
  return (failed.get(model)?.failures ?? 0) >= mostFailures
}

/** Whether a conversation goes on without this model for now. */
export function isOpen(breakers: Breakers, model: Writer, session: string, now: number): boolean {
  const { failed, givenUp } = breakers
  return now < (givenUp.get(session)?.until ?? 0) || (hasFailed(breakers, model) && now - (failed.get(model)?.at ?? 0) < pause)
}
