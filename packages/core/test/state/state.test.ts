import { describe, expect, it } from 'vitest'
import type { Checkpoint } from '../../src/index.ts'
import { initialState, withCheckpoint } from '../../src/state/state.ts'

const checkpoint = (version: number, size: number): Checkpoint => ({
  id: `c${version}`,
  version,
  covered: version,
  length: version,
  fingerprint: `${version}:0`,
  kept: [],
  dropped: [],
  edits: [],
  summary: {
    version,
    text: '',
    record: 'x'.repeat(size),
    sections: {},
    missing: [],
    quality: { empty: [], unsupported: [], failedAttempts: { known: 0, kept: 0 } },
  },
  reason: 'hard',
  automatic: true,
  tokens: { before: 2, after: 1 },
})
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
