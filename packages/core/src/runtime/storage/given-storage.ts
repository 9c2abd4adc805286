import { InvalidConfigurationError } from '../../errors.ts'
import { checkedStorage } from './checked-storage.ts'
import type { StorageDriver } from './driver.ts'

/** What an archive or a store was given, behind its guard. @throws InvalidConfigurationError for what is no storage: everything written there would be lost. */
export function givenStorage(storage: StorageDriver): StorageDriver {
  if (typeof storage?.put !== 'function') throw new InvalidConfigurationError('storage', storage, 'write memoryStorage() or fsStorage({ root })')
  return checkedStorage(storage)
}
