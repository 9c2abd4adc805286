import { describe, expect, it } from 'vitest'
import { learnWindow, noteAccepted } from '../../src/budget/learned-window.ts'
import { initialState } from '../../src/state/state.ts'

const { calibration } = initialState

describe('a window that shrinks', () => {
  it('is believed when two refusals state it, unless a larger prompt was accepted in between', () => {
    const before = noteAccepted(calibration, 14_000, { model: 'm' })
    const smaller = { model: 'm', at: 0, requested: 8_000, limit: 7_000, accepted: 14_000 }
    const once = learnWindow(before, smaller)
    expect([once.learnedWindow, once.suspectedWindow]).toEqual([14_000, 7_000])
    const meanwhile = noteAccepted(once, 6_500, { model: 'm' })
    const twice = learnWindow(meanwhile, smaller)
    expect([twice.learnedWindow, twice.suspectedWindow, twice.accepted]).toEqual([7_000, undefined, undefined])
    expect(learnWindow(meanwhile, { ...smaller, limit: 6_000 }).learnedWindow).toBe(14_000)
    const larger = noteAccepted(once, 9_000, { model: 'm' })
    expect([larger.suspectedWindow, larger.accepted?.tokens]).toEqual([undefined, 14_000])
    expect(learnWindow(larger, smaller).learnedWindow).toBe(14_000)
    // A number that is far too small is about something else.
    const odd = { ...smaller, limit: 1_000 }
    expect(learnWindow(learnWindow(before, odd), odd).learnedWindow).toBe(14_000)
  })
})
