import { ConflictError } from '../../errors.ts'
import { forgottenState, isTombstone, nothingSaid } from '../../state/forgotten.ts'
import { folderOf } from '../../state/keys.ts'
import { parseState } from '../../state/parse-state.ts'
import { deadlineSignal } from '../platform/deadline-signal.ts'
import { readable } from '../storage/checked-storage.ts'
import { outputsIn } from '../storage/collect-outputs.ts'
import type { StorageDriver } from '../storage/driver.ts'
import { answering } from './answering.ts'
import { isFull, type Places, storedTexts } from './places.ts'

/** How a conversation is deleted. */
export interface ForgetOptions {
  /**
   * Milliseconds for the look through what is stored of all other conversations: outputs are kept once for all, and go only where nobody else names them.
   * What was not decided by then is `left`, and the next `gc` takes it. Also for each answer of a storage, a second at least. Default 30,000; `Infinity`: without limit.
   */
  readonly deadline?: number
  /** Says what would be deleted, and deletes nothing. Default false. */
  readonly dryRun?: boolean
}

/** What was deleted of one conversation. */
export interface Forgot {
  /** Keys that held something of it: state, transcript, checkpoints, events, lease. Empty: nothing was stored. */
  readonly keys: readonly string[]
  /** Whole outputs that it named and no other conversation does. */
  readonly outputs: readonly string[]
  /** Outputs that it named, and of which nobody knows yet who else does. */
  readonly left: readonly string[]
}

/** What a text says is covered by a checkpoint or held by a segment. */
const fingerprints = /"fingerprint":"([0-9a-f]{64})"/g

/**
 * Deletes all that is stored of one conversation. The note that takes the place of its state comes first: from then on no other process can write over the
 * state that it has read, and each finds out that there is nothing to go on with. On a full storage everything but the state is deleted first, to make room for the note.
 *
 * @param held - Fingerprints of what this process holds of it.
 * @throws what a storage throws, a ConflictError where others are always faster; to call it again goes on with what is left.
 */
export async function forget(given: Places, id: string, now: number, held: readonly string[], options: ForgetOptions = {}): Promise<Forgot> {
  const { deadline = 30_000, dryRun = false } = options
  const places = answering(given, deadline)
  const folder = folderOf(id)
  const stateKey = `${folder}state.json`
  const said = new Set(held.filter((mark) => mark !== nothingSaid))
  const named = new Set<string>()
  const keys = new Set<string>()
  let continues: string | undefined
  const learn = (key: string, body: string): void => {
    if (key === stateKey) continues ??= parseState(body)?.continues
    for (const output of outputsIn(body)) named.add(output)
    const isTranscript = /\/transcript\/\d/.test(key)
    if (!isTranscript) for (const [, mark] of body.matchAll(fingerprints)) said.add(mark as string)
  }
  for (const storage of places.storages) {
    for await (const key of storage.list(folder)) {
      const found = await readable(storage, key)
      if (found !== undefined) learn(key, found.body)
      if (key !== stateKey || !isNote(found?.body)) keys.add(key)
    }
  }
  if (!dryRun) {
    const late: (() => Promise<void>)[] = []
    for (const [at, storage] of places.storages.entries()) {
      const note = (): Promise<void> => putNote(storage, stateKey, now, said, learn, at === 0)
      const clear = async (): Promise<void> => {
        for await (const key of storage.list(folder)) if (key !== stateKey) await storage.delete(key)
        // Also where nothing is listed: a storage clears what it has of an unfinished write when it is asked to delete.
        await storage.delete(`${folder}lease.json`)
      }
      const isNoted = await note().then(
        () => true,
        (error: unknown) => {
          if (!isFull(error)) throw error
          return false
        },
      )
      await clear()
      if (!isNoted) late.push(() => note().then(clear))
    }
    // There was no room for the note. The state is left until it gives way to one: without it, nobody would know of the deletion.
    for (const finish of late) await finish()
  }
  const done = { keys: [...keys].sort(), ...(await outputsOf(places, folder, [...named].sort(), deadline, dryRun)) }
  if (continues === undefined) return done
  const before = await forget(given, continues, now, [], options)
  return { keys: done.keys.concat(before.keys), outputs: done.outputs.concat(before.outputs), left: done.left.concat(before.left) }
}

/** The state gives way to the note of its deletion, whatever somebody else writes meanwhile. */
async function putNote(
  storage: StorageDriver,
  key: string,
  now: number,
  said: Set<string>,
  learn: (key: string, body: string) => void,
  isNeeded: boolean,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const found = await readable(storage, key)
    if (found === undefined && !isNeeded) return
    if (found !== undefined) learn(key, found.body)
    const known = found === undefined ? undefined : parseState(found.body)?.forgotten
    for (const mark of known?.said ?? []) said.add(mark)
    // There already, and nothing new to note.
    if (isNote(found?.body) && said.size === known?.said.length) return
    try {
      const body = JSON.stringify(forgottenState(now, [...said]))
      await storage.put(key, body, found !== undefined && found.version === undefined ? {} : { ifVersion: found?.version ?? null })
      return
    } catch (error) {
      if (!ConflictError.isInstance(error) || tries === mostTries) throw error
      await new Promise((resolve) => setTimeout(resolve, tries))
    }
  }
}

/** Writers that may be faster, one after another. */
const mostTries = 100

function isNote(body: string | undefined): boolean {
  const state = body === undefined ? undefined : parseState(body)
  return state !== undefined && isTombstone(state)
}

async function outputsOf(
  places: Places,
  folder: string,
  named: readonly string[],
  deadline: number,
  dryRun: boolean,
): Promise<Pick<Forgot, 'outputs' | 'left'>> {
  if (places.outputs === undefined || named.length === 0) return { outputs: [], left: [] }
  const signal = deadlineSignal(deadline)
  try {
    return { outputs: await places.outputs.gc(storedTexts(places, signal, folder), { forgotten: named, dryRun }), left: [] }
  } catch {
    // Too late, or somebody else's text cannot be read: what it names is not known.
    return { outputs: [], left: named }
  }
}
