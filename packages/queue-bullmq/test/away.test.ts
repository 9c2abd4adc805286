import { type ChildProcess, fork } from 'node:child_process'
import { createCompactor, InvalidConfigurationError, neutralCodec } from '@precis/core'
import { bullmqQueue, bullmqWorker } from '@precis/queue-bullmq'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { redisStandIn, type StandIn } from './redis-stand-in.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  vi.restoreAllMocks()
  process.exitCode = undefined // a worker that can never work sets it
})
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
async function standIn(options = {}): Promise<StandIn> {
  const redis = await redisStandIn(options)
  closing.push(() => redis.goAway().catch(() => {}))
  return redis
}
const workerOn = (port: number) =>
  bullmqWorker({ connection: { host: '127.0.0.1', port }, compactor: createCompactor({ codec: neutralCodec }), history: async () => undefined })

describe('what closes while Redis is away, or can never work, lets its process end', () => {
  const startedOn = async (kind: string, port: number, heard = 'heard'): Promise<ChildProcess> => {
    const execArgv = ['--conditions=@precis/source', '--no-warnings']
    const child = fork(new URL('closing.ts', import.meta.url), [kind, String(port), heard], { execArgv, silent: heard !== 'heard' })
    closing.push(() => child.kill('SIGKILL'))
    await answerOf(child)
    return child
  }
  const answerOf = (child: ChildProcess, message?: string): Promise<unknown> =>
    new Promise((resolve) => {
      child.once('message', resolve)
      if (message !== undefined) child.send(message)
    })
  const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('exit', resolve))

  it.each(['queue', 'worker'])('a %s', { timeout: 30_000 }, async (kind) => {
    const redis = await standIn()
    const child = await startedOn(kind, redis.port)
    await answerOf(child, 'ask')
    await wait(300) // a worker begins to wait for jobs
    await redis.goAway()
    await wait(200)
    await answerOf(child, 'ask') // an agent asks meanwhile: its job waits in the client
    const end = ended(child)
    expect(await Promise.race([answerOf(child, 'close'), wait(5_000)])).toBe('close')
    expect(await Promise.race([end, wait(15_000)])).toBe(0)
  })

  it.each([
    ['queue', 'heard', 0],
    ['worker', 'heard', 0],
    ['queue', 'with no listener', 0],
    ['worker', 'with no listener', 1],
  ])('a %s on a Redis that is too old, which nobody closes, %s: with code %i', { timeout: 30_000 }, async (kind, heard, code) => {
    const child = await startedOn(kind, (await standIn({ version: '4.0.0' })).port, heard)
    const end = ended(child)
    child.disconnect()
    expect(await Promise.race([end, wait(15_000)])).toBe(code)
  })
})

describe('what Redis refuses is said', () => {
  const secret = 'hunter2Zx9'
  const open = {
    queue: (port: number, more: object) => bullmqQueue({ connection: { url: `redis://:${secret}@127.0.0.1:${port}` } as never, timeout: 300, ...more }),
    worker: (port: number, more: object) =>
      bullmqWorker({
        ...{ connection: { url: `redis://:${secret}@127.0.0.1:${port}` } as never, timeout: 300, ...more },
        ...{ compactor: createCompactor({ codec: neutralCodec }), history: async () => undefined },
      }),
  }
  const kinds = Object.keys(open) as (keyof typeof open)[]

  it.each(kinds)('a wrong password of a %s: one warning, in words of ours', async (kind) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const redis = await standIn({ refuses: true })
    const opened = open[kind](redis.port, {})
    closing.push(() => opened.close())
    await vi.waitFor(() => expect(warn).toHaveBeenCalled(), 5_000)
    await wait(1_500) // it is tried again
    const said = warn.mock.calls.map(String).filter((words) => words.includes('WRONGPASS'))
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('[precis] Redis does not serve the queue "precis-compaction" (WRONGPASS)')
    expect(warn.mock.calls.join()).not.toContain(secret)
  })

  it.each(kinds)('an address where nobody listens: a %s tells its listener instead, each time', async (kind) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const redis = await standIn()
    await redis.goAway()
    const errors: Error[] = []
    const onError = (error: Error): void => {
      errors.push(error)
      throw new Error('no')
    }
    const opened = open[kind](redis.port, { onError })
    closing.push(() => opened.close())
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1), 8_000)
    expect(errors[0]?.message).toContain('(ECONNREFUSED)')
    expect(`${JSON.stringify(errors)} ${errors.map(({ stack }) => stack).join()}`).not.toMatch(new RegExp(`${secret}|${redis.port}`))
    expect(warn).not.toHaveBeenCalled()
  })

  it.each(kinds)('a Redis that is too old for a %s, which has no code: once, and to its listener', async (kind) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const redis = await standIn({ version: '4.0.0' })
    const errors: Error[] = []
    for (const more of [{}, { onError: (error: Error) => errors.push(error) }]) {
      const opened = open[kind](redis.port, more)
      closing.push(() => opened.close())
    }
    await vi.waitFor(() => expect([warn.mock.calls.length, errors.length]).toEqual([1, expect.any(Number)]), 5_000)
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), 5_000)
    const words = 'Redis does not serve the queue "precis-compaction" (Error); BullMQ needs Redis 5 or newer, and ioredis; it is not asked again'
    expect([String(warn.mock.calls[0]), errors[0]?.message]).toEqual([expect.stringContaining(words), expect.stringContaining(words)])
    expect(errors.every((error) => InvalidConfigurationError.isInstance(error))).toBe(true)
    await wait(500)
    const own = warn.mock.calls.map(String).filter((said) => said.includes('[precis]'))
    expect([own.length, `${warn.mock.calls.join()}${errors.join()}`.includes(secret)]).toEqual([1, false])
  })

  it('a Redis that serves is not spoken of', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const redis = await standIn()
    const worker = workerOn(redis.port)
    await wait(500)
    await worker.close()
    expect(warn).not.toHaveBeenCalled()
  })
})
