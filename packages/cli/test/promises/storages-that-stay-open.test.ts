import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStorage } from '@precis/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boundedStorage } from '../../src/archive/bounded-storage.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

/** What a Redis with nothing in it answers. */
const answers: Readonly<Record<string, string>> = { info: '$17\r\nredis_version:7.0\r\n', scan: '*2\r\n$1\r\n0\r\n*0\r\n', get: '$-1\r\n', eval: ':1\r\n' }
let redis: Server
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-open-'))
  redis = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      for (const [, command = ''] of String(chunk).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) socket.write(answers[command.toLowerCase()] ?? '+OK\r\n')
    })
  })
  await new Promise<void>((resolve) => redis.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => redis.close(resolve)))

const compactctl = (url: string, ...args: readonly string[]): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, REDIS_URL: url }
    const child = execFile(process.execPath, ['--conditions=@precis/source', main, ...args], { env, timeout: 30_000 }, (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
const configured = async (options: string): Promise<string> => {
  const path = join(folder, 'precis.yaml')
  await writeFile(path, `storage: { adapter: unstorage, driver: redis, options: ${options}, variables: { url: REDIS_URL } }\n`)
  return path
}

describe('a storage that keeps a connection open', () => {
  it('does not keep a command from ending', async () => {
    const config = await configured('{ base: precis }')
    const url = `redis://127.0.0.1:${(redis.address() as AddressInfo).port}`
    expect(await compactctl(url, 'sessions', '--config', config)).toMatchObject({ code: 0, out: 'The archive is empty.\n' })
    expect(await compactctl(url, 'gc', '--config', config)).toMatchObject({ code: 0 })
    expect(await compactctl(url, 'config', 'validate', config)).toMatchObject({ code: 0 })
  })
  it('that is away ends with an error', async () => {
    const config = await configured('{ base: precis, maxRetriesPerRequest: 1 }')
    const { code, err } = await compactctl('redis://127.0.0.1:1', 'sessions', '--config', config)
    expect([code, err]).toEqual([1, expect.stringContaining('compactctl: The storage "unstorage redis" could not list "sessions/"')])
  })
})

it('a storage that never answers is not waited for without end', async () => {
  const never = (): Promise<never> => new Promise(() => {})
  const list = async function* (): AsyncGenerator<string> {
    yield await never()
  }
  const storage = boundedStorage({ ...memoryStorage(), name: 'slow', get: never, list }, 20)
  await expect(storage.get('a')).rejects.toThrow('The storage "slow" could not get "a": no answer within 0.02 seconds')
  await expect(storage.list('a/')[Symbol.asyncIterator]().next()).rejects.toThrow('no answer')
  await expect(storage.put('a', 'b')).resolves.toBeDefined()
})
