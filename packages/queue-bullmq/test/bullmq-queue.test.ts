import { createCompactor, neutralCodec } from '@precis/core'
import { bullmqQueue } from '@precis/queue-bullmq'
import { fakeExporter, generateHistory } from '@precis/testkit'
import { afterEach, expect, it } from 'vitest'

// With a real Redis, worker processes that die, and jobs that come twice: `npm run test:integration`.
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const queue of open.splice(0)) await Promise.race([queue.close(), new Promise((resolve) => setTimeout(resolve, 500))])
})
const away = () => {
  const queue = bullmqQueue({ connection: { host: '127.0.0.1', port: 1, retryStrategy: () => null } as never, timeout: 100 })
  open.push(queue)
  return queue
}

it('a Redis that is away is an error in time, not a wait', async () => {
  await expect(away().enqueue({ session: 's', call: {} })).rejects.toThrow()
})
it('an agent goes on without it', async () => {
  const exporter = fakeExporter()
  const policy = { trigger: { soft: { fraction: 0.01 }, hard: { fraction: 0.9 }, background: true } }
  const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 100_000, maxOutput: 1_000 }, policy, queue: away(), exporters: [exporter] })
  const { report } = await compactor.session('s').beforeModelCall(generateHistory(3, { turns: 10 }))
  expect([report.outcome, report.plan.decision.reason]).toEqual(['unchanged', 'soft'])
  await new Promise((resolve) => setTimeout(resolve, 200))
  await compactor.flush()
  expect(exporter.events.filter((event) => event.attributes['from'] === 'queue')).toHaveLength(1)
})
