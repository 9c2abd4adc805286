import { folderOf } from '../../../state/keys.ts'
import { type CompactionState, initialState } from '../../../state/state.ts'
import type { Clock } from '../../platform/clock.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { type LoadedState, type Place, settle } from './stored-place.ts'

/** One session's state in a storage, written only over the version that was read. */
export interface StateStore {
  load(): Promise<LoadedState>
  /** What another process has stored since; undefined when nothing. */
  changed(): Promise<CompactionState | undefined>
  /** Sees, once a minute at most, whether another process has stored something. Nobody waits for it, and nothing is taken over. */
  glance(now: number): void
  /** Whether another process has stored something since: it is taken over with the next request. */
  isBehind(): Promise<boolean>
  /** Whether a look found something new that was not taken over since. */
  outdated(): boolean
  /** `conflict`: something is stored that was never read here. */
  save(state: CompactionState): Promise<'saved' | 'conflict' | 'failed'>
  /** What another process has stored, for a process that has not looked for a day: a conversation that was deleted is not gone on with. */
  changedSince(now: number): Promise<CompactionState | undefined>
  /** Says, once an hour at most, that the conversation is in use: `gc` goes by that where nothing is written for long. */
  touch(now: number, holdsOutputs: boolean): Promise<void>
}

const minute = 60_000
const day = 86_400_000

/**
 * @param known - What the caller itself remembers of the session, for a storage that has nothing of it: a state as JSON.
 * @param earlier - Id that the conversation had while it said less: what is stored there is gone on with.
 *
 * What cannot be read is somebody's all the same: it is copied to a key of its own before anything takes its place, and where that fails nothing does.
 */
export function createStateStore(storage: StorageDriver, sessionId: string, clock: Clock, known?: string, earlier?: string): StateStore {
  const base = folderOf(sessionId)
  const place: Place = { storage, key: `${base}state.json`, clock, used: 0, outdated: false }
  let looked: number | undefined
  let glanced: number | undefined
  /** With a compaction what is stored is looked at again, and written. */
  const written = () => import('./written-state.ts')
  const store: StateStore = {
    async changedSince(now) {
      looked ??= now
      if (now - looked < day) return undefined
      looked = now
      return store.changed()
    },
    glance(now) {
      glanced ??= now
      if (now - glanced < minute || place.version === undefined) return
      glanced = now
      // What was stored meanwhile by this process is news to nobody: the next look says so.
      void store.isBehind()
    },
    async isBehind() {
      const { version } = place
      const found = version === undefined ? undefined : await storage.get(place.key).catch(() => undefined)
      const isBehind = found !== undefined && found.version !== place.version
      place.outdated ||= isBehind
      return isBehind
    },
    outdated: () => place.outdated,
    async load() {
      try {
        const found = await storage.get(place.key)
        if (found || known || earlier) return await (await import('./load-stored.ts')).loadStored(place, base, found, known, earlier)
        settle(place, null)
        place.used = clock.now()
        return { state: initialState }
      } catch (error) {
        place.version = undefined
        return { error }
      }
    },
    changed: async () => (await written()).changedState(place),
    save: async (state) => (await written()).saveState(place, state),
    async touch(now, holdsOutputs) {
      if (!(place.version || holdsOutputs) || now - place.used < day / 24) return
      place.used = now
      await written()
        .then(({ saveUse }) => saveUse(place, base, now))
        .catch(() => {})
    },
  }
  return store
}
