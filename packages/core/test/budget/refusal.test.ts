import { describe, expect, it } from 'vitest'
import { answerRefusal, type Overflow, type RefusedRequest } from '../../src/budget/refusal.ts'
import { initialState } from '../../src/state/state.ts'

const { calibration } = initialState
const noNumber: Overflow = { kind: 'overflow', unit: 'tokens' }
const refused = (total: number, more: Partial<RefusedRequest> = {}): RefusedRequest => ({
  model: 'm',
  at: 0,
  estimate: total,
  total,
  attempt: 1,
  published: Infinity,
  reserve: () => 0,
  ...more,
})

describe('what a refusal answers', () => {
  it('leaves nine tenths of what was refused, where it states no number', () => {
    expect(answerRefusal(calibration, noNumber, refused(10_000)).ceilings).toEqual([9_000])
  })
  it('leaves no more than an earlier one left, where neither states a number: what is larger was refused already', () => {
    const first = answerRefusal(calibration, noNumber, refused(10_000))
    expect(answerRefusal(first.calibration, noNumber, refused(40_000)).ceilings).toEqual([8_500])
    expect(answerRefusal(first.calibration, noNumber, refused(5_000, { attempt: 2 })).ceilings).toEqual([4_500])
  })
  it('goes by the number that it states, whatever was suspected', () => {
    const first = answerRefusal(calibration, noNumber, refused(10_000))
    expect(answerRefusal(first.calibration, { ...noNumber, limit: 30_000 }, refused(40_000)).ceilings[0]).toBe(30_000)
  })
})
