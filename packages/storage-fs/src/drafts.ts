import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hash } from './hash.ts'
import { breakIfLeft, type LockOptions, withLock } from './lock.ts'
import { onceFree } from './once-free.ts'
import { isFull, isHeld } from './refusals.ts'

/** Our own folder inside the root: pieces of work in progress, and locks. Never part of a key. */
export const workshop = '.precis'

/** The age from which a piece of work counts as left behind, in milliseconds: no write takes so long. */
const draftLife = 600_000

export const lockOf = (root: string, key: string): string => join(root, workshop, 'locks', hash(key))

/** A conversation's folder, or an output's. */
const folderOf = (key: string): string => key.split('/').slice(0, -1).slice(0, 2).join('/')

/** A place for a text on its way to this key. Its name says whose it is and under which lock it is written. */
export const draftOf = (root: string, key: string): string => join(root, workshop, 'drafts', `${hash(folderOf(key))}.${hash(key)}.${randomUUID()}`)

/**
 * Removes the drafts that killed writers left of the conversation that a key belongs to. Each is written under the lock of its key: whoever holds that knows
 * that nobody is at work on it.
 */
export async function clearDrafts(root: string, key: string, options: LockOptions): Promise<void> {
  const names = await readdir(join(root, workshop, 'drafts')).catch((): string[] => [])
  for (const name of names) {
    const [folder, lock = ''] = name.split('.')
    if (folder !== hash(folderOf(key)) || lock === '') continue
    const remove = (): Promise<void> => onceFree(() => rm(join(root, workshop, 'drafts', name), { force: true }))
    try {
      await withLock(join(root, workshop, 'locks', lock), options, remove)
    } catch (error) {
      // No room for a lock: then there is none. One that is held: it is at work, and takes its draft away itself.
      if (isFull(error)) await remove()
      else if (!isHeld(error)) throw error
    }
  }
}

/** Removes files of work in progress whose writers are gone, whosever they are. That it fails is no reason not to write. */
export async function clearLeft(root: string): Promise<void> {
  const remove = (path: string): Promise<void> => rm(path, { force: true })
  await clearOld(join(root, workshop, 'drafts'), remove)
  // Locks that are being taken away have a point in their name; the others are broken as by a writer that waits for them.
  await clearOld(join(root, workshop, 'locks'), (path) => (basename(path).includes('.') ? remove(path) : breakIfLeft(path)))
}

async function clearOld(folder: string, clear: (path: string) => Promise<void>): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > draftLife) await clear(path).catch(() => {})
  }
}
