import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { otlpExporter } from '@precis/exporter-otlp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { receiver } from './receiver.ts'

const event = { event: 'compact.finished', ts: new Date(0).toISOString(), session_id: 's', severity: 'info', attributes: { duration_ms: 5 } } as const

/** Takes connections and never says a word. */
const silent: Server = createServer(() => {})
/** Had a port, and gave it back. */
let nobody = ''
let mute = ''
const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/v1/traces`

beforeAll(async () => {
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  mute = addressOf(silent)
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  nobody = addressOf(closed)
  closed.close()
  await once(closed, 'close')
})
afterAll(() => void silent.close())
const warn = vi.spyOn(console, 'warn')
beforeEach(() => void warn.mockReset().mockImplementation(() => {}))
afterEach(() => void warn.mockReset())

describe.each([
  ['nobody listens', () => nobody, /did not answer \(ECONNREFUSED\)/],
  ['somebody listens and never answers', () => mute, /did not answer in time/],
])('a collector where %s', (_, endpoint, came) => {
  it('is named on the console, once for spans and once for metrics, and says what to look at', async () => {
    const { href } = Object.assign(new URL(endpoint()), { username: 'app', password: 'hunter2' })
    const exporter = otlpExporter({ endpoint: href, timeout: 300, batchDelay: 1, metrics: { interval: 400 } })
    for (let batch = 0; batch < 3; batch++) {
      await exporter.export([event])
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    await exporter.shutdown?.()
    const said = warn.mock.calls.map(([line]) => String(line))
    expect(said.map((line) => /no (traces|metrics) are/.exec(line)?.[1]).sort()).toEqual(['metrics', 'traces'])
    for (const line of said) expect(line).toMatch(came)
    expect(said.join()).toContain('Start it, or correct `endpoint`.')
    expect(said.join()).not.toMatch(/app|hunter2/)
  })
  it('is named where a program ends sooner', async () => {
    const exporter = otlpExporter({ endpoint: endpoint(), shutdownTimeout: 100, metrics: false })
    await exporter.export([event])
    await exporter.shutdown?.()
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1))
  })
  it('is not waited for longer than shutdownTimeout, spans and metrics together', async () => {
    const exporter = otlpExporter({ endpoint: endpoint(), shutdownTimeout: 300 })
    await exporter.export([event])
    const began = performance.now()
    await exporter.shutdown?.()
    const took = performance.now() - began
    expect(took).toBeGreaterThan(250)
    expect(took).toBeLessThan(1_500)
  })
  it.each([
    ['which says so', { end: 'await compactor.shutdown()' }],
    ['by itself, when the batch that is under way has had its time', { timeout: 500 }],
  ])(
    'keeps no program from its end, %s',
    async (_, how) => {
      const child = run(endpoint(), { ...how, batchDelay: 1 })
      await once(child.stdout, 'data')
      const said = performance.now()
      const [code] = await once(child, 'exit')
      expect(code).toBe(0)
      // Two seconds, and a busy machine.
      expect(performance.now() - said).toBeLessThan(3_500)
    },
    20_000,
  )
})

it('a program that ends by itself sends what waits', async () => {
  const { endpoint, requests } = await receiver()
  const [code] = await once(run(endpoint, { batchDelay: 60_000 }), 'exit')
  expect(code).toBe(0)
  expect(requests.map(({ path }) => path).sort()).toEqual(['/v1/metrics', '/v1/traces'])
}, 20_000)

/** A program that compacts once and then ends. */
function run(
  endpoint: string,
  { end = '', ...options }: { readonly end?: string; readonly timeout?: number; readonly batchDelay: number },
): ChildProcessByStdio<null, Readable, null> {
  const program = `
    import { createCompactor, neutralCodec } from '@precis/core'
    import { otlpExporter } from '@precis/exporter-otlp'
    const exporters = [otlpExporter({ endpoint: process.env.ENDPOINT, ...${JSON.stringify(options)} })]
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 500, maxOutput: 10 }, exporters })
    const history = Array.from({ length: 20 }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', parts: [{ type: 'text', text: 'word '.repeat(50) }] }))
    await compactor.session('s').beforeModelCall(history)
    await new Promise((resolve) => setTimeout(resolve, 500))
    console.log('ends')
    ${end}
  `
  return spawn(process.execPath, ['--conditions=@precis/source', '--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, ENDPOINT: endpoint },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
