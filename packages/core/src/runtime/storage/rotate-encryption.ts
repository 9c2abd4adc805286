import { ConflictError, InvalidConfigurationError, reasonOf } from '../../errors.ts'
import type { StorageDriver } from './driver.ts'
import { type EncryptedStorageOptions, mark } from './encryption-key.ts'

/** What a rotation came to. */
export interface Rotation {
  /** Texts that were written anew. */
  readonly written: number
  /** What was left as it is because it could not be read or written, and why. Older keys are needed for as long as there is any. */
  readonly failed: readonly { readonly key: string; readonly reason: string }[]
}

/** The work of `rotateEncryption`: each text is read and written through the encrypted storage, where it is not of the current key yet. */
export async function rotate(driver: StorageDriver, encrypted: StorageDriver, options: EncryptedStorageOptions, prefix: string): Promise<Rotation> {
  const failed: { readonly key: string; readonly reason: string }[] = []
  let written = 0
  const renew = async (key: string): Promise<void> => {
    const raw = await driver.get(key)
    const current = await options.key()
    if (raw === undefined || raw.body.startsWith(`${mark}:${current?.id ?? ''}:`)) return
    const found = await encrypted.get(key)
    if (found === undefined) return
    await encrypted.put(key, found.body, { ifVersion: found.version })
    written++
  }
  for await (const key of driver.list(prefix)) {
    // Who was faster may still write with an older key.
    for (let tries = 1; ; tries++) {
      try {
        await renew(key)
        break
      } catch (error) {
        if (InvalidConfigurationError.isInstance(error)) throw error
        if (ConflictError.isInstance(error) && tries < mostTries) continue
        failed.push({ key, reason: reasonOf(error) })
        break
      }
    }
  }
  return { written, failed }
}

/** Writers that may be faster, one after another. */
const mostTries = 5
