import { ConflictError } from '../../errors.ts'
import { parseJson } from '../../history/json.ts'
import { readable } from './checked-storage.ts'
import type { StorageDriver } from './driver.ts'
import { type Manifest, manifestKey, type OutputGcOptions, outputsRoot } from './output-store.ts'

/** What `gc` itself notes of an output. */
const noteKey = (id: string): string => `${outputsRoot}${id}/gc.json`

/** `firstLook`: when an output without a time was first seen. `forgotten`: when what needed it was deleted. Milliseconds since 1970. */
interface Note {
  readonly firstLook?: number
  readonly forgotten?: number
}

/** Ids of stored outputs that a text names. */
export function outputsIn(text: string): readonly string[] {
  return text.match(/out-[0-9a-f]{16}/g) ?? []
}

/** What may be deleted if nobody names it, and the version of its manifest by which a store of it meanwhile is seen. */
interface Candidate {
  readonly keys: readonly string[]
  readonly version: string | undefined
}

/** The work of `ToolOutputStore.gc`. @param gone - Is told of each id before it is deleted. */
export async function collectOutputs(
  driver: StorageDriver,
  reachable: Iterable<string> | AsyncIterable<string>,
  gone: (id: string) => void,
  options: OutputGcOptions = {},
): Promise<readonly string[]> {
  const { forgotten, dryRun = false, signal } = options
  const candidates = await candidatesOf(driver, options)
  if (candidates.size === 0) return []
  try {
    for await (const text of reachable) {
      for (const id of outputsIn(text)) candidates.delete(id)
      if (candidates.size === 0) return []
    }
  } catch (error) {
    const note = JSON.stringify({ forgotten: Date.now() } satisfies Note)
    if (forgotten !== undefined && !dryRun)
      for (const id of candidates.keys()) await driver.put(noteKey(id), note).catch((cause: unknown) => options.failed?.(noteKey(id), cause))
    throw error
  }
  if (dryRun) return [...candidates.keys()]
  const deleted: string[] = []
  for (const [id, { keys, version }] of candidates) {
    if (signal?.aborted === true) break
    // Somebody has stored it again while the texts were read: what names it may not be stored yet.
    if ((await versionOf(driver, id)) !== version) continue
    gone(id)
    // The manifest goes first: what is half deleted counts as not there.
    await driver.delete(manifestKey(id))
    for (const key of keys) await driver.delete(key)
    deleted.push(id)
  }
  return deleted
}

/** Outputs that are looked at at once. */
const atOnce = 16

async function candidatesOf(driver: StorageDriver, options: OutputGcOptions): Promise<Map<string, Candidate>> {
  const found = new Map<string, string[]>()
  for (const prefix of options.forgotten?.map((id) => `${outputsRoot}${id}/`) ?? [outputsRoot]) {
    for await (const key of driver.list(prefix)) {
      const id = key.slice(outputsRoot.length).split('/', 1)[0] as string
      found.set(id, [...(found.get(id) ?? []), key])
    }
  }
  const all = [...found]
  const candidates = new Map<string, Candidate>()
  for (let from = 0; from < all.length; from += atOnce) {
    options.signal?.throwIfAborted()
    const some = all.slice(from, from + atOnce)
    const looked = await Promise.all(some.map(([id, keys]) => candidateOf(driver, id, keys, options)))
    for (const [at, [id]] of some.entries()) if (looked[at] !== undefined) candidates.set(id, looked[at])
  }
  return candidates
}

async function candidateOf(
  driver: StorageDriver,
  id: string,
  keys: readonly string[],
  { storedBefore, forgotten, failed, dryRun = false }: OutputGcOptions,
): Promise<Candidate | undefined> {
  const read = async (key: string): Promise<{ readonly version?: string; readonly fields: Readonly<Record<string, unknown>> }> => {
    const one = keys.includes(key) ? await readable(driver, key) : undefined
    return { ...one, fields: Object(parseJson(one?.body ?? '')) as Readonly<Record<string, unknown>> }
  }
  const { fields: manifest, version } = await read(manifestKey(id))
  const { at } = manifest
  if (storedBefore !== undefined && forgotten === undefined) {
    const { fields: note } = (await read(noteKey(id))) as { readonly fields: { readonly [Name in keyof Note]: unknown } }
    const isDue = typeof note.forgotten === 'number' && !(typeof at === 'number' && at > note.forgotten)
    const stored = typeof at === 'number' ? at : note.firstLook
    if (!isDue && typeof stored !== 'number' && !dryRun) {
      const note = JSON.stringify({ firstLook: Date.now() } satisfies Note)
      await driver.put(noteKey(id), note).catch((error: unknown) => failed?.(noteKey(id), error))
    }
    if (!isDue && (typeof stored !== 'number' || stored >= storedBefore)) return undefined
  }
  const isLeft = dryRun || !(typeof at === 'number' && Date.now() - at <= day)
  const marked = isLeft ? version : await leavingVersion(driver, manifest as unknown as Manifest, version)
  return marked === null ? undefined : { keys, version: marked }
}

/** Milliseconds within which whoever stores an output again says so only where it is marked. */
const day = 86_400_000

/** Marks an output as one that is about to be deleted. @returns the version to look for; null where somebody has just stored it again. */
async function leavingVersion(driver: StorageDriver, manifest: Manifest, version: string | undefined): Promise<string | undefined | null> {
  if (version === undefined) return version
  try {
    return (await driver.put(manifestKey(manifest.id), JSON.stringify({ ...manifest, leaving: true } satisfies Manifest), { ifVersion: version })).version
  } catch (error) {
    // No room for the mark, nor for what others might store.
    return ConflictError.isInstance(error) ? null : version
  }
}

/** What cannot be read, since its key is lost, has no version. */
async function versionOf(driver: StorageDriver, id: string): Promise<string | undefined> {
  return (await readable(driver, manifestKey(id)))?.version
}
