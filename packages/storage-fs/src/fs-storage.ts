import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConflictError, checkKey, type StorageDriver } from '@precis/core'
import { withLock } from './lock.ts'

export interface FsStorageOptions {
  /** Folder that everything lives under; made when it is missing. Files are 0600, folders 0700. */
  readonly root: string
  /** Milliseconds to wait for another writer of the same key. Default 10,000. */
  readonly patience?: number
  /** Wait for the disk after each write. Default true; false is faster and may lose the last writes when the machine (not the process) dies. */
  readonly durable?: boolean
}

/** Our own folder inside the root: pieces of work in progress, and locks. Never part of a key. */
const workshop = '.precis'

/**
 * Each key is a file. A write goes to a file of its own first, is flushed, and takes the place of the old one in one step: whoever reads, and whenever
 * the process is killed, finds the old text or the new one, whole. Conditions hold between processes on one machine; a network file system that
 * does not honour exclusive creation or atomic renames cannot promise that.
 *
 * @throws StorageError through core for whatever the file system refuses.
 */
export function fsStorage({ root, patience = 10_000, durable = true }: FsStorageOptions): StorageDriver {
  const pathOf = (key: string): string => {
    checkKey(key)
    return join(root, ...key.split('/'))
  }
  const lockOf = (key: string): string => join(root, workshop, 'locks', hash(key))

  const read = async (key: string): Promise<{ readonly body: string; readonly version: string } | undefined> => {
    try {
      const body = await readFile(pathOf(key), 'utf8')
      return { body, version: hash(body) }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  const write = async (key: string, body: string): Promise<void> => {
    const target = pathOf(key)
    const draft = join(root, workshop, 'drafts', randomUUID())
    await Promise.all([mkdir(dirname(target), { recursive: true, mode: 0o700 }), mkdir(dirname(draft), { recursive: true, mode: 0o700 })])
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(body, 'utf8')
        if (durable) await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, target)
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
      return read(key)
    },
    async put(key, body, options) {
      options?.signal?.throwIfAborted()
      const version = hash(body)
      await withLock(lockOf(key), { patience, signal: options?.signal }, async () => {
        if (options?.ifVersion !== undefined && ((await read(key))?.version ?? null) !== options.ifVersion) throw new ConflictError(key)
        await write(key, body)
      })
      return { version }
    },
    async delete(key) {
      await withLock(lockOf(key), { patience, signal: undefined }, () => rm(pathOf(key), { force: true }))
    },
    async *list(prefix) {
      // Walk only what can match: the folder that the prefix names.
      const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : ''
      const keys = await keysUnder(root, folder)
      yield* keys.filter((key) => key.startsWith(prefix)).sort()
    },
  }
}

async function keysUnder(root: string, folder: string): Promise<string[]> {
  let entries: Awaited<ReturnType<typeof readEntries>>
  try {
    entries = await readEntries(join(root, ...folder.split('/')))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
  const found: string[] = []
  for (const entry of entries) {
    if (folder === '' && entry.name === workshop) continue
    const key = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await keysUnder(root, key)))
    else if (entry.isFile()) found.push(key)
  }
  return found
}

const readEntries = (path: string) => readdir(path, { withFileTypes: true })

/** A rename is on the disk when its folder is. Some systems cannot open folders; they need not. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EINVAL', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Versions are made of contents: the same text has the same version, in every process. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
