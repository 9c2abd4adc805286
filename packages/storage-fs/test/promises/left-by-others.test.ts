import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fsStorage } from '@precis/storage-fs'
import { afterAll, expect, it, vi } from 'vitest'

const root = await mkdtemp(join(tmpdir(), 'precis-left-'))
afterAll(() => rm(root, { recursive: true, force: true }))

it('a write does not wait for thousands of files that killed processes left: they go beside it', async () => {
  const drafts = join(root, '.precis', 'drafts')
  await mkdir(drafts, { recursive: true })
  const hourAgo = new Date(Date.now() - 3_600_000)
  for (let at = 0; at < 3_000; at++) {
    await writeFile(join(drafts, `a.b.${at}`), '')
    await utimes(join(drafts, `a.b.${at}`), hourAgo, hourAgo)
  }
  const storage = fsStorage({ root, durable: false })
  await storage.put('sessions/s/state.json', '{}')
  expect((await readdir(drafts)).length).toBeGreaterThan(0)
  await vi.waitFor(async () => expect(await readdir(drafts)).toEqual([]), 30_000)
  expect((await storage.get('sessions/s/state.json'))?.body).toBe('{}')
}, 60_000)

it.each([3_600, 31_536_000])('the lock of a writer elsewhere that died while the clock was %i seconds ahead is broken at once', async (seconds) => {
  const key = `sessions/${seconds}/state.json`
  const lock = join(root, '.precis', 'locks', createHash('sha256').update(key).digest('hex').slice(0, 32))
  await mkdir(join(root, '.precis', 'locks'), { recursive: true })
  await writeFile(lock, '17 another-host token numbering 123 .')
  const ahead = new Date(Date.now() + seconds * 1_000)
  await utimes(lock, ahead, ahead)
  const began = Date.now()
  await fsStorage({ root }).put(key, '{}')
  expect(Date.now() - began).toBeLessThan(2_000)
})
