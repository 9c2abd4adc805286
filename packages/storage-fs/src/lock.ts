import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'

export interface LockOptions {
  /** Milliseconds to wait for another holder. */
  readonly patience: number
  readonly signal: AbortSignal | undefined
}

/** Milliseconds after which a lock of another machine counts as left behind. Ours are judged by whether their process lives. */
const staleAfter = 60_000

const queues = new Map<string, Promise<unknown>>()

/**
 * Runs work while nobody else, in this process or another on this machine, holds the lock at this path. Locks that a dead process left behind are broken.
 *
 * @throws an error that says who holds it when the patience ends; the signal's reason.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  // In one process a queue is enough, and fair.
  const before = queues.get(path) ?? Promise.resolve()
  const mine = before.then(
    () => locked(path, options, work),
    () => locked(path, options, work),
  )
  const settled = mine.catch(() => {})
  queues.set(path, settled)
  try {
    return await mine
  } finally {
    if (queues.get(path) === settled) queues.delete(path)
  }
}

async function locked<T>(path: string, { patience, signal }: LockOptions, work: () => Promise<T>): Promise<T> {
  const owner = `${process.pid} ${hostname()} ${randomUUID()}`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const deadline = Date.now() + patience
  for (let wait = 1; !(await taken(path, owner)); wait = Math.min(50, wait * 2)) {
    signal?.throwIfAborted()
    await breakIfLeft(path)
    if (Date.now() > deadline) throw new Error(`another writer holds ${path} for more than ${patience} ms; remove it if no process uses it`)
    await new Promise((resolve) => setTimeout(resolve, wait + Math.random() * wait))
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function taken(path: string, owner: string): Promise<boolean> {
  try {
    await writeFile(path, owner, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Takes a dead owner's lock away: renamed first, so that of several breakers one succeeds, and put back if it was not the dead one's any more. */
async function breakIfLeft(path: string): Promise<void> {
  const owner = await readFile(path, 'utf8').catch(() => undefined)
  if (owner === undefined || !(await isLeft(path, owner))) return
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  const moved = await readFile(aside, 'utf8').catch(() => owner)
  if (moved !== owner && (await taken(path, moved))) {
    // It had changed hands in between: its owner has it back.
  }
  await rm(aside, { force: true })
}

async function isLeft(path: string, owner: string): Promise<boolean> {
  const [pid, host] = owner.split(' ')
  if (host === hostname() && pid !== undefined && pid !== '') {
    try {
      process.kill(Number(pid), 0)
      return false
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH'
    }
  }
  // A lock without a name was never finished; give its writer a moment.
  const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now())
  return age > (owner === '' ? 2_000 : staleAfter)
}
