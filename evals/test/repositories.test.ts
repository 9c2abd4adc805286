import { describe, expect, it } from 'vitest'
import { monthOf, repositoryOf } from '../sessions/repositories.ts'

describe('repositories', () => {
  it('are where the log lies, or what the task is named after', () => {
    expect(repositoryOf({ set: 'claude-code', source: 'acme/cli @ checkpoints/v1 d1/d3bff114fe/0/full.jsonl' })).toBe('acme/cli')
    expect(repositoryOf({ set: 'pi', source: 'acme/mono packages/agent/test/fixtures/large.jsonl' })).toBe('acme/mono')
    expect(repositoryOf({ set: 'swe-agent', source: 'x/y trajectories/replay__shop-code__shop-1867__default/shop-code__shop-1867.traj' })).toBe(
      'shop-code/shop',
    )
    expect(repositoryOf({ set: 'swe-agent', source: 'x/y trajectories/ctf/crypto/eps.traj' })).toBe('ctf/eps')
  })
  it('of two riddles or two questions are two; of one help desk one', () => {
    const of = (source: string) => repositoryOf({ set: 'webdancer', source })
    expect(of('a/b data/sample.jsonl#15')).not.toBe(of('a/b data/sample.jsonl#29'))
    const desk = (source: string) => repositoryOf({ set: 'tau-airline', source })
    expect(desk('a/bench x.json')).toBe(desk('a/bench x.json'))
  })
})

describe('the month of a session', () => {
  const saying = (...texts: readonly string[]) => ({ messages: texts.map((content) => ({ role: 'tool' as const, content })) })
  it('is the one that it speaks of most, the newer of two alike', () => {
    expect(monthOf(saying('2026-01-12T10:00:00Z ok', '2026-01-13', 'since 2025-12-01'))).toBe('2026-01')
    expect(monthOf(saying('2025-12-01', '2026-02-01'))).toBe('2026-02')
  })
  it('is unknown without dates', () => {
    expect(monthOf(saying('version 2026-1', 'year 2026'))).toBeUndefined()
  })
})
