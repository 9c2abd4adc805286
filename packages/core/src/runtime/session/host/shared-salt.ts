import type { StorageDriver } from '../../storage/driver.ts'

/** Beside all conversations: `gc` and `forget` leave it alone. */
const key = 'redaction/salt.json'

/** The salt that all who share a storage find there: whoever comes first leaves one. */
export async function saltIn(storage: StorageDriver): Promise<string | undefined> {
  const found = await storage.get(key)
  if (found !== undefined) return found.body
  // Whether it could not be left, or somebody else was first: what is there then tells.
  await storage.put(key, JSON.stringify({ key: crypto.randomUUID() }), { ifVersion: null }).catch(() => {})
  return (await storage.get(key))?.body
}
