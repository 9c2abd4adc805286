import * as files from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createArchive, createCompactor, neutralCodec } from '@precis/core'
import { fsStorage } from '@precis/storage-fs'
import { generateHistory } from '@precis/testkit'
import { afterEach, expect, it, vi } from 'vitest'

/** Files that may still be written; a file that is removed makes room for another. */
let room = Infinity

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof files>()
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  const open: typeof real.open = async (path, flags, mode) => {
    const file = await real.open(path, flags, mode)
    if (flags === 'wx') {
      if (room <= 0) {
        file.writeFile = async () => full()
        return file
      }
      room--
    }
    return file
  }
  const rm: typeof real.rm = async (path, options) => {
    const { size = 0 } = await real.stat(path).catch(() => ({ size: 0 }))
    await real.rm(path, options)
    if (size > 0) room++
  }
  return { ...real, open, rm }
})

const roots: string[] = []
afterEach(async () => {
  room = Infinity
  await Promise.all(roots.splice(0).map((root) => files.rm(root, { recursive: true, force: true })))
})

it('on a full disk files are deleted, without a lock', async () => {
  const root = await files.mkdtemp(join(tmpdir(), 'precis-full-'))
  roots.push(root)
  const storage = fsStorage({ root })
  for (const key of ['a/b', 'a/c']) await storage.put(key, 'x')
  room = 0
  await expect(storage.put('a/d', 'y')).rejects.toThrow('ENOSPC')
  for (const key of ['a/b', 'a/c']) {
    room = 0
    await storage.delete(key)
    expect(await storage.get(key)).toBeUndefined()
  }
})

it('on a full disk a conversation is forgotten', async () => {
  const root = await files.mkdtemp(join(tmpdir(), 'precis-full-'))
  roots.push(root)
  const storage = fsStorage({ root })
  const make = () => createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, storage, archive: createArchive(storage) })
  await make()
    .session('s')
    .beforeModelCall(generateHistory(1, { turns: 30 }))
  room = 0
  expect((await make().forget('s')).keys.length).toBeGreaterThan(3)
  room = Infinity
  expect((await storage.get('sessions/s/state.json'))?.body).toContain('"forgotten"')
  const left: string[] = []
  for await (const key of storage.list('sessions/s/')) left.push(key)
  expect(left).toEqual(['sessions/s/state.json'])
})
