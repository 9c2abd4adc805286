import { assistant, fakeClock, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { uncalibrated } from '../../../../src/budget/calibrate.ts'
import { presets } from '../../../../src/index.ts'
import { commit } from '../../../../src/runtime/session/committing/commit.ts'
import { here } from '../../../../src/runtime/session/committing/committed.ts'
import { loaded } from '../../../../src/runtime/session/committing/load.ts'
import { takenOver } from '../../../../src/runtime/session/committing/take-over.ts'
import { learnUsage } from '../../../../src/runtime/session/measuring/learn.ts'
import { queuedRequest } from '../../../../src/runtime/session/measuring/measure.ts'
import { emptyMemory, type Memory, restored } from '../../../../src/runtime/session/memory.ts'
import type { SessionParts } from '../../../../src/runtime/session/session-parts.ts'
import type { StateStore } from '../../../../src/runtime/session/stored/state-store.ts'
import type { Step } from '../../../../src/runtime/session/summarizing/execute.ts'
import { type CompactionState, initialState } from '../../../../src/state/state.ts'

// learn, load, commit: each takes a memory and gives the next one.

const memory: Memory<string> = emptyMemory
const sent = {
  messages: [user('a'), assistant('b')],
  length: 2,
  checkpoint: null,
  served: { model: 'm' },
  provider: undefined,
  estimate: 1_000,
  total: 1_000,
  context: ['a', 'b'],
  at: 0,
}
const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 10 })
const checkpoint = { id: 'c', version: 1, covered: 2, length: 3, tokens: { before: 10, after: 5 }, edits: [], kept: [], dropped: [] }
const step = { checkpoint } as unknown as Step

function partsWith(store: Partial<StateStore>): { readonly parts: SessionParts<string>; readonly events: string[]; readonly notes: string[] } {
  const events: string[] = []
  const notes: string[] = []
  const parts = {
    id: 's',
    clock: fakeClock(),
    policy: presets.balanced,
    learned: new Map(),
    store,
    archive: undefined,
    emit: (event: string) => void events.push(event),
    effects: { note: (note: string) => void notes.push(note), begin() {}, isLate: () => false },
  } as unknown as SessionParts<string>
  return { parts, events, notes }
}

describe('learn', () => {
  const { parts } = partsWith({})
  it('nothing from a count that cannot be of what was sent', () => {
    const before = { ...memory, last: sent }
    for (const odd of [0, Number.NaN, 3_501]) expect(learnUsage(parts, before, sent, usage(odd)).state).toBe(before.state)
  })
  it('a count becomes the measurement of this history, and is kept for others of the same model', () => {
    const { state } = learnUsage(parts, { ...memory, last: sent }, sent, usage(800))
    expect(state.anchor).toEqual({ length: 2, checkpoint: null, model: 'm', estimate: 1_000, usage: usage(800) })
    expect(state.calibration.factor).toBe(0.8)
    expect([...parts.learned.values()]).toEqual([state.calibration])
  })
})

describe('read what is stored', () => {
  const stored: CompactionState = { ...initialState, pending: { by: 'user' } }
  it('takes the place of the state, but for what was measured here', () => {
    const measured = { ...uncalibrated, factor: 1.2, last: { estimate: 1, actual: 1 } }
    expect(restored(memory, stored).state).toBe(stored)
    expect(restored({ ...memory, state: { ...initialState, calibration: measured } }, stored).state).toEqual({ ...stored, calibration: measured })
  })
  it('says what could not be read, and where it is kept', async () => {
    const { parts, events, notes } = partsWith({ load: async () => ({ state: initialState, aside: 'k' }) })
    expect(await loaded(parts, memory)).toBe(initialState)
    expect(events).toEqual(['compact.checkpoint_rejected', 'compact.state_set_aside'])
    expect(notes).toEqual(['the stored state cannot be read by this version; its bytes are kept under k'])
  })
  it('goes on with what is known where the storage does not say', async () => {
    const { parts, notes } = partsWith({ load: async () => ({ error: new Error('away') }) })
    expect(await loaded(parts, { ...memory, state: stored })).toBe(stored)
    expect(notes).toEqual(['the stored state cannot be read'])
    expect(await takenOver(partsWith({ changed: async () => undefined }).parts, memory)).toBeUndefined()
    expect((await takenOver(partsWith({ changed: async () => stored }).parts, memory))?.state).toBe(stored)
  })
  it('a request that waits is asked by whoever asked for it', () => {
    expect(queuedRequest(initialState)).toEqual({})
    expect(queuedRequest(stored)).toEqual({ asked: 'marker' })
    expect(queuedRequest({ ...initialState, pending: { by: 'agent', focus: 'x' } })).toEqual({ asked: 'agent', focus: 'x' })
  })
})

describe('commit', () => {
  it('saved: the checkpoint is the newest, here and there', async () => {
    const { parts, events } = partsWith({ save: async () => 'saved' })
    const result = await commit(parts, memory, step, [], true)
    expect([result.kept, result.memory.state.checkpoints]).toEqual(['saved', [checkpoint]])
    expect(events).toEqual(['compact.checkpoint_committed'])
  })
  it('another process was faster: its state is taken over, the checkpoint is nobody’s', async () => {
    let theirs: CompactionState = initialState
    let writes = 0
    const load = async () => {
      theirs = { ...initialState, pending: { by: 'loop', focus: `write ${++writes}` } }
      return { state: theirs }
    }
    const { parts } = partsWith({ save: async () => 'conflict', load })
    const result = await commit(parts, memory, step, [], true)
    expect([result.kept, result.memory.state]).toEqual(['conflict', { ...theirs, calibration: uncalibrated }])
  })
  it('a storage that refuses while nothing there changes has failed: the checkpoint holds here', async () => {
    let saves = 0
    const save = async () => {
      saves++
      return 'conflict' as const
    }
    const { parts } = partsWith({ save, load: async () => ({ state: initialState }) })
    const result = await commit(parts, memory, step, [], true)
    expect([result.kept, result.memory.state.checkpoints]).toEqual(['here', [checkpoint]])
    expect(saves).toBe(3)
  })
  it('not stored is not lost: it holds here', async () => {
    for (const outcome of ['failed', 'conflict'] as const) {
      const result = await commit(partsWith({ save: async () => outcome }).parts, memory, step, [], false)
      expect([result.kept, result.memory.state.checkpoints]).toEqual(['here', [checkpoint]])
    }
    expect(here(memory, step).memory.state.checkpoints).toEqual([checkpoint])
  })
})
