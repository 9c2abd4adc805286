import { reasonOf } from '../../errors.ts'
import { conversationsRoot } from '../../state/keys.ts'
import { orAborted } from '../platform/abort.ts'
import { isSamePlace } from '../storage/checked-storage.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { ToolOutputStore } from '../storage/output-store.ts'

/** Where a compactor stores: states first, then what is on record, each place once. */
export interface Places {
  readonly storages: readonly [StorageDriver, ...StorageDriver[]]
  readonly outputs: Pick<ToolOutputStore, 'gc'> | undefined
}

export function placesOf(
  storage: StorageDriver,
  archive: { readonly storage?: StorageDriver } | undefined,
  outputs: Pick<ToolOutputStore, 'gc'> | undefined,
): Places {
  const records = archive?.storage
  return { storages: records === undefined || isSamePlace(records, storage) ? [storage] : [storage, records], outputs }
}

/** Whether a storage has no room left: a disk, a quota, SQLite, PostgreSQL, Redis. */
export function isFull(error: unknown): boolean {
  return /ENOSPC|EDQUOT|system error -122|no space left|quota exceeded|disk is full|SQLITE_FULL|OOM command/i.test(reasonOf(error))
}

/** Every text that is stored of conversations, but of those in one folder. @throws what a storage throws, and on the way once `signal` is aborted. */
export async function* storedTexts({ storages }: Places, signal: AbortSignal, without?: string): AsyncGenerator<string> {
  for (const storage of storages) {
    const keys = storage.list(conversationsRoot)[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value: key } = await orAborted(keys.next(), signal)
        if (done === true) break
        if (without !== undefined && key.startsWith(without)) continue
        const found = await orAborted(storage.get(key, { signal }), signal)
        if (found !== undefined) yield found.body
      }
    } finally {
      // Not waited for: what does not answer does not end either.
      keys.return?.().catch(() => {})
    }
  }
}
