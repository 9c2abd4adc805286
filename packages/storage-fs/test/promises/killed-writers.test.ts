import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createArchive, createCompactor, neutralCodec, StorageError } from '@precis/core'
import { fsStorage } from '@precis/storage-fs'
import { afterEach, describe, expect, it } from 'vitest'
import { isKnownGone, ownerText } from '../../src/holder.ts'
import { withLock } from '../../src/lock.ts'

const roots: string[] = []
const children: ChildProcess[] = []
const freshRoot = async (): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'precis-killed-'))
  roots.push(root)
  return root
}
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(roots.splice(0).map((root) => rm(root, { recursive: true, force: true })))
})

/** A real process that says when it is ready. */
async function started(program: string, ...args: readonly string[]): Promise<ChildProcess & { readonly said: () => string }> {
  const child = spawn(process.execPath, ['--conditions=@precis/source', '--input-type=module', '-e', program, ...args], {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  let said = ''
  await new Promise<void>((resolve) =>
    child.stdout?.on('data', (text: Buffer) => {
      said += text.toString()
      resolve()
    }),
  )
  return Object.assign(child, { said: () => said })
}
const gone = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('close', resolve))
const killed = async (child: ChildProcess): Promise<void> => {
  const end = gone(child)
  child.kill('SIGKILL')
  await end
}
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}
const longAgo = (path: string): Promise<void> => utimes(path, new Date(Date.now() - 3_600_000), new Date(Date.now() - 3_600_000))
const locksOf = async (root: string): Promise<string> => {
  const folder = join(root, '.precis/locks')
  return join(folder, (await readdir(folder).catch(() => []))[0] ?? '')
}

/** Takes the lock of a key and keeps it until it is told to go on. */
const holder = `
  import { withLock } from './src/lock.ts'
  await withLock(process.argv[1], { patience: 10_000, signal: undefined }, async (stillOurs) => {
    process.stdout.write('holds')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    await stillOurs()
  }).then(() => process.stdout.write(' wrote'), (error) => process.stdout.write(' ' + error.message))
  process.exit()
`
const writer = `
  import { fsStorage } from '@precis/storage-fs'
  const driver = fsStorage({ root: process.argv[1] })
  process.stdout.write('ready')
  for (;;) await driver.put(process.argv[2], 'x'.repeat(20_000_000))
`
/** Drafts that a writer of this key left behind when it was killed. */
async function draftsLeft(root: string, key: string): Promise<readonly string[]> {
  const drafts = join(root, '.precis/drafts')
  for (;;) {
    const child = await started(writer, root, key)
    await until(async () => (await readdir(drafts).catch(() => [])).length > 0)
    await killed(child)
    const left = await readdir(drafts)
    if (left.length > 0) return left
  }
}

/** A root in which a killed process holds the lock of "k/one", under the number and host name of a living one: what a container finds that was killed and came back. */
async function leftBehind(): Promise<{ readonly root: string; readonly lock: string }> {
  const root = await freshRoot()
  const ownerOf = async (): Promise<string> => readFile(await locksOf(root), 'utf8').catch(() => '')
  for (;;) {
    const child = await started(writer, root, 'k/one')
    await until(async () => (await ownerOf()) !== '')
    await killed(child)
    const owner = await ownerOf()
    if (owner !== '') {
      const lock = await locksOf(root)
      await writeFile(lock, owner.replace(/^\d+/, String(process.pid)))
      return { root, lock }
    }
    // It was between two writes, or had not yet written its name: the next one begins without what this one left.
    await rm(join(root, '.precis/locks'), { recursive: true, force: true })
  }
}

describe('a lock whose holder was killed', () => {
  it('is swept when nobody writes its key again; one of a living holder, here or on another host, stays', async () => {
    const { root, lock } = await leftBehind()
    await longAgo(lock)
    const child = await started(holder, join(root, '.precis/locks/held'))
    await writeFile(join(root, '.precis/locks/elsewhere'), '1 another-host token boot/pid 1 .') // shows signs of life
    await fsStorage({ root }).put('k/two', 'x')
    expect((await readdir(join(root, '.precis/locks'))).sort()).toEqual(['elsewhere', 'held'])
    await killed(child)
  }, 60_000)
  it('is broken when it has shown no sign of life, also where number and host name have come back', async () => {
    const { root, lock } = await leftBehind()
    expect(await readFile(lock, 'utf8')).toContain(`${process.pid} ${hostname()} `)
    await longAgo(lock)
    const driver = fsStorage({ root, patience: 500 })
    await driver.put('k/one', 'after')
    expect((await driver.get('k/one'))?.body).toBe('after')
    expect(await readdir(join(root, '.precis/locks'))).toEqual([])
  }, 60_000)

  it('of a holder that lives is kept alive by it, however long the work takes', async () => {
    const root = await freshRoot()
    const lock = join(root, 'lock')
    const child = await started(holder, lock)
    for (let beat = 0; beat < 2; beat++) {
      await longAgo(lock)
      await until(async () => Date.now() - (await stat(lock)).mtimeMs < 60_000)
    }
    await expect(withLock(lock, { patience: 100, signal: undefined }, async () => {})).rejects.toThrow('another writer holds')
    const end = gone(child)
    child.stdin?.write('go on')
    await end
    expect(child.said()).toBe('holds wrote')
    expect(await readdir(root)).toEqual([])
  }, 60_000)

  it('who was taken for dead and wakes up writes nothing, and leaves the other’s lock alone', async () => {
    const root = await freshRoot()
    const lock = join(root, 'lock')
    const child = await started(holder, lock)
    child.kill('SIGSTOP')
    await longAgo(lock)
    await withLock(lock, { patience: 10_000, signal: undefined }, async (stillOurs) => {
      const mine = await readFile(lock, 'utf8')
      const end = gone(child)
      child.kill('SIGCONT')
      child.stdin?.write('go on')
      await end
      expect(child.said()).toContain('was taken by another writer')
      expect(await readFile(lock, 'utf8')).toBe(mine)
      await stillOurs()
    })
    expect(await readdir(root)).toEqual([])
  }, 60_000)
})

describe('drafts of killed writers', () => {
  it('are cleared by the next process that writes; those of the living are not', async () => {
    const root = await freshRoot()
    const drafts = join(root, '.precis/drafts')
    for (const name of await draftsLeft(root, 'k/one')) await longAgo(join(drafts, name))
    await writeFile(join(drafts, 'at-work'), 'half a')
    await mkdir(join(root, '.precis/locks'), { recursive: true })
    const aside = join(root, '.precis/locks/0123.aside')
    await writeFile(aside, 'who broke a lock was killed too')
    await longAgo(aside)
    await fsStorage({ root }).put('k/two', 'x')
    expect(await readdir(drafts)).toEqual(['at-work'])
    expect(await readdir(join(root, '.precis/locks'))).not.toContain('0123.aside')
  }, 60_000)
})

describe('drafts of a conversation that is deleted', () => {
  const compactorOn = (root: string) => {
    const storage = fsStorage({ root })
    return createCompactor({ codec: neutralCodec, storage, archive: createArchive(storage) })
  }
  it('go with it at once, also where nothing else was written yet; those of others stay', async () => {
    const root = await freshRoot()
    const others = await draftsLeft(root, 'sessions/other/state.json')
    await draftsLeft(root, 'sessions/patient-7/transcript/0-9-f.json')
    await compactorOn(root).forget('patient-7')
    expect(await readdir(join(root, '.precis/drafts'))).toEqual(others)
  }, 60_000)
  it('a write that is under way is waited for', async () => {
    const root = await freshRoot()
    const [one, other] = [fsStorage({ root }), fsStorage({ root })]
    const writing = one.put('sessions/a/transcript/0-9-f.json', 'x'.repeat(20_000_000))
    await until(async () => (await readdir(join(root, '.precis/drafts')).catch(() => [])).length > 0)
    await other.delete('sessions/a/lease.json')
    await writing
    expect((await one.get('sessions/a/transcript/0-9-f.json'))?.body).toHaveLength(20_000_000)
  })
  it('gc takes those that are older than ten minutes', async () => {
    const root = await freshRoot()
    for (const name of await draftsLeft(root, 'sessions/patient-7/transcript/0-9-f.json')) await longAgo(join(root, '.precis/drafts', name))
    await compactorOn(root).gc()
    expect(await readdir(join(root, '.precis/drafts'))).toEqual([])
  }, 60_000)
})

describe('whether the holder of a lock lives', () => {
  const gone = 999_999
  it('is known of a process that counts as this one does', async () => {
    expect(await isKnownGone(await ownerText('t', gone))).toBe(true)
    expect(await isKnownGone(await ownerText('t'))).toBe(false)
  })
  it('is not known of one in another container, of before a restart, or of an older version', async () => {
    const own = (await ownerText('t', gone)).split(' ')
    const elsewhere = own.map((part, at) => (at === 3 ? `${part}1` : part)).join(' ')
    for (const owner of [elsewhere, `${gone} ${hostname()} t`, own.slice(0, -1).join(' '), `${gone} another-host ${own.slice(2).join(' ')}`, ''])
      expect(await isKnownGone(owner)).toBe(false)
  })
  it.runIf(process.platform === 'linux')('a number that another process has by now is not taken for it', async () => {
    const owner = (await ownerText('t')).split(' ').map((part, at) => (at === 4 ? '1' : part))
    expect(await isKnownGone(owner.join(' '))).toBe(true)
  })
})

describe('a link inside the root', () => {
  it.each(['sessions', 'sessions/a', 'sessions/a/state.json', '.precis', '.precis/locks'])('%s: nothing is read or written through it', async (place) => {
    const root = await freshRoot()
    const outside = await freshRoot()
    await mkdir(join(outside, 'a'), { recursive: true })
    await writeFile(join(outside, 'state.json'), 'another’s')
    await writeFile(join(outside, 'a/state.json'), 'another’s')
    await mkdir(join(root, place, '..'), { recursive: true })
    await symlink(place.endsWith('.json') ? join(outside, 'state.json') : outside, join(root, place))
    const driver = fsStorage({ root, patience: 200 })
    await expect(driver.put('sessions/a/state.json', 'ours')).rejects.toThrow('symbolic link')
    if (place.startsWith('sessions')) {
      await expect(driver.get('sessions/a/state.json')).rejects.toThrow('symbolic link')
      await expect(driver.delete('sessions/a/state.json')).rejects.toThrow('symbolic link')
      const keys: string[] = []
      await (async () => {
        for await (const key of driver.list('sessions/a/')) keys.push(key)
      })().catch(() => {})
      expect(keys).toEqual([])
    }
    expect(await readFile(join(outside, 'state.json'), 'utf8')).toBe('another’s')
    expect(await readFile(join(outside, 'a/state.json'), 'utf8')).toBe('another’s')
    expect((await readdir(outside)).sort()).toEqual(['a', 'state.json'])
  })
  it('the root itself may be one', async () => {
    const real = await freshRoot()
    const link = `${real}-link`
    await symlink(real, link)
    roots.push(link)
    await fsStorage({ root: link }).put('a', '1')
    expect((await fsStorage({ root: real }).get('a'))?.body).toBe('1')
  })
  it('reaches the caller as a StorageError with what to do', async () => {
    const { checkedStorage } = await import('@precis/core')
    const root = await freshRoot()
    await symlink(await freshRoot(), join(root, 'sessions'))
    const error = await checkedStorage(fsStorage({ root }))
      .get('sessions/a/state.json')
      .catch((one: unknown) => one)
    expect(StorageError.isInstance(error)).toBe(true)
    expect(String(error)).toContain('put the folder itself there')
  })
})
