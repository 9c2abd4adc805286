import type { TokenEstimator } from '../../budget/estimate.ts'
import { InvalidConfigurationError } from '../../errors.ts'
import { memoized } from '../../history/memoize.ts'
import type { Embedder } from '../../partition/embedder.ts'
import { mergePolicy } from '../../policy/merge.ts'
import type { CompactionPolicy, PolicyOverrides } from '../../policy/policy.ts'
import { balanced } from '../../policy/presets/balanced.ts'

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
}

/** @returns a look-up, which throws InvalidConfigurationError for what cannot be meant. */
export function modelRules({ policy, estimator, embedder }: Given, usual: TokenEstimator): (model: string | undefined) => ModelRules {
  const rulesOf = (overrides: PolicyOverrides = {}, counting = usual): ModelRules => {
    if (!(counting.count('word') >= 0)) throw new InvalidConfigurationError('estimator', counting.name, 'expected count(text) to return a number')
    const made = mergePolicy(balanced, overrides)
    if (made.retain.semantic !== undefined && embedder === undefined) {
      throw new InvalidConfigurationError('embedder', null, 'retain.semantic needs one; lexicalEmbedder() works without a model')
    }
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
