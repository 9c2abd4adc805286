import { StorageError } from '../../errors.ts'
import { orAborted } from '../platform/abort.ts'
import { deadlineSignal } from '../platform/deadline-signal.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { Places } from './places.ts'

/** Least milliseconds that one answer is waited for, however short the deadline of the whole. */
const patience = 1_000

/** The same places, each answer of which is waited for so many milliseconds: who deletes is not kept by a storage that says nothing. */
export function answering({ storages: [first, ...others], outputs }: Places, milliseconds: number): Places {
  const guarded = (driver: StorageDriver): StorageDriver => within(driver, Math.max(patience, milliseconds))
  return { storages: [guarded(first), ...others.map(guarded)], outputs }
}

function within(driver: StorageDriver, milliseconds: number): StorageDriver {
  const answer = async <T>(action: string, key: string, work: Promise<T>): Promise<T> => {
    const signal = deadlineSignal(milliseconds)
    try {
      return await orAborted(work, signal)
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error
      throw new StorageError(driver.name, action, key, new Error(`no answer within ${milliseconds} ms (deadline)`))
    }
  }
  return {
    ...driver,
    get: (key, options) => answer('get', key, driver.get(key, options)),
    put: (key, body, options) => answer('put', key, driver.put(key, body, options)),
    delete: (key) => answer('delete', key, driver.delete(key)),
    async *list(prefix) {
      const keys = driver.list(prefix)[Symbol.asyncIterator]()
      try {
        for (;;) {
          const { done, value } = await answer('list', prefix, keys.next())
          if (done === true) return
          yield value
        }
      } finally {
        // Not waited for: what does not answer does not end either.
        keys.return?.().catch(() => {})
      }
    },
  }
}
