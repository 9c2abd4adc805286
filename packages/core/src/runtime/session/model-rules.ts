import type { TokenEstimator } from '../../budget/estimate.ts'
import { InvalidConfigurationError } from '../../errors.ts'
import { memoized } from '../../history/memoize.ts'
import type { Embedder } from '../../partition/embedder.ts'
import { mergePolicy } from '../../policy/merge.ts'
import { type CompactionPolicy, type PolicyOverrides, rungs, summaryStyles } from '../../policy/policy.ts'
import { balanced } from '../../policy/presets/balanced.ts'
import type { CustomRung } from '../../prune/custom-rung.ts'

/** What holds for the calls of one model. */
export interface ModelRules {
  readonly policy: CompactionPolicy
  readonly estimator: TokenEstimator
}

/** What a host says: one for all models, or a look-up by their names, which is asked once per name. */
interface Given {
  readonly policy?: PolicyOverrides | ((model: string) => PolicyOverrides | undefined) | undefined
  readonly estimator?: TokenEstimator | ((model: string) => TokenEstimator | undefined) | undefined
  readonly embedder?: Embedder | undefined
  readonly rungs?: readonly CustomRung[] | undefined
}

/** @returns a look-up, which throws InvalidConfigurationError for what cannot be meant. */
export function modelRules({ policy, estimator, embedder, rungs: own = [] }: Given, usual: TokenEstimator): (model: string | undefined) => ModelRules {
  const rulesOf = (overrides: PolicyOverrides = {}, counting = usual): ModelRules => {
    if (!(counting.count('word') >= 0)) throw new InvalidConfigurationError('estimator', counting.name, 'expected count(text) to return a number')
    const made = mergePolicy(balanced, overrides)
    if (made.retain.semantic !== undefined && embedder === undefined) {
      throw new InvalidConfigurationError('embedder', null, 'retain.semantic needs one; lexicalEmbedder() works without a model')
    }
    const names: readonly string[] = [...rungs, ...own.map(({ name }) => name)]
    for (const list of ['ladder', 'maintain'] as const) {
      const unknown = made.prune[list].find((name) => !names.includes(name))
      if (unknown !== undefined)
        throw new InvalidConfigurationError(`prune.${list}`, unknown, `expected one of ${names.join(', ')}; own ones stand in the option rungs`)
    }
    for (const field of ['style', 'fallbackStyle'] as const)
      if (!summaryStyles.includes(made.summary[field]))
        throw new InvalidConfigurationError(`summary.${field}`, made.summary[field], `expected one of ${summaryStyles.join(', ')}`)
    return { policy: made, estimator: counting }
  }
  if (typeof policy !== 'function' && typeof estimator !== 'function') {
    const only = rulesOf(policy, estimator)
    return () => only
  }
  const known = new Map<string, ModelRules>()
  return (model = '') =>
    memoized(known, model, () => rulesOf(typeof policy === 'function' ? policy(model) : policy, typeof estimator === 'function' ? estimator(model) : estimator))
}
