import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/** What a lock says of its holder. Numbers of processes mean something only where they were given: in the same run of the same machine, and in the same container. */
interface Holder {
  readonly pid: number
  readonly host: string
  /** Where its number was given. */
  readonly numbering: string
  /** When it began, in the system's own count; empty where that cannot be found out. */
  readonly began: string
}

const unknown = ''
/** Ends what a lock says: without it, it was not written to its end. */
const end = '.'

/** This process, as a lock names it. */
export async function ownerText(token: string, pid: number = process.pid): Promise<string> {
  const { numbering, began } = await self()
  return [pid, hostname(), token, numbering, began, end].join(' ')
}

/** Whether the holder is known to be gone. false: it lives, or nobody can tell, as with a process in another container. */
export async function isKnownGone(owner: string): Promise<boolean> {
  const { pid, host, numbering, began } = holderIn(owner)
  const mine = await self()
  if (!(pid > 0) || host !== hostname() || numbering === unknown || numbering !== mine.numbering) return false
  if (isAbsent(pid)) return true
  // Another process may have the number by now.
  const now = mine.began === unknown || began === unknown ? unknown : await beginningOf(pid)
  return now !== unknown && now !== began
}

function holderIn(owner: string): Holder {
  const [pid, host = '', , numbering = unknown, began = unknown, last] = owner.split(' ')
  return { pid: Number(pid), host, numbering: last === end ? numbering : unknown, began }
}

let known: Promise<Pick<Holder, 'numbering' | 'began'>> | undefined
const self = (): Promise<Pick<Holder, 'numbering' | 'began'>> => {
  known ??= lookAtSelf()
  return known
}

async function lookAtSelf(): Promise<Pick<Holder, 'numbering' | 'began'>> {
  if (process.platform !== 'linux') return { numbering: process.platform, began: unknown }
  try {
    const [boot, space, number] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
      readlink('/proc/self'),
    ])
    // Where `/proc` is another container's, it speaks of other processes.
    const began = number === String(process.pid) ? await beginningOf(process.pid) : unknown
    return { numbering: `${boot.trim()}/${space}`, began }
  } catch {
    return { numbering: unknown, began: unknown }
  }
}

/** The 22nd field of its line in `/proc`, counted behind the name, which may hold anything. */
async function beginningOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => unknown)
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? unknown
}

function isAbsent(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
