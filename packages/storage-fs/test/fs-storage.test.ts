import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConflictError, InvalidConfigurationError } from '@precis/core'
import { fsStorage } from '@precis/storage-fs'
import { storageDriverCases } from '@precis/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { ownerText } from '../src/holder.ts'

const roots: string[] = []
const freshRoot = async (): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'precis-fs-'))
  roots.push(root)
  return root
}
afterAll(() => Promise.all(roots.map((root) => rm(root, { recursive: true, force: true }))))

describe('fs storage', () => {
  it.each(storageDriverCases)('$name', ({ run }) => run(async () => fsStorage({ root: await freshRoot(), durable: false })), 60_000)

  it.each([undefined, '.precis', {}, { root: '' }])('%j is no place to write to', (options) => {
    expect(() => fsStorage(options as never)).toThrow(/root is .* expected a folder: fsStorage\(\{ root: '\.precis' \}\)/)
  })

  it('a place that takes no folders is an error, not a wait', async () => {
    const file = join(await freshRoot(), 'file')
    await writeFile(file, '')
    for (const root of [file, ...(process.platform === 'linux' ? ['/proc/precis'] : [])]) {
      const driver = fsStorage({ root })
      await expect(driver.put('sessions/a/state.json', '{}')).rejects.toThrow(/ENOTDIR|ENOENT|EACCES|EPERM/)
    }
  })

  it('two instances on one root agree: of many racers one wins', async () => {
    const root = await freshRoot()
    const drivers = [fsStorage({ root }), fsStorage({ root })]
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) => (drivers[at % 2] as (typeof drivers)[0]).put('s/state.json', `${at}`, { ifVersion: null })),
    )
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(ConflictError.isInstance(outcome.reason)).toBe(true)
  })

  it('files are the owner’s alone, and what was left behind is not a key', async () => {
    const root = await freshRoot()
    const driver = fsStorage({ root })
    await driver.put('sessions/a/state.json', '{}')
    expect((await stat(join(root, 'sessions/a/state.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(root, 'sessions/a'))).mode & 0o777).toBe(0o700)
    await mkdir(join(root, '.precis/drafts'), { recursive: true })
    await writeFile(join(root, '.precis/drafts/left-behind'), 'half a')
    const keys: string[] = []
    for await (const key of driver.list('')) keys.push(key)
    expect(keys).toEqual(['sessions/a/state.json'])
  })

  it('a lock of a dead process is broken; one of a living process is waited for, then reported', async () => {
    const root = await freshRoot()
    const driver = fsStorage({ root, patience: 150 })
    await driver.put('a', '1')
    const locks = join(root, '.precis/locks')
    const { createHash } = await import('node:crypto')
    const lock = join(locks, createHash('sha256').update('a').digest('hex').slice(0, 32))
    await writeFile(lock, await ownerText('gone', 999_999))
    await driver.put('a', '2')
    expect((await driver.get('a'))?.body).toBe('2')
    await writeFile(lock, await ownerText('alive'))
    await expect(driver.put('a', '3')).rejects.toThrow('another writer holds')
    await rm(lock)
    expect(await readdir(locks)).toEqual([])
  })

  it('lists one folder of 130,000 files', async () => {
    const root = await freshRoot()
    mkdirSync(join(root, 'sessions/a/events'), { recursive: true })
    for (let at = 0; at < 130_000; at++) writeFileSync(join(root, 'sessions/a/events', `${at}.jsonl`), '')
    let count = 0
    for await (const _ of fsStorage({ root }).list('')) count++
    expect(count).toBe(130_000)
  })

  it.each(['../', './', 'sessions/../../', 'sessions/..\\/'])('a prefix stays inside the root: %s is refused', async (prefix) => {
    const root = await freshRoot()
    await writeFile(join(root, 'beside.txt'), 'of others')
    const driver = fsStorage({ root: join(root, 'store') })
    const list = async (): Promise<void> => {
      for await (const key of driver.list(prefix)) throw new Error(`listed ${key}`)
    }
    await expect(list()).rejects.toSatisfy((error) => InvalidConfigurationError.isInstance(error))
  })

  it('folders go with their last file, whoever writes there meanwhile', async () => {
    const root = await freshRoot()
    const driver = fsStorage({ root, durable: false })
    for (const key of ['sessions/alice@example.com/transcript/0-1-x.json', 'sessions/alice@example.com/state.json']) await driver.put(key, '{}')
    await driver.delete('sessions/alice@example.com/transcript/0-1-x.json')
    expect(await readdir(join(root, 'sessions/alice@example.com'))).toEqual(['state.json'])
    await driver.delete('sessions/alice@example.com/state.json')
    expect((await readdir(root)).filter((name) => name !== '.precis')).toEqual([])
    const work = Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? driver.put(`s/a/${at % 7}.json`, `${at}`) : driver.delete(`s/a/${at % 5}.json`)))
    expect((await Promise.allSettled(work)).filter(({ status }) => status === 'rejected')).toEqual([])
  })

  it('an abort ends the wait for another process, at once in the queue, and what was half written stays a draft', async () => {
    const root = await freshRoot()
    const driver = fsStorage({ root })
    await driver.put('a', 'before')
    const stop = new AbortController()
    const first = driver.put('a', 'x'.repeat(20_000_000))
    const second = driver.put('a', 'aborted', { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('stop')), 1)
    await expect(second).rejects.toThrow('stop')
    await first
    expect((await driver.get('a'))?.body.length).toBe(20_000_000)
    const writing = driver.put('a', 'y'.repeat(50_000_000), { signal: AbortSignal.timeout(5) })
    await expect(writing).rejects.toThrow()
    expect((await driver.get('a'))?.body[0]).toBe('x')
    expect(await readdir(join(root, '.precis/drafts'))).toEqual([])
  })

  it(
    'a process that is killed at any moment leaves every key whole',
    async () => {
      const root = await freshRoot()
      const rounds = Number(process.env['PRECIS_KILLS'] ?? 12)
      const program = `
      import { fsStorage } from '@precis/storage-fs'
      const driver = fsStorage({ root: process.argv[1] })
      process.stdout.write('ready')
      for (let at = 0; ; at++) await driver.put('k/' + (at % 7), String(at % 10).repeat(60_000))
    `
      for (let round = 0; round < rounds; round++) {
        const child = spawn(process.execPath, ['--conditions=@precis/source', '--input-type=module', '-e', program, root], {
          cwd: new URL('..', import.meta.url).pathname,
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const gone = new Promise((resolve) => child.once('close', resolve))
        await new Promise((resolve) => child.stdout.once('data', resolve))
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 25))
        child.kill('SIGKILL')
        await gone
        const driver = fsStorage({ root })
        for await (const key of driver.list('k/')) {
          const body = (await driver.get(key))?.body ?? ''
          expect(body).toHaveLength(60_000)
          expect(new Set(body).size).toBe(1)
        }
        await driver.put('k/after', 'x'.repeat(60_000))
      }
    },
    60_000 + Number(process.env['PRECIS_KILLS'] ?? 12) * 2_000,
  )
  it.each([
    [{ patience: '5s' }, 'patience is "5s"; expected milliseconds: 10_000 for 10 seconds'],
    [{ patience: -1 }, 'patience is -1; expected milliseconds'],
    [{ durable: 'no' }, 'durable is "no"; expected true or false'],
    [{ durabel: false }, 'unknown option "durabel" of fsStorage; write durable'],
  ])('%o is refused, with what to write', (options, words) => {
    expect(() => fsStorage({ root: 'never-made', ...options } as never)).toThrow(InvalidConfigurationError)
    expect(() => fsStorage({ root: 'never-made', ...options } as never)).toThrow(words)
  })
})
