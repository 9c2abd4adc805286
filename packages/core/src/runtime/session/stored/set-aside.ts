import { ConflictError } from '../../../errors.ts'
import { hashOf } from '../../../history/hash.ts'
import type { StorageDriver } from '../../storage/driver.ts'

/** Copies what cannot be read to a key of its own in the folder of its conversation. @returns the key. */
export async function setAside(storage: StorageDriver, folder: string, body: string): Promise<string> {
  const place = `${folder}state.unreadable-${hashOf(body)}.json`
  await storage.put(place, body, { ifVersion: null }).catch((error: unknown) => {
    if (!ConflictError.isInstance(error)) throw error // there already: the same bytes have the same place
  })
  return place
}
