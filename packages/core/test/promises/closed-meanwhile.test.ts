import { createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver, type Summarizer } from '@precis/core'
import { fakeSummarizer, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// What a host does to a conversation while one of its calls is under way.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const long = (turns: number, goal = 'PRE-205'): readonly Message[] =>
  history(user(`The goal is ${goal}.`), codingSession({ turns, steps: 2, lines: 30 }), user('and now?'))
const later = (before: readonly Message[]): readonly Message[] => history(before, long(12).slice(2))

/** A summarizer that tells when it was asked, and answers when it is told. */
function gated() {
  const inner = fakeSummarizer()
  let [begun, go] = [(): void => {}, (): void => {}]
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const open = new Promise<void>((resolve) => {
    go = resolve
  })
  const gate = { isShut: false }
  const summarizer: Summarizer = {
    ...inner,
    async summarize(...given) {
      begun()
      if (gate.isShut) await open
      return inner.summarize(...given)
    },
  }
  return { inner, gate, started, open: () => go(), summarizer }
}
const on = (storage: StorageDriver, summarizer: Summarizer = fakeSummarizer()) => createCompactor<Message>({ codec: neutralCodec, limits, storage, summarizer })

describe('a session that is closed while a call is under way', () => {
  it('loses nothing of what is stored: the call goes on with what it knew', async () => {
    const storage = memoryStorage()
    const { inner, summarizer } = gated()
    const before = long(10)
    await on(storage, summarizer).session('s').beforeModelCall(before)
    const waits = gated()
    waits.gate.isShut = true
    const session = on(storage, waits.summarizer).session('s')
    const call = session.beforeModelCall(later(before))
    await waits.started
    session.close()
    waits.open()
    expect((await call).report.outcome).toBe('summarized')
    // A user goes back to before the second summary: the first is still there.
    const { report } = await on(storage, summarizer)
      .session('s')
      .beforeModelCall(history(before, user('on second thought')))
    expect([report.outcome, inner.requests.length]).toEqual(['projected', 1])
  })
  it('keeps the note of a deletion', async () => {
    const storage = memoryStorage()
    const elsewhere = on(storage).session('s')
    const deleted = long(10, 'ORCHID')
    await elsewhere.beforeModelCall(deleted)
    await on(storage).forget('s')
    const { summarizer, gate, started, open } = gated()
    gate.isShut = true
    const session = on(storage, summarizer).session('s')
    const call = session.beforeModelCall(long(10, 'LILY'))
    await started
    session.close()
    open()
    await call
    const { report } = await elsewhere.beforeModelCall(later(deleted))
    expect(report.warnings.join()).toContain('deleted')
    expect((await storage.get('sessions/s/state.json'))?.body).not.toContain('ORCHID')
  })
})

it('an abort ends what waits for another call of its conversation', async () => {
  const { summarizer, gate, started, open } = gated()
  gate.isShut = true
  const session = on(memoryStorage(), summarizer).session('s')
  const call = session.beforeModelCall(long(10))
  await started
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(session.handoff(long(10), { signal })).rejects.toThrow('enough')
  await expect(session.compactAhead(long(10), { signal })).rejects.toThrow('enough')
  open()
  await call
})

it('of a thousand conversations the one in use stays, also where nobody asks for it by its id again', async () => {
  const compactor = createCompactor<Message>({ codec: neutralCodec, limits })
  const session = compactor.session('s')
  for (let at = 0; at < 1_001; at++) {
    compactor.session(`other ${at}`)
    if (at % 250 === 0) await session.beforeModelCall(long(1))
  }
  expect(compactor.session('s')).toBe(session)
})
