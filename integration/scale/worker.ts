// One worker process of the scale test: works on the queue until it is told to stop, or killed.
import { createCompactor, neutralCodec } from '@precis/core'
import { bullmqWorker } from '@precis/queue-bullmq'
import { type UnstorageDriver, unstorageStorage } from '@precis/storage-unstorage'
import { Redis } from 'ioredis'
import redisDriver from 'unstorage/drivers/redis'
import { compactorOptions, historyOf, readEdition } from './sessions.ts'

const [url = '', root = ''] = process.argv.slice(2)
const redis = new Redis(url, { maxRetriesPerRequest: null })
const storage = unstorageStorage(redisDriver({ url, base: root }) as unknown as UnstorageDriver)

/** Tells of two processes that write for one session at the same time, unless one of them is dead. */
const summarizer = {
  name: 'slow',
  window: 1_000_000,
  async summarize({ requiredSections, prompt }: { readonly requiredSections: readonly string[]; readonly prompt: string }) {
    const session = /session (s\d+)/.exec(prompt)?.[1] ?? 'unknown'
    const other = await redis.get(`${root}:busy:${session}`)
    if (other !== null && Number(other) !== process.pid && isAlive(Number(other))) await redis.rpush(`${root}:double`, session)
    await redis.set(`${root}:busy:${session}`, process.pid, 'PX', 5_000)
    await redis.incr(`${root}:summaries`)
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 40))
    await redis.del(`${root}:busy:${session}`)
    const text = requiredSections.map((section) => `## ${section}\n- session ${session} goes on`).join('\n') || `Session ${session} goes on.`
    return { text, finish: 'stop' as const }
  },
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const worker = bullmqWorker({
  connection: { url } as never,
  name: root,
  compactor: createCompactor({ codec: neutralCodec, ...compactorOptions, storage, summarizer }),
  history: async (session) => historyOf(session, await readEdition(redis, root, session)),
  concurrency: 8,
  onOutcome: (session, outcome) => redis.multi().hincrby(`${root}:outcomes`, outcome, 1).sadd(`${root}:seen`, session).exec(),
})
process.on('SIGTERM', () => void worker.close().then(() => process.exit(0)))
process.send?.('ready')
