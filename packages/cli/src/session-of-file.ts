import { realpath } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { keySegment, type StorageDriver } from '@precis/core'
import { inPlaceOf, sha256 } from './compacted-in-place.ts'
import { TranscriptError } from './transcript-error.ts'

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
  const own = await inPlaceOf(storage, nameOf(file))
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
  readonly session: string
  /** Which of its conversations: `s-1a2b3c4d-2` is the second of a file that began anew. */
  readonly times: number
}

/** The newest conversation of each file that was compacted in place, by the first one's session. */
async function newestOfFiles(storage: StorageDriver): Promise<ReadonlyMap<string, OfFile>> {
  const found = new Map<string, OfFile>()
  for (const session of await sessionsInPlace(storage)) {
    const [, first = '', name = '', times = '1'] = /^((.+)-[0-9a-f]{8})(?:-(\d+))?$/s.exec(session) ?? []
    if (first !== '' && Number(times) > (found.get(first)?.times ?? 0)) found.set(first, { name, session, times: Number(times) })
  }
  return found
}

/** Whether anything is stored of a session. */
export async function isStored(storage: StorageDriver, session: string): Promise<boolean> {
  for await (const _ of storage.list(`sessions/${keySegment(session)}/`)) return true
  return false
}

/** The session that somebody means: its id, or the name or the path of a file that was compacted in place. @throws TranscriptError where it may be several. */
export async function sessionMeant(storage: StorageDriver, given: string): Promise<string> {
  if (await isStored(storage, given)) return given
  const file = await realpath(given).catch(() => undefined)
  const newest = await newestOfFiles(storage)
  const own = file === undefined ? undefined : (newest.get(sessionOfFile(file))?.session ?? (await earlierSessionOf(storage, file)))
  if (own !== undefined) return own
  const [one, ...others] = [...newest.values()].filter(({ name }) => name === given || name === nameOf(given))
  if (others.length === 0) return one?.session ?? given
  const files = await Promise.all([one as OfFile, ...others].map(async ({ session }) => (await inPlaceOf(storage, session)).at(-1)?.file ?? session))
  throw new TranscriptError(`"${given}" may be several: ${files.join(', ')}.`, {
    hint: 'Name the file by its path, or the session as "compactctl sessions" lists it.',
  })
}
