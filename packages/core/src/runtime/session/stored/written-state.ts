import { ConflictError } from '../../../errors.ts'
import { mapInPieces } from '../../../history/pieces.ts'
import { storable } from '../../../state/forgotten.ts'
import type { CompactionState } from '../../../state/state.ts'
import { withWritten } from '../../../state/written.ts'
import { inSlices } from '../../platform/slices.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { type Place, parsed, settle } from './stored-place.ts'

/** What another process has stored there since; undefined when nothing. */
export async function changedState(place: Place): Promise<CompactionState | undefined> {
  try {
    const found = await place.storage.get(place.key)
    place.outdated = false
    if (found === undefined || found.version === place.version || (place.version === undefined && isOurs(place, found))) return undefined
    const read = await parsed(found.body)
    if (read === undefined) return undefined
    settle(place, found.version)
    place.used = place.clock.now()
    return read.state
  } catch {
    return undefined
  }
}

/** Writes a state over the version that was read. `conflict`: something is stored that was never read here. */
export async function saveState(place: Place, state: CompactionState): Promise<'saved' | 'conflict' | 'failed'> {
  const { storage, key, clock } = place
  const body = await storedBody(state, clock.now())
  const write = async (): Promise<void> => settle(place, (await storage.put(key, body, { ifVersion: place.version as string | null })).version)
  try {
    if (place.version === undefined) {
      const found = await storage.get(key)
      if (found !== undefined && !isOurs(place, found)) return 'conflict'
      place.version = found?.version ?? null
    }
    await write().catch(async (error: unknown) => {
      // What is gone was deleted, not changed by somebody else.
      if (!ConflictError.isInstance(error) || (await storage.get(key)) !== undefined) throw error
      place.version = null
      await write()
    })
    place.used = clock.now()
    return 'saved'
  } catch (error) {
    if (ConflictError.isInstance(error)) return 'conflict'
    place.seen &&= { ...place.seen, pending: body }
    place.version = undefined
    return 'failed'
  }
}

/** After a failure we do not know what is there. Our own last write may have come through; another's must not be lost. */
function isOurs({ seen }: Place, found: Awaited<ReturnType<StorageDriver['get']>>): boolean {
  return (found?.version ?? null) === seen?.version || (found !== undefined && found.body === seen?.pending)
}

/** When a conversation was used last without anything being written: `sessions/<id>/used.json`. */
export interface Used {
  /** Milliseconds since 1970. */
  readonly at: number
  /** What was stored then: something else means that somebody has written since. Absent: no state. */
  readonly of?: string
}

/** Says that the conversation in this folder is in use. */
export async function saveUse({ storage, version }: Place, folder: string, at: number): Promise<void> {
  await storage.put(`${folder}used.json`, JSON.stringify({ at, ...(typeof version === 'string' && { of: version }) } satisfies Used))
}

/** A state as JSON, one checkpoint after another: a summary may be a megabyte. */
export async function storedBody(state: CompactionState, now: number): Promise<string> {
  const { checkpoints, ...rest } = withWritten(storable(state, now), now)
  const bodies = await inSlices(mapInPieces(checkpoints, (one) => JSON.stringify(one)))
  return `{"checkpoints":[${bodies.join()}],${JSON.stringify(rest).slice(1)}`
}
