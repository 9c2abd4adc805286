import { type CompactionPolicy, InvalidConfigurationError, mergePolicy, type PresetName, presets, validatePolicy } from '@precis/core'
import { describe, expect, it } from 'vitest'

const refusedFor = (overrides: object, base: CompactionPolicy = presets.balanced): InvalidConfigurationError => {
  try {
    mergePolicy(base, overrides)
  } catch (error) {
    if (InvalidConfigurationError.isInstance(error)) return error
    throw error
  }
  throw new Error(`nothing was refused of ${JSON.stringify(overrides)}`)
}

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
  it.each([
    ['trigger.count.1', 'cached', { trigger: { count: ['input', 'cached'] } }],
    ['trigger.accounting', 'exact', { trigger: { accounting: 'exact' } }],
    ['trigger.of', 'windows', { trigger: { of: 'windows' } }],
    ['trigger.unknownLimits', 'throw', { trigger: { unknownLimits: 'throw' } }],
    ['trigger.auto', 'no', { trigger: { auto: 'no' } }],
    ['retain.roles.0', 'users', { retain: { roles: ['users'] } }],
    ['retain.firm', 'yes', { retain: { firm: 'yes' } }],
    ['prune.view.when', 'later', { prune: { view: { when: 'later' } } }],
    ['prune.store', 'none', { prune: { store: 'none' } }],
    ['prune.staleReads', 'always', { prune: { staleReads: 'always' } }],
    ['prune.ladder.0', 5, { prune: { ladder: [5] } }],
    ['prune.age.steps', Number.NaN, { prune: { age: { steps: Number.NaN } } }],
    ['prune.errors.steps', Number.NaN, { prune: { errors: { steps: Number.NaN } } }],
    ['prune.condense.steps', Number.NaN, { prune: { condense: { steps: Number.NaN } } }],
    ['prune.arguments.steps', '4', { prune: { arguments: { steps: '4' } } }],
    ['prune.tools.Read.keep', 'never', { prune: { tools: { Read: { keep: 'never' } } } }],
    ['prune.tools.Read.shape', 'list', { prune: { tools: { Read: { shape: 'list' } } } }],
    ['prune.tools.Read.pinned', 'yes', { prune: { tools: { Read: { pinned: 'yes' } } } }],
    ['summary.author', 'nobody', { summary: { author: 'nobody' } }],
    ['summary.emergencyAuthor', 'nobody', { summary: { emergencyAuthor: 'nobody' } }],
    ['summary.style', 'poem', { summary: { style: 'poem' } }],
    ['summary.fallbackStyle', 'poem', { summary: { fallbackStyle: 'poem' } }],
    ['summary.role', 'foo', { summary: { role: 'foo' } }],
    ['summary.request', 'cached', { summary: { request: 'cached' } }],
    ['summary.grounding', 'strict', { summary: { grounding: 'strict' } }],
    ['summary.neighbors', 'merged', { summary: { neighbors: 'merged' } }],
    ['summary.directives.0', 5, { summary: { directives: [5] } }],
    ['summary.prompt.system', 5, { summary: { prompt: { system: 5 } } }],
    ['summary.retain.prompt', undefined, { summary: { retain: { directives: [] } } }],
    ['summary.continuation', 5, { summary: { continuation: 5 } }],
    ['cost.prices.input', -1, { cost: { prices: { input: -1, cacheRead: 0, cacheWrite: 0, output: 0 } } }],
    ['cost.prices.cacheRead', undefined, { cost: { prices: { input: 1 } } }],
  ] as const)('a value of none of its kinds is refused: %s is %s', (field, value, overrides) => {
    expect(refusedFor(overrides)).toMatchObject({ field, value })
  })
  it.each([
    ['trigger.request.byte', 'trigger.request.bytes', { trigger: { request: { byte: 5 } } }],
    ['prune.tools.Read.kep', 'prune.tools.Read.keep', { prune: { tools: { Read: { kep: 'always' } } } }],
    ['prune.view.abov', 'prune.view.above', { prune: { view: { abov: 900 } } }],
    ['summary.prompt.sytem', 'summary.prompt.system', { summary: { prompt: { sytem: 's' } } }],
    ['retain.semantic.cluster', 'retain.semantic.clusters', { retain: { semantic: { cluster: 2, clusters: 2, tokens: { tokens: 9 } } } }],
    ['trigger.emergancy', 'trigger.emergency', { trigger: { emergancy: null } }],
    ['constructor', 'one such as trigger, retain, prune, summary, cost', { constructor: 5 }],
  ] as const)('a field that nothing has is refused, also deep below and where null would remove it: %s', (field, meant, overrides) => {
    expect(refusedFor(overrides)).toMatchObject({ field, message: `Invalid configuration: unknown field "${field}"; write ${meant}.` })
  })
  it.each([
    ['trigger.hard is {"fraction":0.8,"tokens":5}', { trigger: { hard: { fraction: 0.8, tokens: 5 } } }],
    ['trigger.emergency is {"fraction":0.9,"free":5}', { trigger: { emergency: { fraction: 0.9, free: 5 } } }],
    ['trigger.reserve is {"free":5}', { trigger: { reserve: { free: 5 } } }],
    ['retain.newestRequest is {}', { retain: { newestRequest: {} } }],
  ])('an amount has one unit, of those that its field takes: %s', (said, overrides) => {
    expect(refusedFor(overrides).message).toContain(`${said}; write { fraction: 0.5 }, { tokens: 50_000 } or, for thresholds, { free: 20_000 }`)
  })
  it('levels rise from target and soft over hard to emergency; what is named is what was written', () => {
    const said = (trigger: object, base = presets.balanced) => refusedFor({ trigger }, base).message.slice('Invalid configuration: '.length)
    expect(said({ hard: { fraction: 0.4 } })).toBe('trigger.hard is {"fraction":0.4}; expected more than trigger.target, which is {"fraction":0.45}.')
    expect(said({ soft: { fraction: 0.95 } })).toBe('trigger.soft is {"fraction":0.95}; expected less than trigger.hard, which is {"fraction":0.8}.')
    expect(said({ emergency: { fraction: 0.1 } })).toBe('trigger.emergency is {"fraction":0.1}; expected more than trigger.hard, which is {"fraction":0.8}.')
    expect(said({ hard: { fraction: 0.97 } }, presets.calibrated)).toBe(
      'trigger.hard is {"fraction":0.97}; expected less than trigger.emergency, which is {"fraction":0.95}.',
    )
    expect(said({ hard: { free: 900 }, target: { free: 800 } })).toBe('trigger.target is {"free":800}; expected less than trigger.hard, which is {"free":900}.')
    const equal = { soft: { tokens: 900 }, hard: { tokens: 900 }, emergency: { tokens: 900 }, target: { fraction: 0.99 } }
    expect(mergePolicy(presets.balanced, { trigger: equal }).trigger).toMatchObject(equal)
  })
  it('a soft level that nobody wrote comes down with `hard`, also when the policy is merged once more', () => {
    const early = mergePolicy(presets.layered, { trigger: { hard: { fraction: 0.6 } } })
    expect(early.trigger).toMatchObject({ soft: { fraction: 0.6 }, hard: { fraction: 0.6 } })
    expect(mergePolicy(presets.balanced, early)).toEqual(early)
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
