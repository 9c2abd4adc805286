import { realpath } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { keySegment, type StorageDriver } from '@precis/core'
import { TranscriptError } from '../transcripts/transcript-error.ts'
import { notesOf, sha256 } from './compacted-in-place.ts'

const nameOf = (file: string): string => basename(file, extname(file))

/** Under what name the conversation of a file is archived: the file's, and a mark of its real path, since other files may be called the same. */
export function sessionOfFile(file: string): string {
  const mark = `-${sha256(file).slice(0, 8)}`
  let name = nameOf(file)
  while (keySegment(`${name}${mark}-000`).includes('~')) name = name.slice(0, -1) // too long for a key
  return `${name}${mark}`
}

/** The same as older versions had it: by the name alone. Undefined where that is nothing of this file, or of other files too. */
export async function earlierSessionOf(storage: StorageDriver, file: string): Promise<string | undefined> {
  const own = await notesOf(storage, nameOf(file))
  return own.length > 0 && own.every((one) => one.file === file) ? nameOf(file) : undefined
}

/** The conversations that were compacted in place. Names too long for a key are not known. */
export async function sessionsInPlace(storage: StorageDriver): Promise<readonly string[]> {
  const found: string[] = []
  for await (const key of storage.list('sessions/')) {
    const [, segment] = /^sessions\/([^/~]+)\/in-place\.json$/.exec(key) ?? []
    if (segment !== undefined) found.push(decodeURIComponent(segment))
  }
  return found
}

interface OfFile {
  readonly name: string
  /** Its conversations, the oldest first: `s-1a2b3c4d-2` is the second of a file that began anew. */
  readonly sessions: readonly string[]
}

/** The files that were compacted in place, by their first conversation's session. */
async function filesInPlace(storage: StorageDriver): Promise<ReadonlyMap<string, OfFile>> {
  const found = new Map<string, OfFile>()
  for (const session of (await sessionsInPlace(storage)).toSorted(inTurn)) {
    const [, first = '', name = ''] = /^((.+)-[0-9a-f]{8})(?:-\d+)?$/s.exec(session) ?? []
    if (first !== '') found.set(first, { name, sessions: [...(found.get(first)?.sessions ?? []), session] })
  }
  return found
}

/** `-2` before `-10`. */
const inTurn = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)

/** The conversations of a file in records that an older version named by the file's name alone. */
async function earlierSessionsOf(storage: StorageDriver, file: string): Promise<readonly string[]> {
  const first = await earlierSessionOf(storage, file)
  if (first === undefined) return []
  const found = [first]
  for (const session of (await sessionsInPlace(storage)).toSorted(inTurn))
    if (session.startsWith(`${first}-`) && (await notesOf(storage, session)).some((one) => one.file === file)) found.push(session)
  return found
}

/** Whether anything is stored of a session. */
export async function isStored(storage: StorageDriver, session: string): Promise<boolean> {
  for await (const _ of storage.list(`sessions/${keySegment(session)}/`)) return true
  return false
}

/** The session that somebody means: its id, or the name or the path of a file that was compacted in place. @throws TranscriptError where it may be several. */
export async function sessionMeant(storage: StorageDriver, given: string): Promise<string> {
  return (await sessionsMeant(storage, given)).at(-1) ?? given
}

/** The same, with all conversations that a file had in turn, the oldest first. @throws TranscriptError where it may be several files. */
export async function sessionsMeant(storage: StorageDriver, given: string): Promise<readonly string[]> {
  if (await isStored(storage, given)) return [given]
  const file = await realpath(given).catch(() => undefined)
  const files = await filesInPlace(storage)
  const own = file === undefined ? [] : [...(await earlierSessionsOf(storage, file)), ...(files.get(sessionOfFile(file))?.sessions ?? [])]
  if (own.length > 0) return own
  const [one, ...others] = [...files.values()].filter(({ name }) => name === given || name === nameOf(given))
  if (others.length === 0) return one?.sessions ?? [given]
  const newest = [one as OfFile, ...others].map(({ sessions }) => sessions.at(-1) as string)
  const paths = await Promise.all(newest.map(async (session) => (await notesOf(storage, session)).at(-1)?.file ?? session))
  throw new TranscriptError(`"${given}" may be several: ${paths.join(', ')}.`, {
    hint: 'Name the file by its path, or the session as "compactctl sessions" lists it.',
  })
}
