import { type CompactionPolicy, InvalidConfigurationError, mergePolicy, type PolicyOverrides, presets, validatePolicy } from '@precis/core'
import { describe, expect, it } from 'vitest'

const { balanced } = presets

function refusal(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    if (InvalidConfigurationError.isInstance(error)) return error.message
    throw error
  }
  return 'accepted'
}

describe('bounds of a policy', () => {
  it.each<[field: string, overrides: unknown]>([
    ['retain.tokens', { retain: { tokens: { fraction: 0.1, tokens: 5 } } }],
    ['retain.tokens.fraction', { retain: { tokens: { fraction: 1.5 } } }],
    ['retain.semantic.clusters', { retain: { semantic: { tokens: { tokens: 10 } } } }],
    ['trigger.hard.free', { trigger: { hard: { free: -1 } } }],
    ['trigger.media.image', { trigger: { media: { image: Number.NaN } } }],
    ['trigger.request.bytes', { trigger: { request: { bytes: 10 } } }],
    ['prune.view.tokens', { prune: { view: { tokens: 3 } } }],
    ['prune.outputBudget.most', { prune: { outputBudget: { least: 9_000, most: 8_000 } } }],
    ['summary.weights.tool', { summary: { weights: { tool: -1 } } }],
    ['cost.payback', { cost: { payback: 3 } }],
  ])('names %s where it cannot be meant', (field, overrides) => {
    expect(refusal(() => mergePolicy(balanced, overrides as PolicyOverrides))).toContain(field)
  })
  it('names the part that a policy written by hand lacks', () => {
    expect(refusal(() => validatePolicy({ ...balanced, cost: undefined } as unknown as CompactionPolicy))).toContain('cost')
    expect(refusal(() => validatePolicy({ ...balanced, summary: { ...balanced.summary, weights: undefined } } as unknown as CompactionPolicy))).toContain(
      'summary.weights',
    )
  })
  it('leaves out what may be left out', () => {
    expect(mergePolicy(balanced, { trigger: { request: { media: 4 } }, retain: { newestRequest: { tokens: 900 } } }).trigger.request).toEqual({ media: 4 })
  })
})
