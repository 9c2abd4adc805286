import { builtInEstimator, type Checkpoint, createTokenMemo, initialState, mergePolicy, type PlanInput, planCompaction, presets } from '@precis/core'
import { history, user } from '@precis/testkit'
import { expect, it } from 'vitest'
import { checkpointOf, summaryWith } from '../checkpoints.ts'

// Several checkpoints may hold one summary: what was counted in one place is not taken for another.

const behind = checkpointOf(2, { summary: summaryWith({ text: 'All of it was done.' }) })
const said = history(user('a'), user('b'))
const policy = mergePolicy(presets.balanced, { summary: { continuation: 'Please go on with what you were asked to do, from where it stands.' } })

function summaryTokens(checkpoint: Checkpoint, messages = said, estimator = builtInEstimator): number {
  const input: PlanInput = {
    messages,
    tokens: createTokenMemo(estimator),
    estimator,
    policy,
    limits: { contextWindow: 8_000 },
    overhead: { system: 0, tools: 0, memory: 0 },
    state: initialState,
    checkpoint,
  }
  return planCompaction(input).regions.before.summary
}

it('one summary is as long as what stands around it', () => {
  const alone = summaryTokens(behind)
  const asked = summaryTokens({ ...behind, automatic: false })
  const dropping = summaryTokens({ ...behind, dropped: [0, 1] })
  const answered = summaryTokens({ ...behind, length: 3 }, history(...said, user('go on')))
  expect(asked).toBeLessThan(alone)
  expect(dropping).toBeGreaterThan(alone)
  expect(answered).toBe(asked)
  expect(summaryTokens(structuredClone(behind))).toBe(alone)
  expect(summaryTokens({ ...structuredClone(behind), automatic: false })).toBe(asked)
})

it('and as long as its model counts: another one may have a tokenizer of its own', () => {
  const alone = summaryTokens(behind)
  const double = { name: 'double', count: (text: string) => 2 * builtInEstimator.count(text) }
  expect(summaryTokens(behind, said, double)).toBeGreaterThan(alone * 1.8)
  expect(summaryTokens(behind)).toBe(alone)
})
