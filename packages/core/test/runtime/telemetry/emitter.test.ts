import { fakeClock } from '@precis/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Exporter } from '../../../src/index.ts'
import { createEmitter } from '../../../src/runtime/telemetry/emitter.ts'

const never = (): Promise<void> => new Promise(() => {})
const event = { event: 'compact.fallback', severity: 'warning', attributes: {} } as const
const emitted = (...exporters: readonly Exporter[]) => {
  const emitter = createEmitter(exporters, fakeClock())
  emitter.emit('s', [event])
  return emitter
}

describe('flush and shutdown', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each(['flush', 'shutdown'] as const)('%s takes its time once, though an exporter neither exports nor ends', async (end) => {
    const emitter = emitted({ name: 'hangs', export: never, flush: never, shutdown: never })
    let ended = false
    const ending = emitter[end](1_000).then(() => {
      ended = true
    })
    await vi.advanceTimersByTimeAsync(999)
    expect(ended).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await ending
  })

  it('one that hangs keeps no other from ending, and is ended when the time is over', async () => {
    const calls: string[] = []
    const noting = (name: string, work: Exporter['export']): Exporter => ({ name, export: work, shutdown: async () => void calls.push(name) })
    const ending = emitted(
      noting('hangs', never),
      noting('sound', () => {}),
    ).shutdown(1_000)
    await vi.advanceTimersByTimeAsync(1)
    expect(calls).toEqual(['sound'])
    await vi.advanceTimersByTimeAsync(999)
    await ending
    expect(calls).toEqual(['sound', 'hangs'])
  })

  it('events that come later are ignored', async () => {
    const exported: string[] = []
    const emitter = emitted({ name: 'notes', export: (events) => void exported.push(...events.map((one) => one.session_id)) })
    await emitter.shutdown()
    emitter.emit('later', [event])
    await emitter.flush()
    expect(exported).toEqual(['s'])
  })
})

describe('exporters are handed the same events', () => {
  it('one that writes into them spoils nothing for the agent, the others, or itself later', async () => {
    const seen: string[] = []
    const spoil = (events: readonly unknown[]): void => {
      const list = events as { event: string; attributes: Record<string, unknown> }[]
      for (const write of [
        () => ((list[0] as (typeof list)[number]).attributes['reason'] = 'mine'),
        () => ((list[0] as (typeof list)[number]).event = 'mine'),
        () => list.splice(0),
      ]) {
        try {
          write()
        } catch {
          // Goes on to the next.
        }
      }
      throw new Error('and fails')
    }
    const noting = (name: string): Exporter => ({
      name,
      observe: (events) => void seen.push(...events.map((one) => `${name} observed ${one.event} ${JSON.stringify(one.attributes)}`)),
      export: (events) => void seen.push(...events.map((one) => `${name} exported ${one.event} ${JSON.stringify(one.attributes)}`)),
    })
    const emitter = createEmitter([{ name: 'writes', observe: spoil, export: spoil }, noting('ids'), { ...noting('keeps'), keepsIds: true }], fakeClock())
    emitter.emit('s', [{ event: 'compact.fallback', severity: 'warning', attributes: { reason: 'why' } }])
    await emitter.flush()
    const told = 'compact.fallback {"reason":"why"}'
    expect(seen.sort()).toEqual([`ids exported ${told}`, `ids observed ${told}`, `keeps exported ${told}`, `keeps observed ${told}`])
  })
})

it('in Cloudflare Workers, a batch that is gone with its request keeps none of another request waiting', async () => {
  vi.resetModules()
  vi.stubGlobal('WebSocketPair', class {})
  const { createEmitter: inWorker } = await import('../../../src/runtime/telemetry/emitter.ts')
  const batches: number[] = []
  const emitter = inWorker([{ name: 'sends', export: (events) => (batches.push(events.length) === 1 ? never() : undefined) }], fakeClock())
  emitter.emit('gone', [event])
  await Promise.resolve()
  emitter.emit('s', [event])
  emitter.emit('s', [event])
  await emitter.flush(60_000)
  expect(batches).toEqual([1, 2])
  vi.unstubAllGlobals()
})
