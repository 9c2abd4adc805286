import { assistant, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { fingerprint } from '../../src/history/fingerprint.ts'
import type { Checkpoint, Message } from '../../src/index.ts'
import { checkpointsToCarry } from '../../src/recall/adapters.ts'
import { withCheckpoint } from '../../src/state/grown.ts'
import { initialState } from '../../src/state/state.ts'
import { checkpointOf, summaryWith } from '../checkpoints.ts'

const checkpoint = (version: number, size: number): Checkpoint =>
  checkpointOf(version, { id: `c${version}`, version, summary: summaryWith({ version, record: 'x'.repeat(size) }) })
const after = (count: number, size: number): readonly number[] => {
  let state = initialState
  for (let version = 1; version <= count; version++) state = withCheckpoint(state, checkpoint(version, size))
  return state.checkpoints.map((one) => one.version)
}

describe('a state does not grow without end', () => {
  it.each([
    ['small checkpoints: the newest sixty-four', 100, 10, 64],
    ['large ones: as many as half a million characters hold', 20, 90_000, 5],
    ['huge ones: the newest two, whatever their size', 5, 2_000_000, 2],
  ])('%s', (_, count, size, kept) => {
    const versions = after(count, size)
    expect(versions).toHaveLength(kept)
    expect(versions.at(-1)).toBe(count)
  })
})

it('the newest one of a large window outlives any number for a smaller', () => {
  let state = withCheckpoint(initialState, { ...checkpoint(1, 10), usable: 100_000 })
  for (let version = 2; version <= 100; version++) state = withCheckpoint(state, { ...checkpoint(version, 90_000), usable: version % 2 === 0 ? 9_000 : 30_000 })
  expect(state.checkpoints.map((one) => one.version)).toEqual([1, 96, 97, 98, 99, 100])
  const history = [user('Go.'), assistant('Yes.')]
  const carried = (said: readonly Message[]): readonly number[] => {
    const checkpoints = state.checkpoints.map((one) => ({ ...one, covered: 1, fingerprint: fingerprint(history, 1) }))
    return checkpointsToCarry({ ...state, checkpoints }, said).map((one) => one.version)
  }
  expect(carried(history)).toEqual([1, 99, 100])
  expect(carried([user('Stop.'), assistant('Yes.')])).toEqual([])
})
