import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fsStorage } from '@precis/storage-fs'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

/** What Windows says while somebody has a file open, and how many times it still says so. */
const refused = vi.hoisted(() => ({ code: 'EPERM', left: 0, last: 0 }))

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof import('node:fs/promises')>()
  const unlessRefused =
    <A extends unknown[], T>(work: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      refused.last++
      if (refused.left-- > 0) throw Object.assign(new Error(`${refused.code}: operation not permitted`), { code: refused.code })
      return work(...given)
    }
  return {
    ...actual,
    rename: unlessRefused(actual.rename),
    readFile: unlessRefused(actual.readFile as (path: string, encoding: 'utf8') => Promise<string>),
    rm: unlessRefused(actual.rm),
  }
})

const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
beforeEach(() => void Object.defineProperty(process, 'platform', { ...platform, value: 'win32' }))
afterEach(() => {
  refused.left = 0
  Object.defineProperty(process, 'platform', platform)
})

const made = async () => {
  const root = await mkdtemp(join(tmpdir(), 'precis-windows-'))
  return { root, storage: fsStorage({ root }) }
}

it.each(['EPERM', 'EACCES', 'EBUSY'])('on Windows a file that somebody looks at is written, read and deleted once it is free: %s', async (code) => {
  const { root, storage } = await made()
  await storage.put('a/b', 'one')
  Object.assign(refused, { code, left: 3 })
  const { version } = await storage.put('a/b', 'two')
  refused.left = 3
  expect(await storage.get('a/b')).toEqual({ body: 'two', version })
  refused.left = 3
  await storage.delete('a/b')
  expect(await storage.get('a/b')).toBeUndefined()
  expect(await readdir(join(root, '.precis/locks'))).toEqual([])
})

it('one that is never free is refused with what Windows says', async () => {
  const { storage } = await made()
  await storage.put('a/b', 'one')
  refused.left = Infinity
  await expect(storage.get('a/b')).rejects.toThrow('operation not permitted')
})

it('elsewhere the same words are final', async () => {
  Object.defineProperty(process, 'platform', platform)
  const { storage } = await made()
  await storage.put('a/b', 'one')
  Object.assign(refused, { left: 1, last: 0 })
  await expect(storage.get('a/b')).rejects.toThrow('operation not permitted')
  expect(refused.last).toBe(1)
})
