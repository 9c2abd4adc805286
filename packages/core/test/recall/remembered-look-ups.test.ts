import { describe, expect, it } from 'vitest'
import { createRecallMemory } from '../../src/runtime/adapters.ts'

const round = (tokens: number) => ({ tokens })
const open = (rounds: number, tokensOfEach: number) => {
  const memory = createRecallMemory<{ readonly tokens: number }>()
  const look = (id: string): void => {
    memory.of({ id }).rounds = Array.from({ length: rounds }, () => round(tokensOfEach))
  }
  const remembered = (id: string): number => memory.of({ id }).rounds.length
  return { memory, look, remembered }
}

describe('what is remembered of look-ups', () => {
  it('is so much text at most, whatever the number of conversations: what was used least lately goes', () => {
    const { look, remembered } = open(16, 4_000)
    for (let at = 0; at < 900; at++) look(`s${at}`)

    const held = Array.from({ length: 900 }, (_, at) => 899 - at).filter((at) => remembered(`s${at}`) > 0)

    expect(held.length * 16 * 4_000).toBeLessThanOrEqual(4_000_000)
    // The newest, without a gap.
    expect(held).toEqual(Array.from({ length: held.length }, (_, at) => 899 - at))
    expect(held.length).toBeGreaterThan(60)
  })

  it('counts what came back by itself', () => {
    const { memory, remembered } = open(0, 0)
    const place = { after: 1, mark: 'm', checkpoint: 'c', text: 'said', joined: false }
    memory.of({ id: 'old' }).rounds = [round(1)]
    for (const id of ['a', 'b']) memory.of({ id }).passages = [{ ...place, tokens: 2_000_000 }]

    expect(remembered('old')).toBe(1)
    memory.of({ id: 'b' }).passages = [{ ...place, tokens: 2_000_001 }]
    expect(memory.of({ id: 'b' }).passages).toHaveLength(1)
    expect(memory.of({ id: 'a' }).passages).toHaveLength(0)
  })

  it('keeps the conversation that is under way, however much it looked up', () => {
    const { look, remembered } = open(20, 1_000_000)
    look('one')
    expect(remembered('one')).toBe(20)
  })

  it('keeps a thousand conversations that looked up little', () => {
    const { look, remembered } = open(1, 1_000)
    for (let at = 0; at < 1_001; at++) look(`s${at}`)
    expect(remembered('s1')).toBe(1)
    expect(remembered('s0')).toBe(0)
  })
})
