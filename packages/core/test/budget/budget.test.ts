import {
  builtInEstimator,
  calibrate,
  createTokenMemo,
  estimateHistory,
  InvalidConfigurationError,
  mergePolicy,
  normalizeUsage,
  presets,
  promptTokens,
  resolveThreshold,
  uncalibrated,
  usableInput,
} from '@precis/core'
import { assistant, call, generateHistory, image, result, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mediaTokens } from '../../src/budget/attachment-cost.ts'
import { calibrateRefused } from '../../src/budget/calibrate.ts'
import { tailWeights } from '../../src/budget/estimate-weights.ts'
import { learnWindow, noteAccepted } from '../../src/budget/learned-window.ts'
import { resolveAmount } from '../../src/budget/limits.ts'
import { differences } from './differences.ts'

const seen = { model: 'm', at: 0 }

describe('usableInput', () => {
  it.each([
    ['window − published output', { contextWindow: 200_000, maxOutput: 8_000 }, undefined, 192_000],
    ['caps a huge reply that nobody asked for', { contextWindow: 200_000, maxOutput: 128_000 }, undefined, 168_000],
    ['reserves what is requested', { contextWindow: 200_000, maxOutput: 128_000 }, 1_000, 199_000],
    ['in full, however much', { contextWindow: 128_000, maxOutput: 64_000 }, 64_000, 64_000],
    ['a published input limit is the limit of the prompt', { contextWindow: 400_000, maxInput: 272_000 }, undefined, 272_000],
    ['and the reply has to fit beside it', { contextWindow: 200_000, maxInput: 190_000 }, undefined, 168_000],
    ['also the one that is requested', { contextWindow: 200_000, maxInput: 200_000, maxOutput: 64_000 }, 64_000, 136_000],
    ['an input limit without a window', { contextWindow: 0, maxInput: 30_000 }, 8_000, 30_000],
    ['no published output: a quarter', { contextWindow: 100_000 }, undefined, 75_000],
    ['a quarter of a small window', { contextWindow: 32_768 }, undefined, 24_576],
    ['a quarter of a smaller one', { contextWindow: 8_000 }, undefined, 6_000],
    ['a reply as large as the window is the provider’s to shorten', { contextWindow: 32_768 }, 64_000, 24_576],
    ['a request for −1 says nothing', { contextWindow: 200_000, maxOutput: 8_000 }, -1, 192_000],
    ['nor does one that is no number', { contextWindow: 200_000, maxOutput: 8_000 }, Number.NaN, 192_000],
    ['0 is unlimited', { contextWindow: 0 }, undefined, Number.POSITIVE_INFINITY],
  ])('%s', (_, limits, requested, expected) => {
    expect(usableInput(limits, 32_000, requested)).toBe(expected)
  })

  it.each([
    [{ contextWindow: 10 }],
    [{ contextWindow: -1 }],
    [{ contextWindow: Number.NaN }],
    [{ contextWindow: 9, maxInput: 0 }],
    [{ contextWindow: 9_000, maxInput: Number.NaN }],
    [{ contextWindow: 9_000, maxOutput: Number.NaN }],
  ])('refuses %o', (limits) => {
    expect(() => usableInput(limits, 32_000)).toThrow(InvalidConfigurationError)
  })
})

describe('thresholds and amounts', () => {
  it.each([
    [{ fraction: 0.8 }, 800],
    [{ tokens: 300 }, 300],
    [{ tokens: 3_000 }, 1_000],
    [{ free: 100 }, 900],
    [{ free: 5_000 }, 1],
  ])('%o of 1,000 is %d', (threshold, expected) => {
    expect(resolveThreshold(threshold, 1_000)).toBe(expected)
  })
  it('an amount may exceed the window', () => {
    expect(resolveAmount({ tokens: 2_000 }, 1_000)).toBe(2_000)
    expect(resolveAmount({ fraction: 0.1 }, 1_000)).toBe(100)
  })
})

describe('normalizeUsage', () => {
  it.each([
    ['inclusive', { input: 100, cacheRead: 60, cacheWrite: 10, output: 5 }, { input: 30, cacheRead: 60, cacheWrite: 10, output: 5 }, 100],
    ['exclusive', { input: 50, cacheRead: 20, cacheWrite: 30, output: 5 }, { input: 50, cacheRead: 20, cacheWrite: 30, output: 5 }, 100],
  ] as const)('%s', (convention, reported, expected, prompt) => {
    const usage = normalizeUsage(reported, convention)
    expect(usage).toEqual(expected)
    expect(usage && promptTokens(usage)).toBe(prompt)
  })
  it('a zero is no measurement', () => {
    expect(normalizeUsage({ input: 0, output: 7 }, 'inclusive')).toBeUndefined()
    expect(normalizeUsage({ input: Number.NaN }, 'exclusive')).toBeUndefined()
  })
})

describe('calibrateRefused', () => {
  const accepted = calibrate(uncalibrated, 10_000, 10_000)
  it('believes what came new where most of the prompt did', () => {
    expect(calibrateRefused(calibrate(uncalibrated, 500, 1_500), 8_500, 13_500).factor).toBeCloseTo(1.5)
  })
  it('takes a dense last part for no more than the whole comes to', () => {
    const { factor, overhead } = calibrateRefused(accepted, 10_600, 11_600)
    expect(factor).toBeLessThanOrEqual(11_600 / 10_600)
    expect(10_600 * factor + overhead).toBeGreaterThanOrEqual(11_600 - 1)
  })
})

describe('calibrate', () => {
  it('tells a constant from a factor', () => {
    let state = uncalibrated
    for (let step = 1; step <= 40; step++) state = calibrate(state, 1_000 * step, 1_000 * step * 1.5 + 700)
    expect(state.factor).toBeCloseTo(1.5, 1)
    expect(state.overhead).toBeGreaterThan(500)
    expect(state.overhead).toBeLessThan(1_500)
  })
  it.each([0.01, 50])('clamps a wild reading of %d times', (skew) => {
    let state = uncalibrated
    for (let step = 1; step <= 60; step++) state = calibrate(state, 1_000 * step, 1_000 * step * skew)
    expect(state.factor).toBeGreaterThanOrEqual(0.5)
    expect(state.factor).toBeLessThanOrEqual(3)
  })
  it('takes tools that come and go for no property of the text', () => {
    // Two of three requests of a turn carry a tool: 61 by the estimate, 113 by the provider. Of the text it counts a tenth more.
    let [state, text] = [uncalibrated, 300]
    for (let request = 0; request < 90; request++) {
      const hasTool = request % 3 < 2
      text += request % 3 === 0 ? 47 : 586
      state = calibrate(state, text + (hasTool ? 61 : 0), 1.1 * text + (hasTool ? 113 : 0))
    }
    expect(state.factor).toBeLessThan(1.15)
  })
  it('never believes less than it just measured', () => {
    const state = calibrate(calibrate(uncalibrated, 1_000, 1_000), 1_010, 3_000)
    expect(1_010 * state.factor + state.overhead).toBeGreaterThanOrEqual(2_999)
  })
  it('ignores what is no reading', () => {
    expect(calibrate(uncalibrated, 100, 0)).toBe(uncalibrated)
    expect(calibrate(uncalibrated, 0, 100)).toBe(uncalibrated)
  })
  it('learns a window from the number in the refusal', () => {
    expect(learnWindow(uncalibrated, { ...seen, requested: 10_000, limit: 8_192 }).learnedWindow).toBe(8_192)
    const learned = learnWindow(uncalibrated, { ...seen, requested: 1, limit: 5_000 })
    expect(learnWindow(learned, { ...seen, requested: 1, limit: 9_000 }).learnedWindow).toBe(5_000)
    expect(learnWindow(uncalibrated, { ...seen, requested: 10_000, limit: 1_000, accepted: 6_000 }).learnedWindow).toBe(6_000)
  })
  it('believes a refusal without a number, or against the published limits, when a second one says so', () => {
    const guessed = learnWindow(uncalibrated, { ...seen, requested: 10_000 })
    expect(guessed.learnedWindow).toBeUndefined()
    expect(learnWindow(guessed, { ...seen, requested: 4_000 }).learnedWindow).toBe(8_500)
    const against = learnWindow(uncalibrated, { ...seen, requested: 9_000, limit: 8_192, published: 96_000 })
    expect(against.learnedWindow).toBeUndefined()
    expect(learnWindow(against, { ...seen, requested: 9_000, limit: 8_192, published: 96_000 }).learnedWindow).toBe(8_192)
    expect(learnWindow(uncalibrated, { ...seen, requested: 99_000, limit: 128_000, published: 96_000 })).toBe(uncalibrated)
  })
  it('an accepted prompt ends a suspicion, and no window stays below it', () => {
    const suspected = learnWindow(uncalibrated, { ...seen, requested: 1_200 })
    expect(noteAccepted(suspected, 13_914, { model: 'm' })).toEqual({ ...uncalibrated, accepted: { tokens: 13_914, model: 'm' } })
    expect(noteAccepted({ ...uncalibrated, learnedWindow: 1_050 }, 13_914, { model: null }).learnedWindow).toBe(13_914)
  })
})

/** One character of each class, in the order of the weights. */
const letters = [' ', '\n', 'a', 'B', '7', '=', 'é', 'ж', '中', 'の', '한', '\ud83d', '\u2026', 'ก', 'ሀ']
const contextAfter = [0, 0, 1, 1, 2, 3, 1, 1, 4, 4, 4, 4, 4, 0, 0]

/** The estimator as it is described, run by run. */
function countedByRuns(text: string): number {
  const weight = (row: number, length: number): number => (differences[row] as readonly number[]).slice(0, length).reduce((sum, one) => sum + one, 0)
  let [total, context] = [0, 0]
  for (const [run] of text.matchAll(/Ba+|(.)\1*/gs)) {
    const kind = letters.indexOf(run.at(-1) as string)
    total += weight(kind * 5 + context, Math.min(run.length, 16)) + Math.max(0, run.length - 16) * (tailWeights[kind] as number)
    context = contextAfter[kind] as number
  }
  return text === '' ? 0 : Math.max(1, Math.ceil(total / 50))
}

describe('the built-in estimator', () => {
  // Reference: o200k_base, counted once and written down; the bench prints errors per class against a live tokenizer.
  it.each([
    ['prose', 'The quick brown fox jumps over the lazy dog, and then it goes home to rest for a while because the day was long.', 26, 1.2],
    ['code', 'export function add(left: number, right: number): number {\n  return left + right\n}\nconst total = add(1, 2)', 30, 1.2],
    ['json', '{"id":"a81bc81b-dead-4e5d-abff-90865d1e13b1","ok":true,"count":12345,"tags":["alpha","beta"]}', 43, 1.2],
    // Short Chinese is overrated: the safe side.
    ['chinese', '设置文件不存在，请检查路径是否正确，然后重新启动服务。', 13, 1.8],
  ])('is near the tokenizer on %s', (_, text, exact, most) => {
    const estimate = builtInEstimator.count(text)
    expect(estimate).toBeGreaterThanOrEqual(exact * 0.9)
    expect(estimate).toBeLessThanOrEqual(exact * most)
  })
  it('counts nothing as nothing and anything as something', () => {
    expect(builtInEstimator.count('')).toBe(0)
    for (const text of ['a', ' ', '\n', '😀', '\ud800', '中']) expect(builtInEstimator.count(text)).toBeGreaterThan(0)
  })
  it.each(['a', ' ', '中', '=', '\n'])('grows with a run of %j', (letter) => {
    expect(builtInEstimator.count(letter.repeat(100_000))).toBeGreaterThan(builtInEstimator.count(letter.repeat(1_000)))
  })
  it('adds one weight per run of like characters, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...letters), fc.integer({ min: 1, max: 40 })), { maxLength: 12 }), (runs) => {
        const text = runs.map(([letter, length]) => letter.repeat(length)).join('')
        expect(builtInEstimator.count(text)).toBe(countedByRuns(text))
      }),
    )
  })
  it('counts media by kind, never by payload', () => {
    const message = image()
    const large = { ...message, parts: [{ type: 'media' as const, mediaType: 'image/png', bytes: 50_000_000 }] }
    expect(estimateHistory([large])).toBe(estimateHistory([{ ...large, parts: [{ type: 'media', mediaType: 'image/png' }] }]))
    const [pdf, png, mp3, zip] = ['application/pdf', 'image/png', 'audio/mpeg', 'application/zip'].map((mediaType) => mediaTokens({ mediaType }))
    expect(pdf).toBeGreaterThan(png as number)
    expect(mp3).toBeGreaterThan(0)
    expect(zip).toBeGreaterThan(0)
  })
  it('counts calls with their arguments, and results', () => {
    const small = estimateHistory([call('read', 'a', {}), result('a', '')])
    expect(estimateHistory([call('read', 'a', { path: 'x'.repeat(400) }), result('a', '')])).toBeGreaterThan(small + 30)
    expect(estimateHistory([call('read', 'a', {}), result('a', 'word '.repeat(100))])).toBeGreaterThan(small + 80)
  })
  it('is asked once per message', () => {
    let asked = 0
    const memo = createTokenMemo({ name: 'counting', count: (text) => text.length + 0 * asked++ })
    const message = user('hello')
    expect(memo.of(message)).toBe(memo.of(message))
    expect(asked).toBe(1)
  })
  it('adds up', () => {
    const history = generateHistory(3)
    const memo = createTokenMemo(builtInEstimator)
    expect(estimateHistory(history)).toBe(history.reduce((sum, message) => sum + memo.of(message), 0))
    expect(estimateHistory([user('a'), assistant('b')])).toBe(10)
  })
})

describe('policy', () => {
  it('merges field by field', () => {
    const policy = mergePolicy(presets.balanced, { trigger: { auto: false }, summary: { directives: ['Keep SQL.'] } })
    expect(policy.trigger).toEqual({ ...presets.balanced.trigger, auto: false })
    expect(policy.summary.directives).toEqual(['Keep SQL.'])
  })
  it.each([
    [{ trigger: { target: { fraction: 0.9 } } }, 'trigger.target'],
    [{ trigger: { hard: { fraction: 1.5 } } }, 'trigger.hard.fraction'],
    [{ trigger: { minimumGain: -1 } }, 'trigger.minimumGain'],
    [{ trigger: { target: { tokens: 9 }, hard: { tokens: 8 } } }, 'trigger.target'],
    [{ trigger: { target: { free: 8 }, hard: { free: 9 } } }, 'trigger.target'],
    [{ retain: { turns: Number.NaN } }, 'retain.turns'],
    [{ retain: { tokens: {} as { tokens: number } } }, 'retain.tokens'],
    [{ summary: { deadline: 0 } }, 'summary.deadline'],
  ])('refuses %o', (overrides, field) => {
    expect(() => mergePolicy(presets.balanced, overrides)).toThrow(field)
  })
})
