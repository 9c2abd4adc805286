import { InvalidConfigurationError } from '../../errors.ts'
import type { Rules } from '../../policy/merge.ts'
import type { Cipher } from './cipher.ts'
import type { StorageDriver } from './driver.ts'
import type { EncryptedStorageOptions } from './encryption-key.ts'
import { givenStorage } from './given-storage.ts'
import type { Rotation } from './rotate-encryption.ts'

const rules: Rules = {
  key(field, value) {
    if (typeof value !== 'function') throw new InvalidConfigurationError(field, typeof value, 'write key: () => ({ id: "k1", key: bytes })')
  },
  'plain?': [true, false],
}

/**
 * A storage whose content is encrypted before it leaves the process: AES-256-GCM with a nonce of its own for each write, bound to the key under which it is
 * stored, so that neither a changed nor a moved text is taken for true. Key names stay readable. Wrap the driver that you pass as `storage`, or to
 * `createArchive` and `createToolOutputStore`.
 *
 * @throws InvalidConfigurationError where `key` is no function, and for what is no storage. From its methods: TamperedError for a text that was changed or moved, is not encrypted (unless `plain`), or whose key is not to be had;
 * InvalidConfigurationError without a key to write with, and for a key that is not 32 bytes or has no usable id; what the driver throws.
 */
export function encryptedStorage(driver: StorageDriver, options: EncryptedStorageOptions): StorageDriver {
  givenStorage(driver, options, rules)
  let loaded: Promise<Cipher> | undefined
  const cipher = (): Promise<Cipher> => {
    loaded ??= import('./cipher.ts').then(({ createCipher }) => createCipher(options))
    return loaded
  }
  return {
    name: `encrypted ${driver.name}`,
    async get(key, more) {
      const found = await driver.get(key, more)
      return found === undefined ? undefined : { body: await (await cipher()).open(key, found.body), version: found.version }
    },
    put: async (key, body, more) => driver.put(key, await (await cipher()).seal(key, body), more),
    delete: (key) => driver.delete(key),
    list: (prefix) => driver.list(prefix),
  }
}

/**
 * Writes everything under `prefix` anew with the current key, after which older keys can go. What somebody writes meanwhile under an older key is written anew too, or reported.
 * An object that cannot be read or written is reported, and the rest goes on.
 *
 * @throws InvalidConfigurationError without a key to write with; what listing the storage throws.
 */
export async function rotateEncryption(driver: StorageDriver, options: EncryptedStorageOptions, prefix = ''): Promise<Rotation> {
  return (await import('./rotate-encryption.ts')).rotate(driver, encryptedStorage(driver, options), options, prefix)
}
