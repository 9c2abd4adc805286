import { parseJson } from '../../history/json.ts'
import { conversationsRoot, folderOf } from '../../state/keys.ts'
import type { CompactionEvent } from '../telemetry/events.ts'
import { type ArchiveRepair, readTranscript, repairIndex } from './archive-index.ts'
import type { ArchivedCheckpoint, ArchivedSession } from './archived.ts'
import type { StorageDriver } from './driver.ts'

/** What becomes of an id that is too long for a key: its beginning, and its hash. */
const shortened = /^[\w%-]*~[\da-f]{16}$/

/** Where a session is on record: by its id, or by the name that `sessions` gives where only a hash of the id is left. */
async function placeOf(driver: StorageDriver, session: string): Promise<string> {
  const folder = folderOf(session)
  if (!shortened.test(session)) return folder
  for await (const _ of driver.list(folder)) return folder
  return `${conversationsRoot}${session}/`
}

/** What is on record of one session, as far as it can be read. */
export async function readRecord<M>(driver: StorageDriver, session: string): Promise<ArchivedSession<M>> {
  const folder = await placeOf(driver, session)
  const { messages, damaged: lost } = await readTranscript<M>(driver, `${folder}transcript/`)
  const damaged = new Set(lost)
  /** One value of a body, or its key among the damaged. */
  const readable = (key: string, body: string): Readonly<Record<string, unknown>> | undefined => {
    const value = parseJson(body)
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
    damaged.add(key)
    return undefined
  }
  const checkpoints: ArchivedCheckpoint[] = []
  for await (const { key, body } of bodies(driver, `${folder}checkpoints/`)) {
    const checkpoint = readable(key, body)
    if (checkpoint !== undefined) checkpoints.push(checkpoint as unknown as ArchivedCheckpoint)
  }
  const events: CompactionEvent[] = []
  for await (const { key, body } of bodies(driver, `${folder}events/`)) {
    for (const line of body.split('\n')) {
      const event = line === '' ? undefined : readable(key, line)
      if (event !== undefined) events.push(event as unknown as CompactionEvent)
    }
  }
  return { messages, checkpoints: checkpoints.sort((a, b) => a.at - b.at), events, ...(damaged.size > 0 && { damaged: [...damaged] }) }
}

export async function repairRecord(driver: StorageDriver, session: string): Promise<ArchiveRepair> {
  return repairIndex(driver, `${await placeOf(driver, session)}transcript/`)
}

export async function forgetRecord(driver: StorageDriver, session: string): Promise<readonly string[]> {
  const gone: string[] = []
  const folder = await placeOf(driver, session)
  for (const part of ['transcript/', 'checkpoints/', 'events/']) {
    for await (const key of driver.list(`${folder}${part}`)) {
      await driver.delete(key)
      gone.push(key)
    }
  }
  return gone
}

/** Deletes what is older under these segments of keys, and all of those with nothing newer. */
export async function pruneRecords(driver: StorageDriver, segments: AsyncIterable<string>, before: number): Promise<readonly string[]> {
  const gone: string[] = []
  const remove = async (key: string): Promise<void> => {
    await driver.delete(key)
    gone.push(key)
  }
  for await (const segment of segments) {
    const folder = `${conversationsRoot}${segment}/`
    let newest = 0
    const old: string[] = []
    for await (const key of driver.list(`${folder}checkpoints/`)) {
      // What cannot be read has no age: it stays.
      const { at } = Object(parseJson((await driver.get(key))?.body ?? '')) as { readonly at?: unknown }
      if (typeof at !== 'number') continue
      newest = Math.max(newest, at)
      if (at < before) old.push(key)
    }
    for await (const key of driver.list(`${folder}events/`)) {
      const at = Number(key.slice(key.lastIndexOf('/') + 1).split('-', 1)[0])
      newest = Math.max(newest, at)
      if (at < before) old.push(key)
    }
    for (const key of old) await remove(key)
    if (newest > 0 && newest < before) for await (const key of driver.list(folder)) await remove(key)
  }
  return gone
}

export async function* bodies(driver: StorageDriver, prefix: string): AsyncGenerator<{ readonly key: string; readonly body: string }> {
  for await (const key of driver.list(prefix)) {
    const found = await driver.get(key)
    if (found !== undefined) yield { key, body: found.body }
  }
}
