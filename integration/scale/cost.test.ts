import { type CompactionReport, createArchive, createCompactor, createToolOutputStore, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { expect, it } from 'vitest'
import { isWhole } from '../whole.ts'

// What a session asks of its storage, counted: the figures of docs/scale.md.
it('requests and bytes of a session', async () => {
  const counts = { get: 0, put: 0, list: 0, delete: 0, written: 0 }
  const kept = new Map<string, number>()
  const inner = memoryStorage()
  const storage: StorageDriver = {
    ...inner,
    get: (key, options) => {
      counts.get++
      return inner.get(key, options)
    },
    put: (key, body, options) => {
      counts.put++
      counts.written += body.length
      kept.set(key, body.length)
      return inner.put(key, body, options)
    },
  }
  const sessions = isWhole ? 40 : 10
  let calls = 0
  let compactions = 0
  for (let at = 0; at < sessions; at++) {
    const onReport = ({ outcome }: CompactionReport): void => {
      calls++
      if (outcome !== 'unchanged' && outcome !== 'projected') compactions++
    }
    // Every session in a process of its own, as on a fleet of stateless workers.
    const compactor = createCompactor({
      codec: neutralCodec,
      limits: { contextWindow: 64_000, maxOutput: 4_000 },
      storage,
      archive: createArchive(storage),
      outputs: createToolOutputStore(storage),
    })
    const history = generateHistory(at + 1, { turns: 120, output: 3_000 })
    for (let end = 12; end <= history.length; end += 12) {
      if (history[end]?.role === 'tool') end++
      const { report } = await compactor.session(`s${at}`).beforeModelCall(history.slice(0, end))
      onReport(report)
    }
  }
  const total = (part: string): number => [...kept].filter(([key]) => key.includes(part)).reduce((sum, [, size]) => sum + size, 0)
  const perSession = (value: number): number => Math.round((10 * value) / sessions) / 10
  console.table({
    'model calls': perSession(calls),
    compactions: perSession(compactions),
    GET: perSession(counts.get),
    PUT: perSession(counts.put),
    'kB written': perSession(counts.written / 1_000),
    'kB kept: state': perSession(total('state.json') / 1_000),
    'kB kept: transcript': perSession(total('/transcript/') / 1_000),
    'kB kept: checkpoints': perSession(total('/checkpoints/') / 1_000),
    'kB kept: outputs': perSession(total('outputs/') / 1_000),
  })
  expect(compactions).toBeGreaterThan(sessions)
  expect(counts.list).toBe(0)
})
