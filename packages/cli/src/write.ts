import { access, appendFile, chown, constants, copyFile, link, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { TranscriptError } from './transcripts/transcript-error.ts'

/** Looks, before any work, whether `writeNew` could write there. @throws TranscriptError, or EEXIST */
export async function checkNew(path: string): Promise<void> {
  if (path === '-') return
  const wrong = (what: string): TranscriptError => new TranscriptError(what, { hint: 'Name a new file, or - for standard output.' })
  if (path === '') throw wrong('The name of the output file is empty.')
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory() === true) throw wrong(`Cannot write ${path}: it is a folder.`)
  if (there !== undefined) throw Object.assign(new Error(`${path} exists already.`), { code: 'EEXIST' })
  const folder = dirname(path)
  await access(folder, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw wrong(`Cannot write ${path}: ${code === 'ENOENT' ? `there is no folder ${folder}` : `you may not write into ${folder}`}.`)
  })
}

/** Writes a file that must not be there yet, whole or not at all; `-` is standard output. @throws TranscriptError, or EEXIST */
export async function writeNew(path: string, text: string): Promise<void> {
  await checkNew(path)
  if (path === '-') return void process.stdout.write(text)
  await beside(path, text, 0o666, async (next) => {
    try {
      await link(next, path) // unlike a rename, it fails where a file is
    } catch (error) {
      if (!isWithoutLinks(error)) throw error
      await writeFile(path, text, { flag: 'wx' })
    }
  })
}

/**
 * Puts bytes in the place of a file, whole or not at all, if the file still is `was`; its mode and its owner stay. The file itself stays under the name `keep`, which
 * must be free: a program that has it open goes on writing there. What somebody wrote just before the rename shows in it right after, and it is put back.
 *
 * @returns false where somebody wrote to the file: it is as they left it, and nothing is kept.
 */
export async function replaceUnchanged(path: string, next: Uint8Array, was: Uint8Array, keep: string): Promise<boolean> {
  const isLinked = await keepAs(path, keep)
  const isUnchanged = async (at: string): Promise<boolean> => (await readFile(at)).equals(was)
  let isReplaced = false
  try {
    const { mode, uid, gid } = await stat(path)
    await beside(path, next, mode, async (draft) => {
      // Root works on files of others, who need them afterwards. Nobody else may give a file away.
      if (process.getuid?.() === 0) await chown(draft, uid, gid)
      if (!(await isUnchanged(path)) || (isLinked && (await stat(path)).ino !== (await stat(keep)).ino)) return
      await rename(draft, path)
      isReplaced = true
      if (!isLinked || (await isUnchanged(keep))) return
      await putBack(path, next, keep)
      isReplaced = false
    })
  } finally {
    if (!isReplaced) await rm(keep, { force: true })
  }
  return isReplaced
}

/** The file under a second name; a copy of it on a file system without links. @returns whether it is the file itself. */
async function keepAs(path: string, keep: string): Promise<boolean> {
  try {
    await link(path, keep)
    return true
  } catch (error) {
    if (!isWithoutLinks(error)) throw error
    await copyFile(path, keep, constants.COPYFILE_EXCL)
    return false
  }
}

/** The old file again, with what was appended to the new one in the meantime. */
async function putBack(path: string, next: Uint8Array, keep: string): Promise<void> {
  const replaced = await open(path)
  try {
    await rename(keep, path)
    const since = (await replaced.readFile()).subarray(next.length)
    if (since.length > 0) await appendFile(path, since)
  } finally {
    await replaced.close()
  }
}

const isWithoutLinks = (error: unknown): boolean => ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes((error as { code?: string }).code ?? '')

/** What processes that were killed while they wrote a file left beside it. */
export async function draftsOf(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch((): string[] => [])
  const begin = `.${basename(path)}.`
  return names
    .filter((name) => name.startsWith(begin) && /^\d+\.tmp$/.test(name.slice(begin.length)) && hasEnded(Number.parseInt(name.slice(begin.length), 10)))
    .map((name) => join(dirname(path), name))
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Writes the text into a file of its own in the same folder, which is gone whatever happens: where this process is killed, with the next one. */
async function beside(path: string, text: string | Uint8Array, mode: number, place: (next: string) => Promise<void>): Promise<void> {
  for (const draft of await draftsOf(path)) await rm(draft, { force: true })
  const next = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    const file = await open(next, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await place(next)
  } finally {
    await rm(next, { force: true })
  }
}
