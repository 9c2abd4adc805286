import {
  builtInEstimator,
  createTokenMemo,
  estimateHistory,
  initialState,
  type PlanInput,
  planCompaction,
  presets,
  recordOf,
  type TokenEstimator,
} from '@precis/core'
import { call, generateHistory, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { finished, inStretches, type Pieces } from '../../src/history/pieces.ts'
import { planInPieces } from '../../src/plan/plan.ts'
import { recordInPieces } from '../../src/record/record.ts'

const messages = generateHistory(7, { turns: 110, steps: 5, output: 30_000 })
const characters = JSON.stringify(messages).length
const indices = [...messages.keys()]

/** An estimator that knows how many characters it was shown. */
function countingEstimator(): TokenEstimator & { seen: number } {
  return {
    name: 'counting',
    seen: 0,
    count(text) {
      this.seen += text.length
      return builtInEstimator.count(text)
    },
  }
}

const recordInput = (estimator: TokenEstimator = builtInEstimator) => ({ budget: 12_000, requests: 2_000, estimator, already: '' })
const planInput = (estimator: TokenEstimator = builtInEstimator): PlanInput => ({
  messages,
  tokens: createTokenMemo(estimator),
  estimator,
  policy: { ...presets.balanced, prune: { ...presets.balanced.prune, ladder: ['view', 'condensed'] } },
  limits: { contextWindow: 64_000 },
  overhead: { system: 0, tools: 0, memory: 0 },
  state: initialState,
  checkpoint: undefined,
})

/** The most that `seen` grows by in one piece, and how many pieces there are. */
function measured(work: Pieces<unknown>, estimator: { readonly seen: number }): { readonly most: number; readonly pieces: number } {
  let [most, pieces, before] = [0, 0, estimator.seen]
  for (; work.next().done !== true; pieces++, before = estimator.seen) most = Math.max(most, estimator.seen - before)
  return { most, pieces }
}

describe('long work comes in pieces', () => {
  it.each([
    ['a record', (estimator: TokenEstimator) => recordInPieces(messages, indices, recordInput(estimator))],
    ['a plan', (estimator: TokenEstimator) => planInPieces(planInput(estimator))],
  ])('%s: in none of them more is read than a few messages', (_, work) => {
    const estimator = countingEstimator()
    const { most, pieces } = measured(work(estimator), estimator)
    expect(characters).toBeGreaterThan(2_000_000)
    expect(pieces).toBeGreaterThan(100)
    expect(most).toBeLessThan(characters / 10)
  })

  it.each([
    ['lines', '\n'],
    ['one line', '🎉'],
  ])('one output of millions of characters in %s is counted in pieces', (_, between) => {
    const estimator = countingEstimator()
    const output = Array.from({ length: 200_000 }, (_, at) => `GET /api/users/${at} 200 in ${at % 97} ms from 10.0.0.${at % 255}`).join(between)
    const history = [user('Look at it.'), call('bash', 'a', { command: 'cat it' }), result('a', output)]
    const { most } = measured(planInPieces({ ...planInput(estimator), messages: history }), estimator)
    expect(output.length).toBeGreaterThan(9_000_000)
    // The ends that are read of it are as long as a window is.
    expect(most).toBeLessThan(4_100_000)
    const memo = createTokenMemo(builtInEstimator)
    finished(memo.ahead(history))
    expect(Math.abs(history.reduce((sum, message) => sum + memo.of(message), 0) - estimateHistory(history))).toBeLessThan(20)
  })

  it('stretches of one long line tear no character, and lines stay whole', () => {
    const torn = /[\ud800-\udbff]$/
    const emoji = `x${'🎉'.repeat(1_200_000)}`
    expect(finished(inStretches(emoji, 0, (part) => (torn.test(part) ? Number.NaN : part.length)))).toBe(emoji.length)
    const seen: string[] = []
    finished(inStretches(`${emoji}\nshort`, '', (part) => String(seen.push(part))))
    expect(seen).toEqual([`${emoji}\n`, 'short'])
  })

  it('to the same bytes as in one, whoever works between them', () => {
    const records = [recordInPieces(messages, indices, recordInput()), recordInPieces(messages, indices.slice(20), recordInput())] as const
    const plan = planInPieces(planInput())
    const results = alternately<unknown>([...records, plan])
    expect(results).toEqual([
      recordOf(structuredClone(messages), indices, recordInput()),
      recordOf(structuredClone(messages), indices.slice(20), recordInput()),
      planCompaction({ ...planInput(), messages: structuredClone(messages) }),
    ])
  })

  it('that can be left behind: the next one begins anew', () => {
    for (let pieces = 1; pieces < 400; pieces *= 2) {
      const work = recordInPieces(messages, indices, recordInput())
      for (let piece = 0; piece < pieces; piece++) work.next()
    }
    expect(finished(recordInPieces(messages, indices, recordInput()))).toEqual(recordOf(structuredClone(messages), indices, recordInput()))
  })
})

/** A piece of each in turn, until all are done. */
function alternately<T>(works: readonly Pieces<T>[]): readonly (T | undefined)[] {
  const results = new Map<number, T>()
  while (results.size < works.length) {
    for (const [at, work] of works.entries()) {
      if (results.has(at)) continue
      const { done, value } = work.next()
      if (done === true) results.set(at, value)
    }
  }
  return works.map((_, at) => results.get(at))
}
