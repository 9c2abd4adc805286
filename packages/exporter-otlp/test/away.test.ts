import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { otlpExporter } from '@precis/exporter-otlp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

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

describe.each([
  ['nobody listens', () => nobody],
  ['somebody listens and never answers', () => mute],
])('a collector where %s', (_, endpoint) => {
  it('is not waited for longer than shutdownTimeout, spans and metrics together', async () => {
    const exporter = otlpExporter({ endpoint: endpoint(), shutdownTimeout: 300 })
    await exporter.export([event])
    const began = performance.now()
    await exporter.shutdown?.()
    const took = performance.now() - began
    expect(took).toBeGreaterThan(250)
    expect(took).toBeLessThan(1_500)
  })
  it('keeps no program from its end', async () => {
    const program = `
      import { createCompactor, neutralCodec } from '@precis/core'
      import { otlpExporter } from '@precis/exporter-otlp'
      const exporters = [otlpExporter({ endpoint: process.env.ENDPOINT, batchDelay: 1 })]
      const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 500, maxOutput: 10 }, exporters })
      const history = Array.from({ length: 20 }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', parts: [{ type: 'text', text: 'word '.repeat(50) }] }))
      await compactor.session('s').beforeModelCall(history)
      await new Promise((resolve) => setTimeout(resolve, 500))
      console.log('ends')
      await compactor.shutdown()
    `
    const child = spawn(process.execPath, ['--conditions=@precis/source', '--input-type=module', '-e', program], {
      cwd: join(import.meta.dirname, '..'),
      env: { ...process.env, ENDPOINT: endpoint() },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const said = performance.now()
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    // Two seconds, and a busy machine.
    expect(performance.now() - said).toBeLessThan(3_500)
  }, 20_000)
})
