import type { MessageCodec } from '../../history/codec.ts'
import { isObject, parseJson } from '../../history/json.ts'
import { memoized } from '../../history/memoize.ts'
import type { Message } from '../../history/message.ts'
import type { Checkpoint } from '../../state/checkpoint.ts'
import { isTombstone } from '../../state/forgotten.ts'
import { conversationsRoot, folderOf, keySegment, segmentText } from '../../state/keys.ts'
import { parseState } from '../../state/parse-state.ts'
import { writtenAt } from '../../state/written.ts'
import type { CompactionEvent } from '../telemetry/events.ts'
import { type ArchiveRepair, readTranscript, repairIndex } from './archive-index.ts'
import { type ArchiveRedaction, archiveText, type RecordPlace } from './archive-text.ts'
import type { ArchivedCheckpoint, ArchivedSession } from './archived.ts'
import type { StorageDriver } from './driver.ts'

/** What becomes of an id that is too long for a key: its beginning, and its hash. */
const shortened = /^[\w%-]*~[\da-f]{16}$/

/** Where a session is on record: by its id, or by the name that `sessions` gives where only a hash of the id is left. For whoever looks after the archive: what a model or a user is shown goes by the id alone, since ids may look like such names. */
async function placeOf(driver: StorageDriver, session: string): Promise<string> {
  const folder = folderOf(session)
  if (!shortened.test(session)) return folder
  for await (const _ of driver.list(folder)) return folder
  return `${conversationsRoot}${session}/`
}

/** Their ids, or the names under which they are stored. */
export async function* sessionsOnRecord(driver: StorageDriver): AsyncGenerator<string> {
  for await (const segment of segmentsOnRecord(driver)) yield segmentText(segment) ?? segment
}

/** Segments of keys that have something on record, sorted. */
async function* segmentsOnRecord(driver: StorageDriver): AsyncGenerator<string> {
  let last: string | undefined
  for await (const key of driver.list(conversationsRoot)) {
    const [segment = '', part = ''] = key.slice(conversationsRoot.length).split('/', 2)
    // States, leases and the notes of deletions are no record.
    if (part !== 'transcript' && part !== 'checkpoints' && part !== 'events') continue
    if (segment !== last) yield segment
    last = segment
  }
}

/** What is on record of one session, as far as it can be read. */
export async function readRecord<M>(driver: StorageDriver, session: string): Promise<ArchivedSession<M>> {
  const folder = await placeOf(driver, session)
  const { messages, damaged: lost } = await readTranscript<M>(driver, `${folder}transcript/`)
  const damaged = new Set(lost)
  /** One value of a body, or its key among the damaged. */
  const readable = (key: string, body: string): Readonly<Record<string, unknown>> | undefined => {
    const value = parseJson(body)
    if (isObject(value)) return value as Readonly<Record<string, unknown>>
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
  return cleared(driver, await placeOf(driver, session))
}

/** Deletes a record, and nothing that a compactor keeps beside it. */
async function cleared(driver: StorageDriver, folder: string): Promise<readonly string[]> {
  const gone: string[] = []
  for (const part of ['transcript/', 'checkpoints/', 'events/']) {
    for await (const key of driver.list(`${folder}${part}`)) {
      await driver.delete(key)
      gone.push(key)
    }
  }
  return gone
}

/** Deletes what is older of every session, and the whole record of those with nothing newer that nobody used since. */
export async function pruneRecords(driver: StorageDriver, before: number): Promise<readonly string[]> {
  const gone: string[] = []
  const remove = async (key: string): Promise<void> => {
    await driver.delete(key)
    gone.push(key)
  }
  for await (const segment of segmentsOnRecord(driver)) {
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
    if (newest > 0 && newest < before && (await usedAt(driver, folder)) < before) gone.push(...(await cleared(driver, folder)))
  }
  return gone
}

/** When a conversation was used last, by what a compactor keeps beside its record: milliseconds since 1970, 0 where nothing says so. */
async function usedAt(driver: StorageDriver, folder: string): Promise<number> {
  const stored = await driver.get(`${folder}state.json`)
  const state = stored === undefined ? undefined : parseState(stored.body)
  const { at } = Object(parseJson((await driver.get(`${folder}used.json`))?.body ?? '')) as { readonly at?: unknown }
  return Math.max((state && writtenAt(state)) ?? 0, typeof at === 'number' ? at : 0)
}

/** The messages on record of this id and of no name. */
export async function recordedMessages<M>(driver: StorageDriver, session: string, codec: Pick<MessageCodec<M>, 'read'>): Promise<readonly Message[]> {
  return (await readTranscript<M>(driver, `${folderOf(session)}transcript/`)).messages.map((message) => codec.read(message))
}

/** Every text on record. */
export async function* textsOnRecord(driver: StorageDriver): AsyncGenerator<string> {
  for await (const { body } of bodies(driver, conversationsRoot)) yield body
}

async function* bodies(driver: StorageDriver, prefix: string): AsyncGenerator<{ readonly key: string; readonly body: string }> {
  for await (const key of driver.list(prefix)) {
    const found = await driver.get(key)
    if (found !== undefined) yield { key, body: found.body }
  }
}

/** Puts one compaction on record. */
export async function saveCheckpoint(place: RecordPlace, session: string, checkpoint: Checkpoint, at: number, redact?: ArchiveRedaction): Promise<void> {
  const text = archiveText(place, { ...checkpoint, at } satisfies ArchivedCheckpoint, redact)
  await place.driver.put(`${folderOf(session)}checkpoints/${String(checkpoint.version).padStart(6, '0')}-${keySegment(checkpoint.id)}.json`, text)
}

/** Tells events of this process from those that another writes in the same millisecond. */
let writer: string | undefined
let batches = 0

/** Puts events on record, those of each session as one batch. */
export async function saveEvents(place: RecordPlace, events: readonly CompactionEvent[]): Promise<void> {
  const { driver } = place
  writer ??= crypto.randomUUID().slice(0, 8)
  const bySession = new Map<string, CompactionEvent[]>()
  for (const event of events) memoized(bySession, event.session_id, (): CompactionEvent[] => []).push(event)
  for (const [session, own] of bySession) {
    if (await isDeleted(driver, session)) continue
    const time = Date.parse(String(own[0]?.ts)) || 0
    const lines = own.map((event) => archiveText(place, event))
    await driver.put(`${folderOf(session)}events/${time}-${String(++batches).padStart(6, '0')}-${writer}.jsonl`, lines.join('\n'))
  }
}

/** Whether a session was deleted, and nothing was stored of it since: events of a process that goes on with it are not put on record. */
async function isDeleted(driver: StorageDriver, session: string): Promise<boolean> {
  const state = parseState((await driver.get(`${folderOf(session)}state.json`))?.body ?? '')
  return state !== undefined && isTombstone(state)
}
