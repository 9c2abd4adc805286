import { randomUUID } from 'node:crypto'
import { type FileHandle, link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { orAborted } from '@precis/core/adapters'
import { isKnownGone, ownerText } from './holder.ts'
import { makeFolder } from './make-folder.ts'
import { onceFree } from './once-free.ts'
import { heldByAnother } from './refusals.ts'

export interface LockOptions {
  /** Milliseconds to wait for another holder. */
  readonly patience: number
  readonly signal: AbortSignal | undefined
}

/** Milliseconds between two signs of life of a holder. */
const heartbeat = 1_000
/**
 * Milliseconds without one after which a lock counts as left behind, whatever name stands in it: of a process in another container nobody knows whether it
 * lives.
 */
const staleAfter = 5_000
/** Milliseconds by which a sign of life may be ahead: the clock was set back since, and whoever lives shows the next one within a second. */
const mostAhead = 60_000

const queues = new Map<string, Promise<unknown>>()

/**
 * Runs work while nobody else, in this process or another on this machine, holds the lock at this path. A lock whose owner died is broken: at once where its
 * process is known to be gone, which nobody in another container can know, otherwise when it has shown no sign of life for `staleAfter`.
 *
 * @param work - Is given a question to ask before it changes anything: whether the lock is still ours. It is not when this process was suspended for long.
 * @throws an error that says who holds it when the patience ends; the signal's reason.
 */
export async function withLock<T>(path: string, options: LockOptions, work: (stillOurs: () => Promise<void>) => Promise<T>): Promise<T> {
  // In one process a queue is enough, and fair.
  const before = queues.get(path) ?? Promise.resolve()
  const mine = orAborted(before, options.signal).then(() => locked(path, options, work))
  // Who stops waiting lets nobody pass those before.
  const settled = Promise.allSettled([before, mine])
  queues.set(path, settled)
  try {
    return await mine
  } finally {
    if (queues.get(path) === settled) queues.delete(path)
  }
}

async function locked<T>(path: string, { patience, signal }: LockOptions, work: (stillOurs: () => Promise<void>) => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  const owner = await ownerText(randomUUID())
  await makeFolder(dirname(path))
  const deadline = Date.now() + patience
  let held = await taken(path, owner)
  for (let wait = 1; held === undefined; wait = Math.min(50, wait * 2)) {
    signal?.throwIfAborted()
    await breakIfLeft(path)
    if (Date.now() > deadline)
      throw Object.assign(new Error(`another writer holds ${path} for more than ${patience} ms; remove it if no process uses it`), { code: heldByAnother })
    await new Promise((resolve) => setTimeout(resolve, wait + Math.random() * wait))
    held = await taken(path, owner)
  }
  const { touch, close } = beating(held)
  try {
    return await work(async () => {
      await touch()
      if ((await ownerOf(path)) !== owner)
        throw new Error(`the lock ${path} was taken by another writer, since this process showed no sign of life; nothing was written`)
    })
  } finally {
    await close()
    // Only what is ours: who was taken for dead finds somebody else's here.
    await removeOwn(path, owner)
  }
}

/** Shows signs of life through the open file, so that they never keep alive a lock that somebody else has there by now. */
function beating(file: FileHandle): { touch(): Promise<void>; close(): Promise<void> } {
  const touch = async (): Promise<void> => {
    const now = new Date()
    await file.utimes(now, now).catch(() => {})
  }
  const timer = setInterval(touch, heartbeat)
  timer.unref()
  return {
    touch,
    async close() {
      clearInterval(timer)
      await file.close().catch(() => {})
    },
  }
}

async function taken(path: string, owner: string): Promise<FileHandle | undefined> {
  let file: FileHandle
  try {
    // On Windows one that is being taken away is neither there nor gone.
    file = await onceFree(() => open(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
  try {
    await file.writeFile(owner)
    return file
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw error
  }
}

const ownerOf = (path: string): Promise<string | undefined> => onceFree(() => readFile(path, 'utf8')).catch(() => undefined)

/** Takes a lock away whose holder is known to be gone, or has shown no sign of life for `staleAfter`. */
export async function breakIfLeft(path: string): Promise<void> {
  const owner = await ownerOf(path)
  if (owner !== undefined && (await isLeft(path, owner))) await removeOwn(path, owner)
}

/** Takes away the lock of this owner and no other: renamed first, so that of several only one succeeds, and put back if it had changed hands in between. */
async function removeOwn(path: string, owner: string): Promise<void> {
  if ((await ownerOf(path)) !== owner) return
  const aside = `${path}.${randomUUID()}`
  try {
    await onceFree(() => rename(path, aside))
  } catch {
    return
  }
  // The same file again, so that its owner's signs of life still reach it; where a third holds the place, that one is told before it writes.
  if ((await ownerOf(aside)) !== owner) await link(aside, path).catch(() => {})
  await onceFree(() => rm(aside, { force: true }))
}

async function isLeft(path: string, owner: string): Promise<boolean> {
  if (await isKnownGone(owner)) return true
  const found = await stat(path).catch(() => undefined)
  // A lock without a name was never finished; its writer needs a moment, not a life.
  const age = found === undefined ? 0 : Date.now() - found.mtimeMs
  return age > (owner === '' ? 2_000 : staleAfter) || age < -mostAhead
}
