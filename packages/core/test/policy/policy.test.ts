import { type CompactionPolicy, InvalidConfigurationError, mergePolicy, type PresetName, presets, validatePolicy } from '@precis/core'
import { describe, expect, it } from 'vitest'

describe('mergePolicy', () => {
  it('replaces fields at any depth, amounts and arrays whole, and removes with null', () => {
    const merged = mergePolicy(presets.calibrated, {
      trigger: { hard: { tokens: 5_000 }, target: { tokens: 2_000 }, emergency: null },
      prune: { view: { tokens: 500 }, tools: { read: { keep: 'always' } }, ladder: ['view'] },
      summary: { continuation: null, directives: ['a'] },
    })
    expect(merged.trigger.hard).toEqual({ tokens: 5_000 })
    expect(merged.trigger).not.toHaveProperty('emergency')
    expect(merged.prune.view).toEqual({ ...presets.calibrated.prune.view, tokens: 500 })
    expect(merged.prune.ladder).toEqual(['view'])
    expect(merged.summary).toMatchObject({ continuation: null, directives: ['a'], style: 'checkpoint' })
    expect(merged.retain).toEqual(presets.calibrated.retain)
  })
  it.each([
    ['trigger.target', { trigger: { target: { fraction: 0.9 } } }],
    ['trigger.hard.fraction', { trigger: { hard: { fraction: 2 } } }],
    ['trigger.count', { trigger: { count: [] } }],
    ['trigger.request.bytes', { trigger: { request: { bytes: 10 } } }],
    ['retain.semantic.clusters', { retain: { semantic: { clusters: 0, tokens: { tokens: 1 } } } }],
    ['prune.view.tokens', { prune: { view: { tokens: 1 } } }],
    ['prune.outputBudget.most', { prune: { outputBudget: { least: 10, most: 5 } } }],
    ['summary.weights.user', { summary: { weights: { user: -1 } } }],
    ['cost.payback', { cost: { payback: 3 } }],
    ['cost.warmGain', { cost: { warmGain: 2 } }],
    ['retain.tokens', { retain: { tokens: { fraction: 0.1, tokens: 5 } } }],
    ['retain.semantic.clusters', { retain: { semantic: { tokens: { tokens: 10 } } } }],
    ['trigger.hard.free', { trigger: { hard: { free: -1 } } }],
    ['trigger.media.image', { trigger: { media: { image: Number.NaN } } }],
  ] as const)('names %s', (field, overrides) => {
    expect(() => mergePolicy(presets.balanced, overrides as never)).toThrow(InvalidConfigurationError)
    expect(() => mergePolicy(presets.balanced, overrides as never)).toThrow(field)
  })
  it('names the part that a complete policy lacks', () => {
    expect(() => validatePolicy({ ...presets.balanced, cost: undefined } as never)).toThrow(InvalidConfigurationError)
    const summary = { ...presets.balanced.summary, weights: undefined }
    expect(() => validatePolicy({ ...presets.balanced, summary } as never)).toThrow('summary.weights')
  })
})

describe('a policy written without types', () => {
  const complete = mergePolicy(presets.balanced, { trigger: { request: { bytes: 50_000 } }, retain: { semantic: { clusters: 2, tokens: { tokens: 300 } } } })
  const paths = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? [path]
      : [...(path.length > 0 ? [path] : []), ...Object.entries(value).flatMap(([name, inner]) => paths(inner, [...path, name]))]
  const nested = (path: readonly string[], value: unknown): unknown => path.reduceRight((inner, name) => ({ [name]: inner }), value)
  it('is refused by the field’s name, or means something: no value anywhere makes it throw anything else', () => {
    let refused = 0
    for (const path of paths(complete)) {
      for (const junk of [null, 0, -1, 'x', true, [], {}, { fraction: 'x' }, Number.NaN]) {
        const overrides = nested(path, junk) as never
        try {
          mergePolicy(complete, overrides)
        } catch (error) {
          expect(InvalidConfigurationError.isInstance(error), `${path.join('.')} = ${JSON.stringify(junk)}: ${String(error)}`).toBe(true)
          refused++
        }
      }
    }
    expect(refused).toBeGreaterThan(300)
  })
  it.each([null, 5, 'balanced', []])('%j is no policy', (overrides) => {
    expect(() => mergePolicy(presets.balanced, overrides as never)).toThrow(InvalidConfigurationError)
  })
  it('a misspelt field is not passed over in silence', () => {
    expect(() => mergePolicy(presets.balanced, { trigger: { hardd: { fraction: 0.5 } } } as never)).toThrow('trigger.hardd')
    expect(() => mergePolicy(presets.balanced, { triger: {} } as never)).toThrow('triger')
  })
})

describe('presets', () => {
  it.each(Object.keys(presets) as PresetName[])('%s is valid JSON that a policy file can hold', (name) => {
    const copy = JSON.parse(JSON.stringify(presets[name])) as CompactionPolicy
    expect(mergePolicy(presets.balanced, copy)).toEqual(expect.objectContaining({ retain: presets[name].retain }))
  })
})
