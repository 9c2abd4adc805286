import {
  type Archive,
  type ArchivedSession,
  type ArchiveRepair,
  createArchive,
  createCompactor,
  neutralCodec,
  type RetentionPeriod,
  type StorageDriver,
} from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { inPlaceOf, undoInPlace } from './compacted-in-place.ts'
import { parseTranscripts, type Transcript } from './transcript.ts'
import { TranscriptError } from './transcript-error.ts'

/** Where sessions are on record: a folder, or the storage that a configuration names (encrypted ones and S3 too). */
export interface ArchivePlace {
  readonly root?: string
  readonly config?: string
}

/** One line about one session. */
export interface ListedSession {
  readonly session: string
  readonly messages: number
  readonly compactions: number
  /** ISO 8601; null where nothing was compacted. */
  readonly last: string | null
  /** The file that `compact --in-place` replaced last; absent where there was none. */
  readonly file?: string
}

export interface OpenedArchive {
  readonly storage: StorageDriver
  readonly archive: Archive<unknown>
  /** Absent: as usual. */
  readonly retention?: RetentionPeriod
}

/** Packages of storages are loaded here and not before: the other commands start without them. @throws TranscriptError */
export async function openArchive({ root, config }: ArchivePlace): Promise<OpenedArchive> {
  if (config === undefined) {
    const { fsStorage } = await import('@precis/storage-fs')
    const storage = fsStorage({ root: root ?? '.precis' })
    return { storage, archive: createArchive<unknown>(storage, { redact: createRedactor() }) }
  }
  const { loadConfig } = await import('@precis/config')
  const { storage, redact, retention } = await loadConfig({ path: config })
  if (storage === undefined) throw new TranscriptError(`${config} names no storage. Add one: storage: { adapter: fs, path: ./.precis }.`)
  return { storage, archive: createArchive<unknown>(storage, { redact }), ...(retention !== undefined && { retention }) }
}

export async function listSessions(place: ArchivePlace): Promise<readonly ListedSession[]> {
  const { archive, storage } = await openArchive(place)
  const listed: ListedSession[] = []
  for await (const session of archive.sessions()) {
    const { messages, checkpoints } = await archive.read(session)
    const replaced = await inPlaceOf(storage, session)
    const at = Math.max(checkpoints.at(-1)?.at ?? 0, replaced.at(-1)?.at ?? 0)
    const file = replaced.at(-1)?.file
    const compactions = checkpoints.length + replaced.length
    listed.push({ session, messages: messages.length, compactions, last: at === 0 ? null : new Date(at).toISOString(), ...(file !== undefined && { file }) })
  }
  return listed
}

/** The transcript as it was before anything left the context. @throws TranscriptError */
export async function restoreSession(session: string, place: ArchivePlace): Promise<readonly unknown[]> {
  return (await recorded(session, await openArchive(place))).messages
}

/** What the model's own `recall_history` would show. @throws TranscriptError */
export async function recallFrom(
  session: string,
  place: ArchivePlace,
  input: { readonly query?: string; readonly offset?: number; readonly limit?: number },
): Promise<string> {
  const open = await openArchive(place)
  const [transcript] = parseTranscripts(JSON.stringify((await recorded(session, open)).messages), session) as [Transcript]
  // What we cannot write back is read as neutral messages, one for one or more: the tool reads what is shown here.
  const shown: Pick<Archive<unknown>, 'read'> = { read: async () => ({ messages: transcript.messages, checkpoints: [], events: [] }) }
  return { ...open.archive, ...shown }.recallTool(session, transcript.codec).execute(input)
}

/** Makes a damaged index of a session's transcript anew. Deletes nothing. @throws TranscriptError */
export async function repairSession(session: string, place: ArchivePlace): Promise<ArchiveRepair> {
  const open = await openArchive(place)
  const done = await open.archive.repair(session)
  if (done.messages === 0 && done.damaged.length === 0) await recorded(session, open) // says what is known instead
  return done
}

export interface Rewound {
  readonly forgotten: number
  /** The one that is newest now. */
  readonly newest: string | null
  /** The file that was put back as it was before `compact --in-place`. */
  readonly file?: string
}

/** Forgets the newest compaction, or the named one and all after it; one in place is undone in its file. @throws TranscriptError */
export async function rewindSession(session: string, place: ArchivePlace, checkpoint?: string): Promise<Rewound> {
  const { storage, archive } = await openArchive(place)
  const own = createCompactor({ codec: neutralCodec, storage }).session(session)
  await own.view([])
  const before = own.state().checkpoints
  const replaced = checkpoint === undefined ? (await inPlaceOf(storage, session)).at(-1) : undefined
  if (replaced !== undefined && replaced.at >= ((await archive.read(session)).checkpoints.at(-1)?.at ?? 0)) {
    const { file } = await undoInPlace(storage, session)
    return { forgotten: 1, newest: before.at(-1)?.id ?? null, file }
  }
  if (before.length === 0) throw new TranscriptError(`Nothing is compacted in "${session}", so there is nothing to forget.`)
  if (checkpoint !== undefined && !before.some((one) => one.id === checkpoint))
    throw new TranscriptError(`"${session}" has no compaction "${checkpoint}".`, { hint: `It has: ${before.map((one) => one.id).join(', ')}.` })
  await own.rewind(checkpoint)
  const after = own.state().checkpoints
  return { forgotten: before.length - after.length, newest: after.at(-1)?.id ?? null }
}

async function recorded(session: string, { archive }: OpenedArchive): Promise<ArchivedSession<unknown>> {
  const found = await archive.read(session)
  if (found.messages.length > 0) return found
  const known: string[] = []
  for await (const id of archive.sessions()) if (known.push(id) >= 10) break
  throw new TranscriptError(
    `Nothing is on record under "${session}". ${known.length === 0 ? 'The archive is empty: is this the right place (--root, --config)?' : `Known: ${known.join(', ')}.`}`,
  )
}
