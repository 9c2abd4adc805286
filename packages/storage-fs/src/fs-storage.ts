import { lstat, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConflictError, checkKey, type StorageDriver } from '@precis/core'
import { aFlag, aText, checkGiven, milliseconds, orAborted, type ValueRules, type Words } from '@precis/core/adapters'
import { clearDrafts, clearLeft, draftOf, lockOf, workshop } from './drafts.ts'
import { hash } from './hash.ts'
import { withLock } from './lock.ts'
import { makeFolder } from './make-folder.ts'
import { onceFree } from './once-free.ts'
import { isFull, isMissing } from './refusals.ts'

/** Where files lie, and how carefully they are written. */
export interface FsStorageOptions {
  /** Folder that everything lives under; made when it is missing. Files are 0600, folders 0700. */
  readonly root: string
  /** Milliseconds to wait for another writer of the same key. Default 10,000. */
  readonly patience?: number
  /** Wait for the disk after each write. Default true; false is faster and may lose the last writes when the machine (not the process) dies. */
  readonly durable?: boolean
}

const rules: ValueRules<FsStorageOptions> = {
  root: { ...aText("expected a folder: fsStorage({ root: '.precis' })"), needed: true },
  patience: milliseconds(0, Infinity),
  durable: aFlag,
}
const words: Words = { path: 'root', folder: 'root', dir: 'root', directory: 'root', base: 'root' }

/**
 * Each key is a file. A write goes to a file of its own first, is flushed, and takes the place of the old one in one step: whoever reads, and whenever
 * the process is killed, finds the old text or the new one, whole. Conditions hold between processes on one machine; a network file system that
 * does not honor exclusive creation or atomic renames cannot promise that.
 *
 * @throws InvalidConfigurationError without a folder, and for other options that cannot be meant; later StorageError through core for whatever the file system refuses.
 */
export function fsStorage(options: FsStorageOptions): StorageDriver {
  checkGiven('fsStorage', options, rules, words)
  const { root, patience = 10_000, durable = true } = options
  const pathOf = async (key: string): Promise<string> => {
    checkKey(key)
    const segments = key.split('/')
    await refuseLinks(root, segments)
    return join(root, ...segments)
  }
  /** When drafts were last looked through, in milliseconds since 1970. */
  let swept = 0
  const prepare = async (sweep = Date.now() - swept >= sweepEvery): Promise<void> => {
    for (const folder of ['drafts', 'locks']) await refuseLinks(root, [workshop, folder])
    if (!sweep) return
    swept = Date.now()
    await clearLeft(root)
  }
  /** No request waits for what others left behind: that may be thousands of files. */
  const prepareWrite = async (): Promise<void> => {
    await prepare(false)
    if (Date.now() - swept < sweepEvery) return
    swept = Date.now()
    void clearLeft(root).catch(() => {})
  }

  const read = async (key: string): Promise<{ readonly body: string; readonly version: string } | undefined> => {
    try {
      const path = await pathOf(key)
      const body = await onceFree(() => readFile(path, 'utf8'))
      return { body, version: hash(body) }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** @param mayGoOn Throws where the text must not take its place any more. */
  const write = async (key: string, target: string, body: string, mayGoOn: () => Promise<void>): Promise<void> => {
    const draft = draftOf(root, key)
    await Promise.all([makeFolder(dirname(target)), makeFolder(dirname(draft))])
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(body, 'utf8')
        if (durable) await file.sync()
      } finally {
        await file.close()
      }
      await intoPlace(draft, target, mayGoOn)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    if (durable) await syncFolder(dirname(target))
  }

  return {
    name: 'fs',
    async get(key, options) {
      options?.signal?.throwIfAborted()
      return orAborted(read(key), options?.signal)
    },
    async put(key, body, options) {
      options?.signal?.throwIfAborted()
      const version = hash(body)
      const target = await pathOf(key)
      await prepareWrite()
      await withLock(lockOf(root, key), { patience, signal: options?.signal }, async (stillOurs) => {
        if (options?.ifVersion !== undefined && ((await read(key))?.version ?? null) !== options.ifVersion) throw new ConflictError(key)
        await write(key, target, body, async () => {
          await stillOurs()
          options?.signal?.throwIfAborted()
        })
      })
      return { version }
    },
    async delete(key) {
      const path = await pathOf(key)
      await prepare(true)
      const alone = { patience, signal: undefined }
      const remove = async (): Promise<void> => {
        await onceFree(() => rm(path, { force: true }))
        await removeEmpty(root, key)
      }
      await withLock(lockOf(root, key), alone, remove).catch((error: unknown) => {
        // No room for a lock: nobody else has one, nor room to write.
        if (isFull(error)) return remove()
        throw error
      })
      await clearDrafts(root, key, alone)
    },
    async *list(prefix) {
      await prepare().catch(() => {})
      // Walk only what can match: the folder that the prefix names.
      const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : ''
      if (folder !== '') checkKey(folder)
      await refuseLinks(root, folder.split('/').filter(Boolean))
      const keys: string[] = []
      await addKeys(root, folder, keys)
      yield* keys.filter((key) => key.startsWith(prefix)).sort()
    },
  }
}

/**
 * Links inside the root lead out of it: whoever could place one would read, or have written, another's files.
 * @throws an error that names the link.
 */
async function refuseLinks(root: string, segments: readonly string[]): Promise<void> {
  let path = root
  for (const segment of segments) {
    path = join(path, segment)
    const found = await lstat(path).catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    })
    if (found === undefined) return
    if (found.isSymbolicLink()) throw new Error(`${path} is a symbolic link, which could lead out of ${root}; put the folder itself there`)
  }
}

/** Attempts to find the folder that whoever deleted the last file in it took along. */
const tries = 5

async function intoPlace(draft: string, target: string, mayGoOn: () => Promise<void>): Promise<void> {
  for (let left = tries; ; left--) {
    await mayGoOn()
    try {
      await onceFree(() => rename(draft, target))
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || left === 0) throw error
      await makeFolder(dirname(target))
    }
  }
}

/** Removes the folders of a key that hold nothing any more, from the innermost on: their names may say whose they were. */
async function removeEmpty(root: string, key: string): Promise<void> {
  const segments = key.split('/')
  for (let depth = segments.length - 1; depth > 0; depth--) {
    const isGone = await rmdir(join(root, ...segments.slice(0, depth))).then(
      () => true,
      (error: unknown) => isMissing(error),
    )
    if (!isGone) return
  }
}

/** Milliseconds between two looks for what killed writers left behind. */
const sweepEvery = 3_600_000

/** Adds all keys under a folder to those that were found. */
async function addKeys(root: string, folder: string, found: string[]): Promise<void> {
  let entries: Awaited<ReturnType<typeof readEntries>>
  try {
    entries = await readEntries(join(root, ...folder.split('/')))
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  for (const entry of entries) {
    if (folder === '' && entry.name === workshop) continue
    const key = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) await addKeys(root, key, found)
    else if (entry.isFile()) found.push(key)
  }
}

const readEntries = (path: string) => readdir(path, { withFileTypes: true })

/** A rename is on the disk when its folder is. Some systems cannot open folders; they need not. One that is gone had its file deleted since. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EINVAL', 'EACCES', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
