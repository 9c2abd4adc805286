import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { keySegment, type StorageDriver } from '@precis/core'
import { TranscriptError } from './transcript-error.ts'
import { replaceUnchanged } from './write.ts'

/** One `compact --in-place`, on record beside the conversation. */
export interface InPlace {
  /** The file, and its copy from before. Absolute paths. */
  readonly file: string
  readonly backup: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly tokens: { readonly before: number; readonly after: number }
  /** SHA-256 of the file as the compaction left it. */
  readonly left: string
  /** The messages that it left, as the file has them. Absent in notes of older versions. */
  readonly values?: { readonly count: number; readonly sha256: string }
  /** Messages on record then. Absent in notes of older versions. */
  readonly archived?: number
}

const keyOf = (session: string): string => `sessions/${keySegment(session)}/in-place.json`

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

/** The compactions in place of a conversation, the oldest first. */
export async function inPlaceOf(storage: StorageDriver, session: string): Promise<readonly InPlace[]> {
  const found = await storage.get(keyOf(session))
  try {
    const value: unknown = JSON.parse(found?.body ?? '[]')
    return Array.isArray(value) ? (value as readonly InPlace[]) : []
  } catch {
    return []
  }
}

/** What lies beside a file; nothing for what is none, such as the name of a session. */
async function besideFile(file: string): Promise<readonly Pick<InPlace, 'file' | 'backup'>[]> {
  const names = await readdir(dirname(file)).catch((): string[] => [])
  if (!names.includes(basename(file))) return []
  return names.map((name) => ({ file, backup: join(dirname(file), name) }))
}

/** A copy that `compact --in-place` made: what else a note may name is nobody's to delete. */
const isCopy = ({ file, backup }: Pick<InPlace, 'file' | 'backup'>): boolean =>
  backup.startsWith(`${file}.`) && /^\.\d{4}-\d\d-\d\dT[\d-]+Z\.bak$/.test(backup.slice(file.length))

/**
 * The copies from before that still lie beside the file of a conversation. Its note is deleted all the same where it cannot be read: then they are looked for.
 * @param file - What it may have been compacted from; without it, only what is noted.
 */
export async function copiesOf(storage: StorageDriver, session: string, file?: string): Promise<readonly string[]> {
  const noted = await inPlaceOf(storage, session).catch(() => (file === undefined ? [] : besideFile(resolve(file))))
  const all = noted.filter(isCopy).map(({ backup }) => backup)
  const there = await Promise.all(all.map((path) => stat(path).catch(() => undefined)))
  return all.filter((_, at) => there[at] !== undefined)
}

export async function noteInPlace(storage: StorageDriver, session: string, one: InPlace): Promise<void> {
  await storage.put(keyOf(session), JSON.stringify([...(await inPlaceOf(storage, session)), one]))
}

/** Takes back the note of a replacement that did not happen. */
export async function dropInPlace(storage: StorageDriver, session: string, backup: string): Promise<void> {
  const others = (await inPlaceOf(storage, session)).filter((one) => one.backup !== backup)
  await storage.put(keyOf(session), JSON.stringify(others))
}

/** Puts the copy from before back in the place of the file, and deletes it: the file is the same. @throws TranscriptError where the file has changed since. */
export async function undoInPlace(storage: StorageDriver, session: string): Promise<InPlace> {
  const last = (await inPlaceOf(storage, session)).at(-1)
  if (last === undefined) throw new TranscriptError(`"${session}" was not compacted in place.`)
  const read = (path: string): Promise<Buffer> =>
    readFile(path).catch((error: unknown) => {
      throw new TranscriptError(`Cannot read ${path}.`, {
        cause: error,
        hint: 'Nothing was changed; "compactctl restore" writes the conversation from the archive.',
      })
    })
  const [compacted, before] = [await read(last.file), await read(last.backup)]
  const old = join(dirname(last.file), `.${basename(last.file)}.${process.pid}.old`)
  if (sha256(compacted) !== last.left || !(await replaceUnchanged(last.file, before, compacted, old)))
    throw new TranscriptError(`${last.file} has changed since it was compacted; it stays as it is.`, { hint: `As it was before: ${last.backup}` })
  await rm(old)
  // A program that had the file open all the while goes on writing to the copy.
  if ((await readFile(last.backup)).equals(before)) await rm(last.backup)
  await dropInPlace(storage, session, last.backup)
  return last
}
