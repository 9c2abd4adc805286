import { type CompactionReport, type CompactorOptions, createCompactor, type Message } from '@precis/core'
import { brokenLaws, fakeClock, generateHistory, neutralCodec } from '@precis/testkit'
import { expect } from 'vitest'

export const limits = { contextWindow: 6_000, maxOutput: 500 }
export const long = generateHistory(101, { turns: 25 })
export const make = (options: Partial<CompactorOptions<Message>> = {}) =>
  createCompactor<Message>({ codec: neutralCodec, limits, clock: fakeClock(), ...options })
export const sound = (source: readonly Message[], context: readonly Message[], report: CompactionReport): void => {
  expect(brokenLaws({ history: source, context, plan: report.plan, tokens: { after: report.tokens.after, budget: report.tokens.budget } })).toEqual([])
}

/** A clock that somebody moves. */
export const movedClock = () => {
  let now = 1_000_000
  const move = (milliseconds: number): void => {
    now += milliseconds
  }
  return { id: () => `moved-${now++}`, now: () => now, move }
}
