import { type CompactionSession, createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver, type Summarizer } from '@precis/core'
import { fakeSummarizer, history, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// While another process writes a summary, the record made by code stands in for it: until it is stored, and no longer. What was taken back elsewhere goes as well.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const policy = { trigger: { soft: { fraction: 0.3 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 } } }
const full: readonly Message[] = history(user('The goal is PRE-205.'), codingSession({ turns: 16, steps: 2, lines: 30 }), user('and now?'))
const more = (turns: number): readonly Message[] => [...full, ...Array.from({ length: turns }, (_, at) => user(`go on ${at}`))]

/** A model that writes when it is told to. */
function slow() {
  let go = (): void => {}
  let begun = (): void => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const started = new Promise<void>((resolve) => (begun = resolve))
  const inner = fakeSummarizer()
  const summarizer: Summarizer = {
    ...inner,
    async summarize(request, signal) {
      begun()
      await gate
      return inner.summarize(request, signal)
    },
  }
  return { summarizer, started, go: () => go() }
}

/** A storage that counts what it is asked for, and a process on it with a clock of its own. */
function counting(inner: StorageDriver) {
  let asked = 0
  const storage: StorageDriver = {
    ...inner,
    get(key, options) {
      if (key.endsWith('state.json')) asked++
      return inner.get(key, options)
    },
  }
  return { storage, asked: () => asked }
}
function processOn(storage: StorageDriver, summarizer: Summarizer = fakeSummarizer()) {
  let passed = 0
  const clock = { now: () => Date.now() + passed, id: () => crypto.randomUUID() }
  const compactor = createCompactor<Message>({ codec: neutralCodec, limits, policy, storage, summarizer, clock })
  return { compactor, session: compactor.session('s'), pass: (milliseconds: number) => (passed += milliseconds) }
}
const shown = async (session: CompactionSession<Message>, messages: readonly Message[]) => (await session.beforeModelCall(messages)).messages

/** One process writes, and another one has to go on meanwhile. */
async function standIn(written: readonly Message[] = full) {
  const shared = memoryStorage()
  const { storage, asked } = counting(shared)
  const { summarizer, started, go } = slow()
  const writer = processOn(shared, summarizer)
  const writing = writer.session.beforeModelCall(written)
  await started
  const other = fakeSummarizer()
  const live = processOn(storage, other)
  const first = await live.session.beforeModelCall(full)
  expect(first.report.warnings.join()).toMatch(/until it is stored, the record made by code stands in/)
  return { shared, storage, asked, go, writer, writing, live, other, record: first.messages }
}

describe('a record that stands in for a summary of another process', () => {
  it('goes with the first call after that is stored: all processes show the same bytes', async () => {
    const { shared, asked, go, writer, writing, live, other, record } = await standIn()
    // Not there yet: one look for each call, and the context only grows.
    const before = asked()
    expect(await shown(live.session, more(1))).toEqual([...record, user('go on 0')])
    expect(asked()).toBe(before + 1)
    go()
    const { messages: summary } = await writing
    const third = processOn(shared)
    const contexts = [await shown(live.session, more(2)), await shown(third.session, more(2)), await shown(writer.session, more(2))]
    expect(contexts[0]).toEqual([...summary, user('go on 0'), user('go on 1')])
    expect(new Set(contexts.map((one) => JSON.stringify(one))).size).toBe(1)
    // From there on nothing is looked for any more, and the prefix stays.
    const after = asked()
    expect(await shown(live.session, more(3))).toEqual([...(contexts[0] ?? []), user('go on 2')])
    expect(asked()).toBe(after)
    expect(other.requests).toEqual([])
  }, 20_000)

  it('is stored where the other process never does: the looks end with its time, and all processes show the same bytes', async () => {
    const { shared, asked, live, other, record } = await standIn()
    live.pass(10 * 60_000)
    await shown(live.session, more(1))
    const before = asked()
    expect((await shown(live.session, more(2))).slice(0, record.length)).toEqual(record)
    expect(asked()).toBe(before)
    expect(other.requests).toEqual([])
    const model = fakeSummarizer()
    expect(await shown(processOn(shared, model).session, more(2))).toEqual(await shown(live.session, more(2)))
    expect(model.requests).toEqual([])
  }, 20_000)

  it('is tried once: a storage that takes nothing is not asked with every call', async () => {
    const { storage, live, record } = await standIn()
    let puts = 0
    storage.put = async () => {
      puts++
      throw new Error('away')
    }
    live.pass(10 * 60_000)
    for (const turns of [1, 2, 3]) expect((await shown(live.session, more(turns))).slice(0, record.length)).toEqual(record)
    expect(puts).toBe(1)
  }, 20_000)

  it('makes way for what another process asked for meanwhile', async () => {
    const { shared, live } = await standIn()
    await processOn(shared).session.schedule({ focus: 'the tests' })
    live.pass(10 * 60_000)
    expect((await live.session.beforeModelCall(more(1))).report.outcome).toBe('summarized')
    expect(live.session.state().pending).toBeUndefined()
  }, 20_000)

  it('stays beside a summary of a fork, and both are stored with the next one', async () => {
    const { shared, go, writing, live, other, record } = await standIn([user('Another way.'), ...full.slice(1)])
    go()
    await writing
    expect((await shown(live.session, more(1))).slice(0, record.length)).toEqual(record)
    expect(live.session.state().checkpoints).toHaveLength(2)
    expect(other.requests).toEqual([])
    await live.session.schedule()
    expect((JSON.parse((await shared.get('sessions/s/state.json'))?.body ?? '') as { checkpoints: unknown[] }).checkpoints).toHaveLength(2)
  }, 20_000)

  it('stays where that summary was taken back before anybody else saw it, and is stored: other processes go on with it', async () => {
    const { shared, go, writing, writer, live, other, record } = await standIn()
    go()
    await writing
    await writer.session.rewind()
    expect((await shown(live.session, more(1))).slice(0, record.length)).toEqual(record)
    expect((await shown(live.session, more(2))).slice(0, record.length)).toEqual(record)
    expect((await shown(processOn(shared).session, more(2))).slice(0, record.length)).toEqual(record)
    expect(other.requests).toEqual([])
  }, 20_000)

  it('is stored nowhere once the conversation was deleted', async () => {
    const { shared, go, writing, live } = await standIn()
    go()
    await writing
    await processOn(shared).compactor.forget('s')
    const { report } = await live.session.beforeModelCall(more(1))
    expect(report.warnings.join()).toMatch(/this conversation was deleted/)
    expect((await shared.get('sessions/s/state.json'))?.body).not.toContain('PRE-205')
  }, 20_000)
})

describe('what another process took back or stored', () => {
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))
  const both = async () => {
    const shared = memoryStorage()
    const { storage, asked } = counting(shared)
    const [one, other] = [processOn(shared), processOn(storage)]
    const summary = await shown(one.session, full)
    expect(await shown(other.session, full)).toEqual(summary)
    return { shared, storage, asked, one, other, summary }
  }
  it('is seen after a minute, by the call after a glance that no call waits for', async () => {
    const { one, other, asked } = await both()
    await one.session.rewind()
    const before = asked()
    await shown(other.session, more(1))
    expect([other.session.state().checkpoints.length, asked()]).toEqual([1, before])
    other.pass(60_001)
    await shown(other.session, more(2))
    await settled()
    expect([other.session.state().checkpoints.length, asked()]).toEqual([1, before + 1])
    const gone = other.session.state().checkpoints[0]?.id
    const { report } = await other.session.beforeModelCall(more(3))
    expect(report.checkpoint).not.toBe(gone)
    // Nobody looks twice within a minute.
    const after = asked()
    await shown(other.session, more(4))
    await settled()
    expect(asked()).toBe(after)
  })
  it('is no reason to wait: a storage that hangs or fails at a glance holds up nobody', async () => {
    for (const away of [() => new Promise<never>(() => {}), () => Promise.reject(new Error('away'))]) {
      const shared = memoryStorage()
      let isAway = false
      const storage: StorageDriver = { ...shared, get: (key, options) => (isAway ? away() : shared.get(key, options)) }
      const { session, pass } = processOn(storage)
      const summary = await shown(session, full)
      isAway = true
      pass(60_001)
      const started = performance.now()
      for (const turns of [1, 2, 3]) expect((await shown(session, more(turns))).slice(0, summary.length)).toEqual(summary)
      expect(performance.now() - started).toBeLessThan(4_000)
    }
  })
  it('does not take away what is shown here, where it was crowded out of what is stored', async () => {
    const { shared, other, summary } = await both()
    const state = JSON.parse((await shared.get('sessions/s/state.json'))?.body ?? '') as object
    await shared.put('sessions/s/state.json', JSON.stringify({ ...state, checkpoints: [] }))
    other.pass(60_001)
    await shown(other.session, more(1))
    await settled()
    const { messages, report } = await other.session.beforeModelCall(more(2))
    expect(messages.slice(0, summary.length)).toEqual(summary)
    expect(report.outcome).toBe('projected')
  })
  it('in any order of turns, takings back and minutes, all end with the same context', async () => {
    const act = fc.record({ at: fc.nat(2), what: fc.constantFrom('turn', 'turn', 'grow', 'rewind', 'minute') })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), async (acts) => {
        const shared = memoryStorage()
        const processes = [0, 1, 2].map(() => processOn(shared))
        let said: readonly Message[] = full
        for (const { at, what } of acts) {
          const { session, pass } = processes[at] as (typeof processes)[number]
          if (what === 'minute') pass(60_001)
          else if (what === 'rewind') await session.rewind()
          else {
            if (what === 'grow') said = [...said, ...full.slice(1)]
            await shown(session, said)
          }
        }
        // A turn of each a minute later glances, and the next one shows what was stored last.
        for (const { session, pass } of processes) {
          pass(60_001)
          await shown(session, said)
        }
        for (let round = 0; round < 3; round++) {
          for (const { session, pass } of processes) {
            await settled()
            pass(60_001)
            await shown(session, said)
          }
        }
        const contexts = await Promise.all(processes.map(({ session }) => shown(session, said)))
        expect(new Set(contexts.map((one) => JSON.stringify(one))).size).toBe(1)
      }),
      { numRuns: 25 },
    )
  }, 120_000)
})
