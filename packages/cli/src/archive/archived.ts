import {
  type Archive,
  type ArchivedSession,
  type ArchiveRepair,
  createArchive,
  createCompactor,
  keySegment,
  memoryStorage,
  neutralCodec,
  parseState,
  type StorageDriver,
} from '@precis/core'
import { plain } from '../look/plain.ts'
import { parseTranscripts, type Transcript } from '../transcripts/transcript.ts'
import { TranscriptError } from '../transcripts/transcript-error.ts'
import { inPlaceOf, undoInPlace } from './compacted-in-place.ts'
import { type ArchivePlace, existing, type OpenedArchive, withArchive } from './open-archive.ts'
import { isStored, sessionMeant } from './session-of-file.ts'

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

export function listSessions(place: ArchivePlace): Promise<readonly ListedSession[]> {
  return withArchive(place, async (open) => {
    const { archive, storage } = await existing(open)
    const listed: ListedSession[] = []
    for await (const session of archive.sessions()) {
      const { messages, checkpoints: all } = await archive.read(session)
      const undone = await rewoundOf(storage, session)
      const checkpoints = all.filter(({ id }) => !undone.has(id))
      const replaced = await inPlaceOf(storage, session)
      const at = Math.max(checkpoints.at(-1)?.at ?? 0, replaced.at(-1)?.at ?? 0)
      const file = replaced.at(-1)?.file
      const compactions = checkpoints.length + replaced.length
      listed.push({ session, messages: messages.length, compactions, last: at === 0 ? null : new Date(at).toISOString(), ...(file !== undefined && { file }) })
    }
    return listed
  })
}

/** Compactions that were taken back: an archive keeps them. */
async function rewoundOf(storage: StorageDriver, session: string): Promise<ReadonlySet<string>> {
  const stored = await storage.get(`sessions/${keySegment(session)}/state.json`)
  return new Set(stored === undefined ? [] : parseState(stored.body)?.rewound)
}

/** The transcript as it was before anything left the context. @throws TranscriptError */
export function restoreSession(session: string, place: ArchivePlace): Promise<readonly unknown[]> {
  return withArchive(place, async (open) => (await recorded(session, open)).messages)
}

/** What the model's own `recall_history` would show. @throws TranscriptError */
export function recallFrom(
  session: string,
  place: ArchivePlace,
  input: { readonly query?: string; readonly offset?: number; readonly limit?: number },
): Promise<string> {
  return withArchive(place, async (open) => {
    const [transcript] = parseTranscripts(JSON.stringify((await recorded(session, open)).messages), session) as [Transcript]
    const readings = transcript.messages.map((message) => transcript.codec.read(message))
    // The tool reads messages as the archive has them; these were read by their shape already.
    const shown = createArchive(memoryStorage(), { redact: false })
    await shown.saveTranscript(session, readings, readings)
    return shown.recallTool(session, neutralCodec).execute(input)
  })
}

/** Makes a damaged index of a session's transcript anew. Deletes nothing. @throws TranscriptError */
export function repairSession(session: string, place: ArchivePlace): Promise<ArchiveRepair> {
  return withArchive(place, async (open) => {
    const done = await open.archive.repair(await sessionMeant(open.storage, session))
    if (done.messages === 0 && done.damaged.length === 0) await recorded(session, open) // says what is known instead
    return done
  })
}

export interface Rewound {
  readonly forgotten: number
  /** The one that is newest now; those in place have no id. */
  readonly newest: string | null
  /** Compactions that are left, those in place too. */
  readonly left: number
  /** The file that was put back as it was before `compact --in-place`. */
  readonly file?: string
}

/** Forgets the newest compaction, or the named one and all after it; one in place is undone in its file. @throws TranscriptError */
export function rewindSession(session: string, place: ArchivePlace, checkpoint?: string): Promise<Rewound> {
  return withArchive(place, async (open) => rewind(await sessionMeant(open.storage, session), await existing(open), checkpoint))
}

async function rewind(session: string, { storage, archive }: OpenedArchive, checkpoint: string | undefined): Promise<Rewound> {
  if (!(await isStored(storage, session))) throw await unknown(session, archive)
  const own = createCompactor({ codec: neutralCodec, storage }).session(session)
  await own.view([])
  const before = own.state().checkpoints
  const inPlace = await inPlaceOf(storage, session)
  const replaced = checkpoint === undefined ? inPlace.at(-1) : undefined
  if (replaced !== undefined && replaced.at >= ((await archive.read(session)).checkpoints.at(-1)?.at ?? 0)) {
    const { file } = await undoInPlace(storage, session)
    return { forgotten: 1, newest: before.at(-1)?.id ?? null, left: before.length + inPlace.length - 1, file }
  }
  if (before.length === 0) throw new TranscriptError(`Nothing is compacted in "${session}", so there is nothing to forget.`)
  if (checkpoint !== undefined && !before.some((one) => one.id === checkpoint))
    throw new TranscriptError(`"${session}" has no compaction "${checkpoint}".`, { hint: `It has: ${before.map((one) => one.id).join(', ')}.` })
  await own.rewind(checkpoint)
  const after = own.state().checkpoints
  return { forgotten: before.length - after.length, newest: after.at(-1)?.id ?? null, left: after.length + inPlace.length }
}

async function recorded(session: string, { archive, storage }: OpenedArchive): Promise<ArchivedSession<unknown>> {
  const found = await archive.read(await sessionMeant(storage, session))
  if (found.messages.length > 0) return found
  throw await unknown(session, archive)
}

async function unknown(session: string, archive: Archive<unknown>): Promise<TranscriptError> {
  const known: string[] = []
  for await (const id of archive.sessions()) if (known.push(id) >= 10) break
  return new TranscriptError(
    `Nothing is on record under "${plain(session)}". ${known.length === 0 ? 'The archive is empty: is this the right place (--root, --config)?' : `Known: ${known.map(plain).join(', ')}.`}`,
  )
}
