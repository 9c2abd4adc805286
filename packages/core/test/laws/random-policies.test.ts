import { builtInEstimator, InvalidConfigurationError, mergePolicy, type PolicyOverrides, type PresetName, presets, rungs, summaryStyles } from '@precis/core'
import { fakeSummarizer, generateHistory } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { run } from './run-laws.ts'

/** More than one run of the suite can do: `PRECIS_POLICIES=20000 pnpm exec vitest run --project core random-policies`. */
const numRuns = Number(process.env['PRECIS_POLICIES'] ?? 400)
const seed = Number(process.env['PRECIS_SEED'] ?? 20_261_122)

const share = fc.double({ min: 0.01, max: 0.9, noNaN: true })
const amount = fc.oneof(
  share.map((fraction) => ({ fraction })),
  fc.integer({ min: 0, max: 4_000 }).map((tokens) => ({ tokens })),
)
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] })
const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max })
const weight = fc.constantFrom(0, 0.1, 1, 3)

const policies = some({
  trigger: some({
    hard: fc.double({ min: 0.5, max: 0.95, noNaN: true }).map((fraction) => ({ fraction })),
    target: fc.double({ min: 0.05, max: 0.5, noNaN: true }).map((fraction) => ({ fraction })),
    minimumGain: fc.double({ min: 0, max: 0.5, noNaN: true }),
    accounting: fc.constantFrom('measured', 'calibrated'),
  }),
  retain: some({ turns: upTo(6), messages: upTo(20), toolPairs: upTo(9), tokens: amount, userRequests: amount, newestRequest: amount }),
  prune: some({
    ladder: fc.uniqueArray(fc.constantFrom(...rungs)),
    maintain: fc.uniqueArray(fc.constantFrom(...rungs), { maxLength: 3 }),
    view: some({ tokens: fc.integer({ min: 20, max: 4_000 }), lineLength: fc.integer({ min: 40, max: 2_000 }), when: fc.constantFrom('arrival', 'pressure') }),
    staleReads: fc.constantFrom('rewritten', 'edited'),
    age: fc.record({ protect: amount, minimum: amount, steps: upTo(4), userTurns: upTo(3) }),
    arguments: fc.record({ tokens: fc.integer({ min: 10, max: 400 }), steps: upTo(4) }),
    condense: fc.record({ tokens: fc.integer({ min: 20, max: 600 }), steps: upTo(4) }),
    media: fc.record({ keep: upTo(3) }),
  }),
  summary: some({
    author: fc.constantFrom('model', 'record', 'notice'),
    emergencyAuthor: fc.constantFrom('record', 'notice'),
    style: fc.constantFrom(...summaryStyles),
    role: fc.constantFrom('user', 'assistant', 'system'),
    neighbors: fc.constantFrom('separate', 'joined'),
    tokens: amount,
    record: amount,
    continuation: fc.constantFrom(null, 'Go on.', 'Go on with what is left to do. '.repeat(20)),
    grounding: fc.constantFrom('off', 'mark', 'reject'),
    protectedFields: fc.constantFrom<string[][]>([], ['path', 'note']),
    weights: fc.record({ user: weight, assistant: weight, tool: weight }),
  }),
})

const estimators = [builtInEstimator, { name: 'characters/4', count: (text: string) => Math.ceil(text.length / 4) }]

describe('laws under random policies', () => {
  it(`hold for ${numRuns} of them`, async () => {
    let [compactions, refused] = [0, 0]
    const presetNames = [undefined, ...(Object.keys(presets) as PresetName[])]
    const scene = fc.record({
      overrides: policies as fc.Arbitrary<PolicyOverrides>,
      preset: fc.constantFrom(...presetNames),
      history: fc.integer({ min: 1, max: 1e9 }),
      broken: fc.boolean(),
      window: fc.integer({ min: 1_500, max: 20_000 }),
      every: fc.integer({ min: 1, max: 6 }),
      model: fc.constantFrom('absent', 'none', 'throws', 'empty', 'cut-off', 'gigantic', 'echoes', 'inflates'),
      estimator: fc.constantFrom(...estimators),
      skew: fc.constantFrom(undefined, undefined, 0.6, 1, 1.7),
    })
    await fc.assert(
      fc.asyncProperty(scene, async ({ overrides, preset, history, broken, window, every, model, estimator, skew }) => {
        const summarizer = model === 'absent' ? {} : { summarizer: fakeSummarizer(model) }
        try {
          const policy = preset === undefined ? overrides : mergePolicy(presets[preset], overrides)
          // What the caller allowed to be said in other words is not looked for word for word; the last message may be joined with one that comes.
          const joined = policy.summary?.neighbors === 'joined'
          const rewritten = joined || policy.retain?.newestRequest !== undefined
          const allowed = (law: string): boolean =>
            ((joined || broken) && law.startsWith('identity')) ||
            (rewritten && law.startsWith('pins')) ||
            (joined && Number(/^prefix: message (\d+)/.exec(law)?.[1]) + 1 === Number(/ of (\d+)/.exec(law)?.[1]))
          const source = generateHistory(history, { turns: 10, output: 3_000, system: history % 3 === 0, broken })
          const done = await run(source, window, every, { policy, estimator, ...summarizer })
          compactions += done.compactions
          expect(done.broken.filter((law) => !allowed(law))).toEqual([])
          if (skew === undefined) return
          const measured = await run(source, window, every, { policy, estimator, ...summarizer, skew })
          expect(measured.broken.filter((law) => !allowed(law))).toEqual([])
        } catch (error) {
          if (!InvalidConfigurationError.isInstance(error)) throw error
          refused++
        }
      }),
      { numRuns, seed },
    )
    expect(compactions).toBeGreaterThan(numRuns)
    expect(refused).toBeLessThan(numRuns / 2) // what is refused tests nothing
  }, 600_000)
})
