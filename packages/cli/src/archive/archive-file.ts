import type { Message, StorageDriver } from '@precis/core'
import { parseTranscripts, type Transcript } from '../transcripts/transcript.ts'
import { type InPlace, inPlaceOf, notesOf, sha256, type Values } from './compacted-in-place.ts'
import type { OpenedArchive } from './open-archive.ts'
import { earlierSessionOf, sessionOfFile } from './session-of-file.ts'

/** Where the conversation of a file belongs, and what stands there then. */
export interface RecordOfFile {
  readonly session: string
  readonly source: readonly unknown[]
  readonly readings: readonly Message[]
  /** What the file has. */
  readonly was: Values
}

export const valuesSeen = (values: readonly unknown[]): Values => ({ count: values.length, sha256: sha256(JSON.stringify(values)) })

const beginsWith = (values: readonly unknown[], seen: Values): boolean => valuesSeen(values.slice(0, seen.count)).sha256 === seen.sha256

/**
 * The record of a file's conversation. One that was compacted in place and went on stands there as it was before, with what came since; another conversation in
 * the same file gets a record of its own.
 */
export async function recordFor({ archive, storage }: OpenedArchive, file: string, transcript: Transcript): Promise<RecordOfFile> {
  const first = (await earlierSessionOf(storage, file)) ?? sessionOfFile(file)
  const values = transcript.write(transcript.messages)
  for (let times = 1; ; times++) {
    const session = times === 1 ? first : `${first}-${times}`
    const last = (await inPlaceOf(storage, session)).at(-1)
    const before =
      last === undefined ? await notReplaced(storage, session, values) : await asItWas(last, values, async () => (await archive.read(session)).messages)
    if (before === undefined) continue
    return { session, ...joined(before, transcript, last?.values?.count ?? 0), was: valuesSeen(values) }
  }
}

/** Nothing came before what the file has; undefined where another conversation is on record, which was archived but not compacted. */
async function notReplaced(storage: StorageDriver, session: string, values: readonly unknown[]): Promise<readonly unknown[] | undefined> {
  const was = (await notesOf(storage, session)).at(-1)?.was
  return was === undefined || beginsWith(values, was) ? [] : undefined
}

/** What was on record when the file was compacted; undefined where its beginning is not what the compaction left. */
async function asItWas(
  { values: left, archived }: InPlace,
  values: readonly unknown[],
  read: () => Promise<readonly unknown[]>,
): Promise<readonly unknown[] | undefined> {
  if (left === undefined || archived === undefined || !beginsWith(values, left)) return undefined
  const messages = await read()
  return messages.length < archived ? undefined : messages.slice(0, archived)
}

/** One conversation of what was on record and what the file has after its first values: as the file has them, where that is one for one. */
function joined(before: readonly unknown[], transcript: Transcript, count: number) {
  const parsed = (values: readonly unknown[]): Transcript | undefined =>
    values.length === 0 ? undefined : parseTranscripts(JSON.stringify(values), transcript.name)[0]
  const read = (one: Transcript | undefined) => (one?.messages ?? []).map((message) => (one as Transcript).codec.read(message))
  const values = transcript.write(transcript.messages)
  const from = parsed(values.slice(0, count))?.messages.length ?? 0
  const [old, since] = [parsed(before), transcript.messages.slice(from).map((message) => transcript.codec.read(message))]
  const readings = [...read(old), ...since]
  const isSame = old === undefined || (old.format === transcript.format && old.messages.length === before.length)
  const isOneForOne = isSame && values.length - count === since.length
  return { source: isOneForOne ? [...before, ...values.slice(count)] : readings, readings }
}
