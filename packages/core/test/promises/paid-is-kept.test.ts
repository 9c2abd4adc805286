import { createArchive, createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver, type Summarizer } from '@precis/core'
import { fakeSummarizer, history, user } from '@precis/testkit'
import { expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// What was paid for is kept, and what was taken back stays away, whatever is slow, fails or comes between.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const long = (turns: number): readonly Message[] => history(user('The goal is PRE-205.'), codingSession({ turns, steps: 2, lines: 30 }), user('and now?'))
const never = (): Promise<never> => new Promise(() => {})
const on = (storage: StorageDriver, summarizer: Summarizer, more: object = {}) =>
  createCompactor<Message>({ codec: neutralCodec, limits, storage, summarizer, ...more })

/** A storage that takes no state while it is down. */
function failing() {
  const inner = memoryStorage()
  const is = { down: false }
  const storage: StorageDriver = {
    ...inner,
    async put(key, ...more) {
      if (is.down && key.endsWith('state.json')) throw new Error('no connection')
      return inner.put(key, ...more)
    },
  }
  return { is, storage }
}

it.each<[string, object]>([
  ['an archive', { archive: createArchive<Message>({ name: 'away', get: never, put: never, delete: never, list: never as never }) }],
  [
    'a trace',
    {
      trace: async (_: unknown, work: (done: () => void) => Promise<unknown>) => {
        await work(() => {})
        return never()
      },
    },
  ],
])('%s that never answers keeps no summary from the storage', async (_, more) => {
  const [storage, summarizer] = [memoryStorage(), fakeSummarizer()]
  await on(storage, summarizer, { ...more, effectDeadline: 50 })
    .session('s')
    .compactAhead(long(10))
  const { report } = await on(storage, summarizer).session('s').beforeModelCall(long(10))
  expect([report.outcome, summarizer.requests.length]).toEqual(['projected', 1])
})

it('a summary that could not be stored is built on, also where another process has stored a request meanwhile', async () => {
  const { is, storage } = failing()
  const summarizer = fakeSummarizer()
  const session = on(storage, summarizer).session('s')
  is.down = true
  const { report } = await session.beforeModelCall(long(10))
  is.down = false
  expect(report.warnings.join()).toContain('could not be stored')
  const [first] = session.state().checkpoints
  await on(storage, summarizer).session('s').schedule()
  await session.beforeModelCall(history(long(10), long(9).slice(2)))
  expect(session.state().checkpoints.at(-1)?.parent).toBe(first?.id)
})

it('what was taken back while the storage was away stays away, whoever stores something meanwhile', async () => {
  const { is, storage } = failing()
  const inner = fakeSummarizer()
  let meanwhile = async (): Promise<void> => {}
  const session = on(storage, {
    ...inner,
    async summarize(...given) {
      await meanwhile()
      return inner.summarize(...given)
    },
  }).session('s')
  await session.beforeModelCall(long(10))
  const [taken] = session.state().checkpoints
  is.down = true
  await session.rewind()
  is.down = false
  meanwhile = () => on(storage, fakeSummarizer()).session('s').schedule()
  await session.beforeModelCall(history(long(10), user('and?')))
  expect(session.state().checkpoints.map(({ id }) => id)).not.toContain(taken?.id)
  expect((await storage.get('sessions/s/state.json'))?.body).not.toContain(`"id":"${taken?.id}"`)
})

it('a summary that a person asked for is shown and stored, also while another process writes one', async () => {
  const storage = memoryStorage()
  const other = fakeSummarizer()
  let [begun, go] = [(): void => {}, (): void => {}]
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const open = new Promise<void>((resolve) => {
    go = resolve
  })
  const working = on(storage, {
    ...other,
    async summarize(...given) {
      begun()
      await open
      return other.summarize(...given)
    },
  })
    .session('s')
    .beforeModelCall(long(10))
  await started
  const session = on(storage, fakeSummarizer()).session('s')
  const { report } = await session.compact(long(10), { focus: 'the tests' })
  const shown = session.state().checkpoints.at(-1)?.id
  expect(report.warnings).toEqual([])
  go()
  await working
  await session.beforeModelCall(history(long(10), user('go on')))
  expect(session.state().checkpoints.map(({ id }) => id)).toContain(shown)
})

it('a deadline of two days does not make two processes pay', async () => {
  const [storage, first, second] = [memoryStorage(), fakeSummarizer('hangs'), fakeSummarizer()]
  const policy = { summary: { deadline: 2 * 86_400_000 } }
  const stop = new AbortController()
  const working = on(storage, first, { policy }).session('s').beforeModelCall(long(10), { signal: stop.signal })
  await expect.poll(() => first.requests.length).toBe(1)
  const { report } = await on(storage, second, { policy }).session('s').beforeModelCall(long(10))
  expect([report.warnings.join().includes('another process'), second.requests.length]).toEqual([true, 0])
  stop.abort(new Error('enough'))
  await expect(working).rejects.toThrow('enough')
})

it('who waits for another process counts what each look takes', async () => {
  const inner = memoryStorage()
  let looks = 0
  const storage: StorageDriver = {
    ...inner,
    async get(key, ...more) {
      if (key.includes('lease') && ++looks > 0) await new Promise((resolve) => setTimeout(resolve, 600))
      return inner.get(key, ...more)
    },
  }
  await inner.put('sessions/s/lease.json', JSON.stringify({ owner: 'another', until: Date.now() + 120_000 }))
  const { report } = await on(storage, fakeSummarizer()).session('s').beforeModelCall(long(10))
  expect(report.warnings.join()).toContain('another process')
  // Two seconds: eleven looks where they take no time.
  expect(looks).toBeLessThan(8)
})
