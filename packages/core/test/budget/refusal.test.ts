import { describe, expect, it } from 'vitest'
import { currentCalibration, noteAccepted, seededCalibration } from '../../src/budget/learned-window.ts'
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
  holds: { media: 0, bytes: 0 },
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
    expect(answerRefusal(first.calibration, noNumber, refused(5_000, { attempt: 2 })).ceilings).toEqual([3_500])
  })
  it('leaves less with each further one: seven tenths, then half', () => {
    const ceilings = [1, 2, 3, 6].map((attempt) => answerRefusal(calibration, noNumber, refused(10_000, { attempt })).ceilings[0])
    expect(ceilings).toEqual([9_000, 7_000, 5_000, 5_000])
  })
  it('takes the smallest that was refused for the window once a smaller one is accepted, and until then for one guess', () => {
    const first = answerRefusal(calibration, noNumber, refused(40_000))
    const second = answerRefusal(first.calibration, noNumber, refused(20_000, { attempt: 2 }))
    expect([first.believed, second.calibration.learnedWindow, second.calibration.suspectedWindow]).toEqual([undefined, undefined, 17_000])
    expect(second.believed?.learnedWindow).toBe(17_000)
    const accepted = { ...first.calibration, accepted: { model: 'm', tokens: 19_000 } }
    expect(answerRefusal(accepted, noNumber, refused(20_000, { attempt: 2 })).believed?.learnedWindow).toBe(19_000)
  })
  it('goes on suspecting what it guessed until a prompt as large as the refused one is accepted', () => {
    const served = { model: 'm' }
    const { calibration: once } = answerRefusal(calibration, noNumber, refused(20_000))
    const grown = noteAccepted(once, 19_000, served)
    expect(grown.suspectedWindow).toBe(17_000)
    expect(answerRefusal(grown, noNumber, refused(21_000)).calibration.learnedWindow).toBe(19_000)
    expect(noteAccepted(grown, 20_000, served).suspectedWindow).toBeUndefined()
  })
  it('believes it against published limits only where an earlier request was refused too', () => {
    const known = { published: 100_000 }
    const first = answerRefusal(calibration, noNumber, refused(90_000, known))
    const second = answerRefusal(first.calibration, noNumber, refused(40_000, { ...known, attempt: 2 }))
    expect([second.believed, second.calibration.suspectedWindow]).toEqual([undefined, 34_000])
    const again = answerRefusal(second.calibration, noNumber, refused(90_000, known))
    expect(answerRefusal(again.calibration, noNumber, refused(40_000, { ...known, attempt: 2 })).believed?.learnedWindow).toBe(34_000)
  })
  it('learns nothing of tokens from a body that has too many bytes, however often', () => {
    const bytes: Overflow = { kind: 'overflow', unit: 'bytes' }
    const learned = answerRefusal(calibration, bytes, refused(40_000, { attempt: 2, holds: { media: 0, bytes: 1_000_000 } }))
    const learnedRequest = { model: 'm', at: 0, bytes: 900_000 }
    expect(learned).toEqual({ calibration, ceilings: [28_000], believed: { ...calibration, learnedRequest } })
  })
  it('takes no conversation below a hundred kilobytes for too large', () => {
    const { believed } = answerRefusal(calibration, { kind: 'overflow', unit: 'bytes' }, refused(10, { holds: { media: 0, bytes: 132 } }))
    expect(believed?.learnedRequest?.bytes).toBe(100_000)
  })
  it('lets a request hold as many attachments as it states, and half as many where it states none, or as many as there were', () => {
    const holds = { media: 21, bytes: 1_000_000 }
    const learned = (limit: number | undefined) =>
      answerRefusal(calibration, { kind: 'overflow', unit: 'media', ...(limit && { limit }) }, refused(40_000, { holds }))
    expect([20, undefined, 21].map((limit) => learned(limit).believed?.learnedRequest?.media)).toEqual([20, 10, 10])
    expect(learned(20)).toMatchObject({ calibration, ceilings: [] })
    const one = answerRefusal(calibration, { kind: 'overflow', unit: 'media' }, refused(900, { holds: { media: 1, bytes: 0 } }))
    expect(one.believed).toEqual(calibration)
  })
  it('keeps what it learned of a request for this model and for a day, also for another conversation', () => {
    const { believed = calibration } = answerRefusal(
      calibration,
      { kind: 'overflow', unit: 'media', limit: 5 },
      refused(900, { holds: { media: 9, bytes: 0 } }),
    )
    expect(seededCalibration(calibration, believed).learnedRequest?.media).toBe(5)
    expect(currentCalibration(believed, { model: 'm' }, 86_399_999).learnedRequest?.media).toBe(5)
    expect(currentCalibration(believed, { model: 'm' }, 86_400_000).learnedRequest).toBeUndefined()
    expect(currentCalibration(believed, { model: 'n' }, 1).learnedRequest).toBeUndefined()
  })
  it('goes by the number that it states, whatever was suspected', () => {
    const first = answerRefusal(calibration, noNumber, refused(10_000))
    expect(answerRefusal(first.calibration, { ...noNumber, limit: 30_000 }, refused(40_000)).ceilings[0]).toBe(30_000)
  })
})
