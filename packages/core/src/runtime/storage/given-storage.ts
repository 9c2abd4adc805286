import { InvalidConfigurationError } from '../../errors.ts'
import { checkedFields, type Rules } from '../../policy/merge.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import { checkRedactor } from '../redactor.ts'
import { checkedStorage } from './checked-storage.ts'
import type { StorageDriver } from './driver.ts'

/** A rule for whoever has a redactor of its own. */
export const redactRule: Rules = {
  'redact?'(field, value) {
    if (value !== false && typeof value !== 'function') throw new InvalidConfigurationError(field, typeof value, 'write createRedactor() or false')
    if (value) checkRedactor(value as Redactor)
  },
}

/**
 * What an archive or a store was given, behind its guard.
 * @throws InvalidConfigurationError for what is no storage, and for options that cannot be meant: everything written there would be lost.
 */
export function givenStorage(storage: StorageDriver, options: object, rules: Rules): StorageDriver {
  if (typeof storage?.put !== 'function') throw new InvalidConfigurationError('storage', storage, 'write memoryStorage() or fsStorage({ root })')
  checkedFields('', Object(options), rules)
  return checkedStorage(storage)
}
