import { type ChildProcess, fork } from 'node:child_process'
import { type CompactionState, createCompactor, neutralCodec } from '@precis/core'
import { bullmqQueue } from '@precis/queue-bullmq'
import { type UnstorageDriver, unstorageStorage } from '@precis/storage-unstorage'
import { brokenLaws, createRandom, fakeSummarizer } from '@precis/testkit'
import { Redis } from 'ioredis'
import redisDriver from 'unstorage/drivers/redis'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { isWhole } from '../whole.ts'
import { compactorOptions, historyOf, readEdition } from './sessions.ts'

const children = new Set<ChildProcess>()
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
})

async function startWorker(url: string, root: string): Promise<ChildProcess> {
  const child = fork(new URL('worker.ts', import.meta.url), [url, root], {
    execArgv: ['--conditions=@precis/source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`a worker ended at its start (${code})`)))
  })
  return child
}

const setUp = (root: string) => {
  const { url } = inject('redis')
  const redis = new Redis(url)
  const queue = bullmqQueue({ connection: { url } as never, name: root })
  const storage = () => unstorageStorage(redisDriver({ url, base: root }) as unknown as UnstorageDriver)
  const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `s${at}`)
  return { url, redis, queue, storage, names }
}
const job = (session: string) => ({ session, call: {} })

async function until(done: () => Promise<boolean>, seconds: number): Promise<boolean> {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; ) {
    if (await done()) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}

const served = isWhole ? 2_000 : 500

describe('many processes, many sessions', () => {
  it(`eight workers, ${served} sessions, workers killed, jobs delivered twice, sessions edited: nothing is lost, doubled or adopted out of date`, async () => {
    const root = 'scale'
    const { url, redis, queue, storage, names } = setUp(root)
    const sessions = names(served)
    const random = createRandom(7)
    const workers = await Promise.all(Array.from({ length: 8 }, () => startWorker(url, root)))
    const started = Date.now()
    for (let at = 0; at < sessions.length; at += 100) await Promise.all(sessions.slice(at, at + 100).map((session) => queue.enqueue(job(session))))
    // Every so often a worker dies without a word, and a session is edited or asked for again.
    let kills = 0
    let edits = 0
    const seen = (): Promise<number> => redis.scard(`${root}:seen`)
    while ((await seen()) < sessions.length && Date.now() - started < 240_000) {
      await new Promise((resolve) => setTimeout(resolve, 300))
      for (let again = 0; again < 5; again++) await queue.enqueue(job(random.pick(sessions)))
      const edited = random.pick(sessions)
      await redis.hincrby(`${root}:editions`, edited, 1)
      await queue.enqueue(job(edited))
      edits++
      if (kills < 12) {
        const victim = workers.splice(random.between(0, workers.length - 1), 1)[0] as ChildProcess
        victim.kill('SIGKILL')
        workers.push(await startWorker(url, root))
        kills++
      }
    }
    const seconds = (Date.now() - started) / 1_000
    const outcomes = await redis.hgetall(`${root}:outcomes`)
    console.log(
      `${served} sessions in ${seconds.toFixed(1)} s, ${kills} workers killed, ${edits} sessions edited, ${await redis.get(`${root}:summaries`)} summaries begun, outcomes ${JSON.stringify(outcomes)}`,
    )
    const members = new Set(await redis.smembers(`${root}:seen`))
    expect(sessions.filter((session) => !members.has(session))).toEqual([])
    expect(await redis.lrange(`${root}:double`, 0, -1)).toEqual([])
    // Served by a process that has never seen them: each context is valid, and what was written for another edition is not shown.
    const own = storage()
    const compactor = createCompactor({ codec: neutralCodec, ...compactorOptions, storage: own, summarizer: fakeSummarizer() })
    let projected = 0
    for (const session of sessions) {
      const edition = await readEdition(redis, root, session)
      const source = historyOf(session, edition)
      const stored = await own.get(`sessions/${session}/state.json`)
      const { checkpoints } = JSON.parse(stored?.body ?? '{"checkpoints":[]}') as Pick<CompactionState, 'checkpoints'>
      // One after another, never two from one beginning of the same edition.
      for (const [at, checkpoint] of checkpoints.entries()) {
        const same = checkpoints.slice(0, at).some((before) => before.fingerprint === checkpoint.fingerprint && before.parent === checkpoint.parent)
        expect(same, `${session}: two summaries of one span`).toBe(false)
      }
      const { messages, report } = await compactor.session(session).beforeModelCall(source)
      projected += Number(report.outcome === 'projected')
      expect(JSON.stringify(messages)).toContain(`session ${session}`)
      if (!JSON.stringify(messages).includes(`edition ${edition}.`)) expect(report.outcome).toBe('projected')
      const broken = brokenLaws({ history: source, context: messages, plan: report.plan, tokens: report.tokens }).filter((law) => law.startsWith('validity'))
      expect(broken).toEqual([])
    }
    console.log(`${projected} of ${served} served with a summary that a worker had written`)
    expect(projected).toBeGreaterThan(0.9 * served)
    await queue.close()
    redis.disconnect()
  }, 400_000)

  it.runIf(isWhole)('throughput by number of workers', async () => {
    const rows: Record<string, unknown>[] = []
    for (const count of [1, 2, 4, 8]) {
      const root = `throughput${count}`
      const { url, redis, queue, names } = setUp(root)
      const sessions = names(400)
      const workers = await Promise.all(Array.from({ length: count }, () => startWorker(url, root)))
      const start = Date.now()
      await Promise.all(sessions.map((session) => queue.enqueue(job(session))))
      expect(await until(async () => (await redis.scard(`${root}:seen`)) === sessions.length, 60)).toBe(true)
      rows.push({ workers: count, 'sessions a second': Math.round((1_000 * sessions.length) / (Date.now() - start)) })
      for (const worker of workers) worker.kill('SIGTERM')
      await queue.close()
      redis.disconnect()
    }
    console.table(rows)
  })
})
