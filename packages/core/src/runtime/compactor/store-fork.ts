import { isTombstone } from '../../state/forgotten.ts'
import { folderOf } from '../../state/keys.ts'
import type { CompactionState } from '../../state/state.ts'
import { parsed } from '../session/stored/stored-place.ts'
import { storedBody } from '../session/stored/written-state.ts'
import type { StorageDriver } from '../storage/driver.ts'

/**
 * Stores the first state of a copy. Where a conversation was deleted another one may begin.
 * @throws ConflictError when there is one already.
 */
export async function storeFork(storage: StorageDriver, id: string, state: CompactionState, now: number): Promise<void> {
  const key = `${folderOf(id)}state.json`
  const found = await storage.get(key)
  const before = found && (await parsed(found.body))?.state
  const { forgotten } = before !== undefined && isTombstone(before) ? before : {}
  const body = await storedBody(forgotten === undefined ? state : { ...state, forgotten }, now)
  await storage.put(key, body, { ifVersion: forgotten === undefined ? null : (found?.version ?? null) })
}
