import { ConflictError, StorageError, TamperedError } from '../../errors.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { checkKey } from '../../state/keys.ts'
import type { StorageDriver } from './driver.ts'

/** The driver behind each guard. */
const guarded = new WeakMap<StorageDriver, StorageDriver>()

/** Whether two are the same place. */
export function isSamePlace(one: StorageDriver, other: StorageDriver): boolean {
  return behind(one) === behind(other)
}

function behind(driver: StorageDriver): StorageDriver {
  const inner = guarded.get(driver)
  return inner === undefined ? driver : behind(inner)
}

/** A driver behind a guard: keys that could leave their place never reach it, and whatever it throws comes out as a StorageError (a ConflictError or TamperedError as it is). */
export function checkedStorage(driver: StorageDriver): StorageDriver {
  const failed = (action: string, key: string, error: unknown): unknown =>
    [ConflictError, StorageError, TamperedError].some((kind) => kind.isInstance(error)) ? error : new StorageError(driver.name, action, key, error)
  const typed = async <T>(action: string, key: string, work: () => Promise<T>): Promise<T> => {
    checkKey(key)
    try {
      return await work()
    } catch (error) {
      throw failed(action, key, error)
    }
  }
  const checked: StorageDriver = {
    name: driver.name,
    remote: driver.remote === true,
    get: (key, options) => typed('get', key, () => driver.get(key, options)),
    put: (key, body, options) => typed('put', key, () => driver.put(key, wellFormed(body), options && omitUndefined(options))),
    delete: (key) => typed('delete', key, () => driver.delete(key)),
    async *list(prefix) {
      try {
        // To a database whose list is a pattern, the % and _ of a prefix stand for anything: another conversation.
        for await (const key of driver.list(prefix)) if (key.startsWith(prefix)) yield key
      } catch (error) {
        throw failed('list', prefix, error)
      }
    },
  }
  guarded.set(checked, driver)
  return checked
}

/** A body as far as it can be read: what was encrypted with a key that is lost can be deleted all the same, and has no version to go by. @throws StorageError */
export async function readable(storage: StorageDriver, key: string): Promise<{ readonly body: string; readonly version?: string } | undefined> {
  return storage.get(key).catch((error: unknown) => {
    if (TamperedError.isInstance(error)) return { body: '' }
    throw error
  })
}

/** Half a pair of surrogates is no character: what a disk would make of it silently is done here, for every driver alike. */
function wellFormed(text: string): string {
  return (text as string & { toWellFormed?(): string }).toWellFormed?.() ?? text
}
