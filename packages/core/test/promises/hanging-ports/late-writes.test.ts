import { createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { fakeSummarizer, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../../systems/setup.ts'
import { limits, long } from './setup.ts'

/** A storage whose writes take effect when they are let through, whenever that is. */
function held() {
  const inner = memoryStorage()
  const waiting: (() => void)[] = []
  let holding = false
  const storage: StorageDriver = {
    ...inner,
    // What it was asked, it does: no signal stops a request that is on its way.
    put: async (key, body, options) => {
      if (holding) await new Promise<void>((resolve) => waiting.push(resolve))
      return inner.put(key, body, options?.ifVersion === undefined ? {} : { ifVersion: options.ifVersion })
    },
  }
  return {
    inner,
    storage,
    hold: () => {
      holding = true
    },
    let: async () => {
      holding = false
      for (const go of waiting.splice(0)) go()
      await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}

describe('what comes after the deadline', () => {
  it('a state that was written late is followed, not written over and not taken for a rival', async () => {
    const { inner, storage, hold, let: letThrough } = held()
    const options = { codec: neutralCodec, limits, storage, effectDeadline: 20 }
    const session = createCompactor<Message>(options).session('s')
    hold()
    const first = await session.beforeModelCall(long)
    await letThrough()
    const more = history(long, codingSession({ turns: 4, steps: 3, lines: 40 }).slice(1), user('And now?'))
    const second = await session.beforeModelCall(more)
    expect(second.report.warnings.filter((warning) => warning.includes('stored'))).toEqual([])
    const other = createCompactor<Message>({ ...options, storage: inner }).session('s')
    expect((await other.beforeModelCall(more)).messages).toEqual(second.messages)
    expect(other.state().checkpoints.map((one) => one.id)).toEqual(expect.arrayContaining([first.report.checkpoint, second.report.checkpoint]))
  })

  it('a lease that was written late is given back', async () => {
    const { inner, storage, hold, let: letThrough } = held()
    await inner.put('redaction/salt.json', '{"key":"of all"}')
    hold()
    const slow = fakeSummarizer()
    const session = createCompactor<Message>({
      codec: neutralCodec,
      limits,
      storage,
      effectDeadline: 20,
      queue: { name: 'none', enqueue: async () => {} },
      summarizer: {
        ...slow,
        async summarize(request, signal) {
          await letThrough()
          return slow.summarize(request, signal)
        },
      },
    }).session('s')
    await session.beforeModelCall(long)
    const lease = JSON.parse((await inner.get('sessions/s/lease.json'))?.body ?? '{}') as { until: number }
    expect(lease.until).toBe(0)
  })
})
