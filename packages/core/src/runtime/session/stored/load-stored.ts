import { folderOf } from '../../../state/keys.ts'
import { initialState } from '../../../state/state.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { parsedState } from './parsed-state.ts'
import { setAside } from './set-aside.ts'
import { type LoadedState, type Place, settle } from './stored-place.ts'

/** What is stored of a session, or else under its earlier id, or else what its caller knows. What cannot be read is set aside. */
export async function loadStored(
  place: Place,
  folder: string,
  found: Awaited<ReturnType<StorageDriver['get']>>,
  known: string | undefined,
  earlier: string | undefined,
): Promise<LoadedState> {
  const before = found === undefined && earlier !== undefined ? await place.storage.get(`${folderOf(earlier)}state.json`) : undefined
  const body = (found ?? before)?.body ?? known
  const read = body === undefined ? undefined : parsedState(body)
  const aside = body === undefined || read ? undefined : await setAside(place.storage, folder, body)
  settle(place, found?.version ?? null)
  place.used = read?.used ?? place.clock.now()
  if (read === undefined) return { state: initialState, aside }
  return { state: before === undefined ? read.state : { ...read.state, continues: earlier as string } }
}
