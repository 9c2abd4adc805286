import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { keySegment, type StorageDriver } from '@precis/core'
import { TranscriptError } from '../transcripts/transcript-error.ts'
import { draftsOf, replaceUnchanged } from '../write.ts'

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
  readonly values?: Values
  /** Messages on record then. Absent in notes of older versions. */
  readonly archived?: number
  /** The messages that the file had. Only until it is replaced: a process may be ended before it gets there. */
  readonly was?: Values
}

/** Messages as a file has them, from the first one on. */
export interface Values {
  readonly count: number
  readonly sha256: string
}

const keyOf = (session: string): string => `sessions/${keySegment(session)}/in-place.json`

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

/** The compactions in place of a conversation, the oldest first. */
export async function inPlaceOf(storage: StorageDriver, session: string): Promise<readonly InPlace[]> {
  return tookPlace(await notesOf(storage, session))
}

/** Of the newest nobody may have come back to say whether the file was replaced. */
async function tookPlace(notes: readonly InPlace[]): Promise<readonly InPlace[]> {
  const last = notes.at(-1)
  const isReplaced = last?.was !== undefined && (await sayFiles(last))
  return notes.filter((one) => one.was === undefined || (one === last && isReplaced))
}

/** A file that still begins as its copy from before was not replaced. */
async function sayFiles({ file, backup }: InPlace): Promise<boolean> {
  const [now, before] = await Promise.all([file, backup].map((path) => readFile(path).catch(() => undefined)))
  return now !== undefined && before !== undefined && !now.subarray(0, before.length).equals(before)
}

/** The same, with those that did not get to their end. */
export async function notesOf(storage: StorageDriver, session: string): Promise<readonly InPlace[]> {
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
 * The copies from before that still lie beside the file of a conversation, and what was being written there when it was killed. Its note is deleted all the same where it cannot be read: then they are looked for.
 * @param file - What it may have been compacted from; without it, only what is noted.
 */
export async function copiesOf(storage: StorageDriver, session: string, file?: string): Promise<readonly string[]> {
  const noted = await notesOf(storage, session).catch(() => (file === undefined ? [] : besideFile(resolve(file))))
  const files = new Set([...noted.map((one) => one.file), ...(file === undefined ? [] : [resolve(file)])])
  const drafts = await Promise.all([...files].map(draftsOf))
  return existing([...noted.filter(isCopy).map(({ backup }) => backup), ...drafts.flat()])
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
  return paths.filter((_, at) => there[at] !== undefined)
}

/** Notes a compaction in the place of what was noted of it. Of others that did not get to their end only those stay that left a copy. */
export async function noteInPlace(storage: StorageDriver, session: string, one: InPlace): Promise<void> {
  const others = await notesOf(storage, session)
  const done = await tookPlace(others)
  const copies = await existing(others.map(({ backup }) => backup))
  const kept = others.filter((other) => other.backup !== one.backup && (done.includes(other) || copies.includes(other.backup)))
  const settled = kept.map((other) => (done.includes(other) ? { ...other, was: undefined } : other))
  await storage.put(keyOf(session), JSON.stringify([...settled, one]))
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
  const others = (await notesOf(storage, session)).filter(({ backup }) => backup !== last.backup)
  await storage.put(keyOf(session), JSON.stringify(others))
  return last
}
