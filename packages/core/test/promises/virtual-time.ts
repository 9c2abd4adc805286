import type { StorageDriver } from '@precis/core'
import { vi } from 'vitest'

// Time that nobody has to wait for: timers are the test's, answers of a storage are late by them.

const really = setTimeout

export const after = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
/** A storage whose answers take their time, on the way there and back. */
export const late = (inner: StorageDriver, time: () => number): StorageDriver => ({
  ...inner,
  get: (...given) => after(time()).then(() => inner.get(...given)),
  put: async (...given) => {
    await after(time())
    const written = await inner.put(...given)
    await after(time())
    return written
  },
})
/**
 * Lets the time go by that everybody waits for.
 *
 * @param patience - Milliseconds that really pass for each twenty, for what would be late on a busy machine: modules that are loaded, say.
 */
export async function virtually<T>(work: Promise<T>, patience = 0): Promise<T> {
  let isDone = false
  const ended = (): void => {
    isDone = true
  }
  work.then(ended, ended)
  while (!isDone) {
    await vi.advanceTimersByTimeAsync(20)
    // What is computed meanwhile takes no time that anybody waits for, digests on other threads included: on a busy machine a deadline would pass before them.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    await crypto.subtle.digest('SHA-256', new Uint8Array(1))
    if (patience > 0) await new Promise((resolve) => really(resolve, patience))
  }
  return work
}

export const patiently = <T>(work: Promise<T>): Promise<T> => virtually(work, 1)
