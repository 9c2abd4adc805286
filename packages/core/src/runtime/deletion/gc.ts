import { ConflictError, reasonOf } from '../../errors.ts'
import { hashOf } from '../../history/hash.ts'
import { isRecord, parseJson } from '../../history/json.ts'
import { forgottenLife, isTombstone } from '../../state/forgotten.ts'
import { conversationsRoot, segmentText } from '../../state/keys.ts'
import { parseState } from '../../state/parse-state.ts'
import { initialState } from '../../state/state.ts'
import { withWritten, writtenAt } from '../../state/written.ts'
import { aDeadline, aFlag, checkGiven, type ValueRules } from '../given-values.ts'
import { deadlineSignal } from '../platform/deadline-signal.ts'
import type { Used } from '../session/stored/written-state.ts'
import { readable } from '../storage/checked-storage.ts'
import type { StorageDriver } from '../storage/driver.ts'
import { answering } from './answering.ts'
import { isFull, type Places, storedTexts } from './places.ts'
import { day, type RetentionPeriod, retentionTime } from './retention.ts'

/** How far one look through the storage goes. */
export interface GcOptions {
  /** Default: the compactor's. */
  readonly retention?: RetentionPeriod | undefined
  /** Most conversations removed by one call, at least 1. Default 1,000. */
  readonly limit?: number | undefined
  /** Milliseconds that one call takes, about, and that each answer of a storage is waited for, a second at least: it looks at one conversation at least, so that each call gets on. Default 60,000; `Infinity`: without limit. Outputs are looked at in one piece: what does not finish in time is not begun in the next call. */
  readonly deadline?: number | undefined
  /** Where the call before ended: its `next`. Default: from the beginning. */
  readonly from?: string | undefined
  /** Says what would be removed, and changes nothing. Default false. */
  readonly dryRun?: boolean | undefined
  /** What the host itself stores, such as histories or a graph's states: an output that one of these texts names stays, however old it is. */
  readonly texts?: Iterable<string> | AsyncIterable<string> | undefined
}

/** What one look through the storage removed. */
export interface Collected {
  /** Ids of conversations; of an id too long for a key, the name under which it was stored. */
  readonly conversations: readonly string[]
  /** Leases that had ended. */
  readonly leases: number
  /** Notes of conversations that were deleted longer ago than seven days. */
  readonly tombstones: number
  /** Ids of whole outputs that nothing names. */
  readonly outputs: readonly string[]
  /** What could not be looked at or removed, and why. It is tried again the next time. */
  readonly failed: readonly { readonly key: string; readonly reason: string }[]
  /** There is more: pass it as `from`. Absent: all was looked at. */
  readonly next?: string
}

export interface GcParts {
  readonly places: Places
  readonly now: number
  readonly options: GcOptions
  readonly retention: RetentionPeriod
  /** Whether this process uses a conversation, or has since then. */
  readonly isUsed: (segment: string, since: number) => boolean
  /** Lets go of a conversation that is removed. */
  readonly close: (segment: string) => void
}

const isList = (value: unknown): boolean => Object(value) === value && (Symbol.iterator in (value as object) || Symbol.asyncIterator in (value as object))
const rules: ValueRules<GcOptions> = {
  /** `retentionTime` says what it may be. */
  retention: { is: () => true, expected: '' },
  limit: { is: (value) => Number(value) >= 1, expected: 'expected how many conversations one call removes at most, 1 or more' },
  deadline: aDeadline,
  from: { is: (value) => typeof value === 'string', expected: 'expected the `next` of the call before' },
  dryRun: aFlag,
  texts: { is: isList, expected: 'expected a list of texts' },
}

/** A number: of leases. */
type Removed = 'conversation' | 'tombstone' | number | undefined

/** Cursor of the look at outputs, which comes last. */
const atOutputs = 'outputs'

/** Removes what was not used for longer than `retention`. @throws InvalidConfigurationError */
export async function gc(parts: GcParts): Promise<Collected> {
  const { now, options, close } = parts
  checkGiven('gc', options, rules, { days: `retention: { days: ${Object(options).days} }` })
  const { limit = 1_000, deadline = 60_000, from, dryRun = false, texts = [] } = options
  const places = answering(parts.places, deadline)
  const life = retentionTime(options.retention ?? parts.retention)
  const signal = deadlineSignal(deadline)
  const conversations: string[] = []
  const failed: { key: string; reason: string }[] = []
  let [leases, tombstones, looked] = [0, 0, 0]
  const done = (outputs: readonly string[], next?: string): Collected => {
    return { conversations, leases, tombstones, outputs, failed, ...(next !== undefined && { next }) }
  }
  for (const [at, storage] of from === atOutputs ? [] : places.storages.entries()) {
    for await (const { segment, keys } of foldersOf(storage)) {
      const cursor = `${at}/${segment}/`
      if (from !== undefined && cursor < from) continue
      // The way to where it goes on may take all the time there is: one conversation is looked at all the same.
      if (looked++ > 0 && (signal.aborted || conversations.length >= limit)) return done([], cursor)
      try {
        const removed = await removedOf({ ...parts, places }, { life, dryRun, at, segment, keys })
        if (removed === 'conversation') {
          if (!dryRun) close(segment)
          conversations.push(segmentText(segment) ?? segment)
        } else if (removed === 'tombstone') tombstones++
        else leases += removed ?? 0
      } catch (error) {
        failed.push({ key: `${conversationsRoot}${segment}/`, reason: reasonOf(error) })
      }
    }
  }
  if (places.outputs === undefined || life === Infinity) return done([])
  if (signal.aborted && from !== atOutputs) return done([], atOutputs)
  try {
    const reachable = both(storedTexts(places, signal), texts)
    const told = (key: string, error: unknown): unknown => failed.push({ key, reason: reasonOf(error) })
    const outputs = await places.outputs.gc(reachable, { storedBefore: now - life, dryRun, failed: told, signal })
    return done(outputs, signal.aborted && outputs.length > 0 ? atOutputs : undefined)
  } catch (error) {
    // A text that cannot be read may name any of them.
    if (!signal.aborted) failed.push({ key: 'outputs/', reason: reasonOf(error) })
    else if (from !== atOutputs) return done([], atOutputs)
    else failed.push({ key: 'outputs/', reason: `not everything could be read within ${deadline} ms (deadline)` })
    return done([])
  }
}

interface Folder {
  readonly segment: string
  readonly keys: readonly string[]
}

/** One conversation's keys after another's. */
async function* foldersOf(storage: StorageDriver): AsyncGenerator<Folder> {
  let open: { segment: string; keys: string[] } | undefined
  for await (const key of storage.list(conversationsRoot)) {
    const segment = key.slice(conversationsRoot.length).split('/', 1)[0] as string
    if (open?.segment !== segment) {
      if (open !== undefined) yield open
      open = { segment, keys: [] }
    }
    open.keys.push(key)
  }
  if (open !== undefined) yield open
}

interface Look extends Folder {
  /** Milliseconds. */
  readonly life: number
  readonly dryRun: boolean
  /** Number of the storage in whose list it was found. */
  readonly at: number
}

/** Looks at one conversation in all places, and removes it when it is time. */
async function removedOf({ places: { storages }, now, isUsed }: GcParts, { life, dryRun, at, segment, keys }: Look): Promise<Removed> {
  const [storage] = storages
  const folder = `${conversationsRoot}${segment}/`
  const [stateKey, usedKey] = [`${folder}state.json`, `${folder}used.json`]
  const stored: (readonly string[])[] = []
  for (const [place, one] of storages.entries()) stored.push(place === at ? keys : await keysUnder(one, folder))
  // It was looked at with the list before.
  if (stored.slice(0, at).some((before) => before.length > 0)) return undefined
  const has = (key: string): boolean => stored[0]?.includes(key) === true

  const found = has(stateKey) ? await readable(storage, stateKey) : undefined
  const state = found === undefined ? undefined : parseState(found.body)
  const remove = async (since: number): Promise<boolean> => {
    if (dryRun) return true
    const taken = await takenAway(storage, stateKey, found?.version, since).catch(async (error: unknown) => {
      // No room for the empty state, nor for what others might write: what is still as it was read goes without.
      if (isFull(error)) return (await readable(storage, stateKey))?.version === found?.version ? found?.version : undefined
      throw error
    })
    if (taken === undefined) return false
    for (const [place, own] of stored.entries()) {
      for (const key of own) if (place > 0 || (key !== stateKey && key !== usedKey)) await (storages[place] as StorageDriver).delete(key)
    }
    if (has(usedKey)) await storage.delete(usedKey)
    // Somebody may have begun anew.
    if (has(stateKey) && (found?.version === undefined || (await readable(storage, stateKey))?.version === taken)) await storage.delete(stateKey)
    return true
  }

  if (state !== undefined && isTombstone(state)) {
    const since = state.forgotten?.at ?? 0
    return now - since >= forgottenLife && (await remove(since)) ? 'tombstone' : undefined
  }
  const others = stored.flat().filter((key) => key !== usedKey)
  const of = found?.version ?? hashOf(others.join('\n'))
  const written = state === undefined ? undefined : writtenAt(state)
  // Whoever encrypts a state anew, or copies it, gives it another version: where it says itself when it was written, that decides.
  const used = has(usedKey) ? usedIn((await readable(storage, usedKey))?.body ?? '', written === undefined ? of : undefined) : undefined
  const times = [written, used].filter((time) => time !== undefined)
  if (times.length === 0) {
    // Nobody knows how old it is: as old as this look.
    if (!dryRun) await storage.put(usedKey, JSON.stringify({ at: now, of } satisfies Used))
    return undefined
  }
  const last = Math.max(...times)
  if (now - last >= life && !isUsed(segment, now - life)) return (await remove(last)) ? (others.length > 0 ? 'conversation' : undefined) : undefined
  let leases = 0
  for (const key of stored[0] ?? []) {
    // Whoever used it within a day may be about to take the lease again. Of conversations that begin alike each has its own.
    if (!/\/lease(?:-\w+)?\.json$/.test(key) || (now - last < day && key.endsWith('/lease.json'))) continue
    if (!isEnded((await readable(storage, key))?.body ?? '', now)) continue
    if (!dryRun) await storage.delete(key)
    leases++
  }
  return leases
}

/**
 * Puts an empty state of the same age where a state was read, so that nobody writes over it unnoticed while the rest is deleted.
 * @returns its version; null where there was no state; undefined when somebody else has written meanwhile.
 */
async function takenAway(storage: StorageDriver, key: string, ifVersion: string | undefined, since: number): Promise<string | null | undefined> {
  if (ifVersion === undefined) return null
  try {
    return (await storage.put(key, JSON.stringify(withWritten(initialState, since)), { ifVersion })).version
  } catch (error) {
    if (ConflictError.isInstance(error)) return undefined
    throw error
  }
}

async function keysUnder(storage: StorageDriver, folder: string): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const key of storage.list(folder)) keys.push(key)
  return keys
}

/** When a conversation was used. @param now What must be there still for that to count; undefined: whatever is. */
function usedIn(body: string, now?: string): number | undefined {
  const { at, of }: { readonly [Name in keyof Used]: unknown } = Object(parseJson(body))
  return typeof at === 'number' && (of === undefined || now === undefined || of === now) ? at : undefined
}

/** A lease that was given back, or whose time is over; what does not read as one is none. */
function isEnded(body: string, now: number): boolean {
  const value = parseJson(body)
  return !isRecord(value) || typeof value['until'] !== 'number' || value['until'] < now
}

async function* both(first: AsyncIterable<string>, second: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  yield* first
  yield* second
}
