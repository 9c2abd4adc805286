import { type StorageDriver, StorageError } from '@precis/core'

/** Milliseconds that a storage may take for one step. */
const patience = 30_000

/**
 * A storage that answers or fails: a server that is away lets some clients wait for ever.
 *
 * @throws StorageError from its methods.
 */
export function boundedStorage(driver: StorageDriver, wait: number = patience): StorageDriver {
  const bounded = async <T>(action: string, key: string, work: () => Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new StorageError(driver.name, action, key, new Error(`no answer within ${wait / 1_000} seconds`))), wait)
    })
    try {
      return await Promise.race([work(), late])
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    name: driver.name,
    ...(driver.remote !== undefined && { remote: driver.remote }),
    get: (key, options) => bounded('get', key, () => driver.get(key, options)),
    put: (key, body, options) => bounded('put', key, () => driver.put(key, body, options)),
    delete: (key) => bounded('delete', key, () => driver.delete(key)),
    async *list(prefix) {
      const keys = driver.list(prefix)[Symbol.asyncIterator]()
      const next = (): Promise<IteratorResult<string>> =>
        bounded('list', prefix, () => keys.next()).catch((error: unknown) => {
          throw StorageError.isInstance(error) ? error : new StorageError(driver.name, 'list', prefix, error)
        })
      for (let found = await next(); found.done !== true; found = await next()) yield found.value
    },
  }
}
