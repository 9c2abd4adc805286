import { ConflictError, TamperedError } from '../../errors.ts'
import { hashOf } from '../../history/hash.ts'
import { keySegment } from '../../state/keys.ts'
import { parseState } from '../../state/parse-state.ts'
import { type CompactionState, initialState } from '../../state/state.ts'
import type { StorageDriver } from '../storage/driver.ts'

/** One session's state in a storage, written only over the version that was read. */
export interface StateStore {
  /** The stored state, or a fresh one; none where the storage did not say what there is. `problem`: why what is stored could not be used; `aside`: where it is kept. */
  load(): Promise<{ readonly state?: CompactionState; readonly problem?: string; readonly aside?: string }>
  /** What another process has stored since; undefined when nothing. */
  changed(): Promise<CompactionState | undefined>
  /** `conflict`: something is stored that was never read here. */
  save(state: CompactionState): Promise<'saved' | 'conflict' | 'failed'>
  /** Stores the first state of a session. @throws ConflictError when there is one already. */
  create(state: CompactionState): Promise<void>
}

type Found = Awaited<ReturnType<StorageDriver['get']>>

/**
 * @param known - What the caller itself remembers of the session, for a storage that has nothing of it: a state as JSON.
 *
 * What cannot be read is somebody's all the same: it is copied to a key of its own before anything takes its place, and where that fails nothing does.
 */
export function createStateStore(storage: StorageDriver, sessionId: string, known?: string): StateStore {
  const base = `sessions/${keySegment(sessionId)}/`
  const key = `${base}state.json`
  /** What is there, as far as we know: a version, null for nothing, undefined when we do not know. */
  let version: string | null | undefined
  /** The version that was read or written last, and what was written without an answer since. */
  let seen: { readonly version: string | null; readonly pending?: string } | undefined

  const setAside = async (body: string): Promise<string> => {
    const place = `${base}state.unreadable-${hashOf(body)}.json`
    await storage.put(place, body, { ifVersion: null }).catch((error: unknown) => {
      if (!ConflictError.isInstance(error)) throw error // there already: the same bytes have the same place
    })
    return place
  }
  const settle = (at: string | null): void => {
    version = at
    seen = { version: at }
  }
  /** After a failure we do not know what is there. Our own last write may have come through; another's must not be lost. */
  const ours = (found: Found): boolean =>
    (found === undefined ? null : found.version) === seen?.version || (found !== undefined && found.body === seen?.pending)

  return {
    async load() {
      try {
        const found = await storage.get(key)
        const body = found === undefined ? known : found.body
        if (body === undefined) {
          settle(null)
          return { state: initialState }
        }
        const state = parseState(body)
        const aside = state === undefined ? await setAside(body) : undefined
        settle(found?.version ?? null)
        if (aside !== undefined) return { state: initialState, problem: 'the stored state cannot be read by this version', aside }
        return { state: state ?? initialState }
      } catch (error) {
        version = undefined
        const problem = TamperedError.isInstance(error) ? 'the stored state cannot be trusted' : 'the storage did not answer'
        return { problem }
      }
    },
    async changed() {
      try {
        const found = await storage.get(key)
        if (found === undefined || found.version === version || (version === undefined && ours(found))) return undefined
        const state = parseState(found.body)
        if (state !== undefined) settle(found.version)
        return state
      } catch {
        return undefined
      }
    },
    async create(state) {
      settle((await storage.put(key, JSON.stringify(state), { ifVersion: null })).version)
    },
    async save(state) {
      const body = JSON.stringify(state)
      const write = async (): Promise<void> => settle((await storage.put(key, body, { ifVersion: version as string | null })).version)
      try {
        if (version === undefined) {
          const found = await storage.get(key)
          if (found !== undefined && !ours(found)) return 'conflict'
          version = found?.version ?? null
        }
        await write().catch(async (error: unknown) => {
          // What is gone was deleted, not changed by somebody else.
          if (!ConflictError.isInstance(error) || (await storage.get(key)) !== undefined) throw error
          version = null
          await write()
        })
        return 'saved'
      } catch (error) {
        if (ConflictError.isInstance(error)) return 'conflict'
        if (seen !== undefined) seen = { ...seen, pending: body }
        version = undefined
        return 'failed'
      }
    },
  }
}
