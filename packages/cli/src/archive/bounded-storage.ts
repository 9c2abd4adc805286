import { checkedStorage, type StorageDriver } from '@precis/core'

/** Milliseconds that a storage may take for one step. */
const patience = 30_000

/**
 * A storage that answers or fails: a server that is away lets some clients wait for ever.
 *
 * @throws StorageError from its methods.
 */
export function boundedStorage(driver: StorageDriver, wait: number = patience): StorageDriver {
  const bounded = async <T>(work: () => Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${wait / 1_000} seconds`)), wait)
    })
    try {
      return await Promise.race([work(), late])
    } finally {
      clearTimeout(timer)
    }
  }
  return checkedStorage({
    ...driver,
    get: (key, options) => bounded(() => driver.get(key, options)),
    put: (key, body, options) => bounded(() => driver.put(key, body, options)),
    delete: (key) => bounded(() => driver.delete(key)),
    async *list(prefix) {
      const keys = driver.list(prefix)[Symbol.asyncIterator]()
      for (let found = await bounded(() => keys.next()); found.done !== true; found = await bounded(() => keys.next())) yield found.value
    },
  })
}
