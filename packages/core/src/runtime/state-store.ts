import { ConflictError, TamperedError } from '../errors.ts'
import { keySegment } from '../keys.ts'
import type { StorageDriver } from '../ports.ts'
import { type CompactionState, initialState, parseState } from '../state.ts'
import { orAborted } from './abort.ts'

/** One session's state in a storage, written only over the version that was read. */
export interface StateStore {
  /** The stored state, or a fresh one. `problem` says why a stored one could not be used. */
  load(): Promise<{ readonly state: CompactionState; readonly problem?: string }>
  /** What another process has stored since; undefined when nothing. */
  changed(): Promise<CompactionState | undefined>
  save(state: CompactionState): Promise<'saved' | 'conflict' | 'failed'>
  /** Stores the first state of a session. @throws ConflictError when there is one already. */
  create(state: CompactionState): Promise<void>
}

/** Milliseconds after which a storage counts as failed: an agent does not wait longer for its notes. */
const patience = 10_000

export function createStateStore(storage: StorageDriver, sessionId: string): StateStore {
  const key = `sessions/${keySegment(sessionId)}/state.json`
  let version: string | null | undefined
  const look = (): ReturnType<StorageDriver['get']> => timely((signal) => storage.get(key, { signal }))
  return {
    async load() {
      try {
        const found = await look()
        version = found?.version ?? null
        if (found === undefined) return { state: initialState }
        const state = parseState(found.body)
        return state === undefined ? { state: initialState, problem: 'the stored state is not one of ours' } : { state }
      } catch (error) {
        version = undefined
        return { state: initialState, problem: TamperedError.isInstance(error) ? 'the stored state cannot be trusted' : 'the storage did not answer' }
      }
    },
    async changed() {
      try {
        const found = await look()
        if (version === undefined || found === undefined || found.version === version) return undefined
        const state = parseState(found.body)
        if (state !== undefined) version = found.version
        return state
      } catch {
        return undefined
      }
    },
    async create(state) {
      version = (await timely((signal) => storage.put(key, JSON.stringify(state), { ifVersion: null, signal }))).version
    },
    async save(state) {
      try {
        // After a failed read we do not know what is there: writing blindly could lose another worker's checkpoint.
        if (version === undefined) version = (await look())?.version ?? null
        const expected = version
        version = (await timely((signal) => storage.put(key, JSON.stringify(state), { ifVersion: expected, signal }))).version
        return 'saved'
      } catch (error) {
        if (ConflictError.isInstance(error)) return 'conflict'
        version = undefined
        return 'failed'
      }
    },
  }
}

async function timely<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new Error(`no answer within ${patience} ms`)), patience)
  try {
    return await orAborted(work(stop.signal), stop.signal)
  } finally {
    clearTimeout(timer)
  }
}
