import { parseJson } from '../../history/json.ts'
import type { StorageDriver } from './driver.ts'
import type { OutputGcOptions } from './output-store.ts'

export const outputsRoot = 'outputs/'
export const manifestKey = (id: string): string => `${outputsRoot}${id}/manifest.json`
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

/** The work of `ToolOutputStore.gc`. @param gone - Is told of each id before it is deleted. */
export async function collectOutputs(
  driver: StorageDriver,
  reachable: Iterable<string> | AsyncIterable<string>,
  gone: (id: string) => void,
  options: OutputGcOptions = {},
): Promise<readonly string[]> {
  const { forgotten, dryRun = false } = options
  const candidates = await candidatesOf(driver, options)
  if (candidates.size === 0) return []
  try {
    for await (const text of reachable) {
      for (const id of outputsIn(text)) candidates.delete(id)
      if (candidates.size === 0) return []
    }
  } catch (error) {
    const note = JSON.stringify({ forgotten: Date.now() } satisfies Note)
    if (forgotten !== undefined && !dryRun) for (const id of candidates.keys()) await driver.put(noteKey(id), note)
    throw error
  }
  if (dryRun) return [...candidates.keys()]
  for (const [id, keys] of candidates) {
    gone(id)
    // The manifest goes first: what is half deleted counts as not there.
    await driver.delete(manifestKey(id))
    for (const key of keys) await driver.delete(key)
  }
  return [...candidates.keys()]
}

/** Keys by id, of what may be deleted if nobody names it. */
async function candidatesOf(driver: StorageDriver, { storedBefore, forgotten, dryRun = false }: OutputGcOptions): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (const prefix of forgotten?.map((id) => `${outputsRoot}${id}/`) ?? [outputsRoot]) {
    for await (const key of driver.list(prefix)) {
      const id = key.slice(outputsRoot.length).split('/', 1)[0] as string
      found.set(id, [...(found.get(id) ?? []), key])
    }
  }
  if (storedBefore === undefined || forgotten !== undefined) return found
  for (const [id, keys] of found) {
    const times = async (key: string): Promise<Readonly<Record<string, unknown>>> =>
      keys.includes(key) ? (Object(parseJson((await driver.get(key))?.body ?? '')) as Readonly<Record<string, unknown>>) : {}
    const { at } = await times(manifestKey(id))
    const note: { readonly [Name in keyof Note]: unknown } = await times(noteKey(id))
    const isDue = typeof note.forgotten === 'number' && !(typeof at === 'number' && at > note.forgotten)
    if (isDue) continue
    const stored = typeof at === 'number' ? at : note.firstLook
    if (typeof stored !== 'number' && !dryRun) await driver.put(noteKey(id), JSON.stringify({ firstLook: Date.now() } satisfies Note))
    if (typeof stored !== 'number' || stored >= storedBefore) found.delete(id)
  }
  return found
}
