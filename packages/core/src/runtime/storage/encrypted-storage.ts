import { ConflictError, InvalidConfigurationError, reasonOf } from '../../errors.ts'
import type { Cipher } from './cipher.ts'
import type { StorageDriver } from './driver.ts'
import { type EncryptedStorageOptions, mark } from './encryption-key.ts'

/**
 * A storage whose content is encrypted before it leaves the process: AES-256-GCM with a nonce of its own for each write, bound to the key under which it is
 * stored, so that neither a changed nor a moved text is taken for true. Key names stay readable. Wrap the driver that you pass as `storage`, or to
 * `createArchive` and `createToolOutputStore`.
 *
 * @throws From its methods: TamperedError for a text that was changed or moved, is not encrypted (unless `plain`), or whose key is not to be had;
 * InvalidConfigurationError without a key to write with, and for a key that is not 32 bytes or has no usable id; what the driver throws.
 */
export function encryptedStorage(driver: StorageDriver, options: EncryptedStorageOptions): StorageDriver {
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

/** What a rotation came to. */
export interface Rotation {
  /** Texts that were written anew. */
  readonly written: number
  /** What was left as it is because it could not be read or written, and why. Older keys are needed for as long as there is any. */
  readonly failed: readonly { readonly key: string; readonly reason: string }[]
}

/**
 * Writes everything under `prefix` anew with the current key, after which older keys can go. What somebody else writes meanwhile is written with the current key anyway.
 * An object that cannot be read or written is reported, and the rest goes on.
 *
 * @throws InvalidConfigurationError without a key to write with; what listing the storage throws.
 */
export async function rotateEncryption(driver: StorageDriver, options: EncryptedStorageOptions, prefix = ''): Promise<Rotation> {
  const encrypted = encryptedStorage(driver, options)
  const failed: { readonly key: string; readonly reason: string }[] = []
  let written = 0
  for await (const key of driver.list(prefix)) {
    try {
      const raw = await driver.get(key)
      const current = await options.key()
      if (raw === undefined || raw.body.startsWith(`${mark}:${current?.id ?? ''}:`)) continue
      const found = await encrypted.get(key)
      if (found === undefined) continue
      await encrypted.put(key, found.body, { ifVersion: found.version })
      written++
    } catch (error) {
      if (InvalidConfigurationError.isInstance(error)) throw error
      if (!ConflictError.isInstance(error)) failed.push({ key, reason: reasonOf(error) })
    }
  }
  return { written, failed }
}
