import { builtInEstimator, type TokenEstimator } from '../../../budget/estimate.ts'
import { CompactionError, InvalidConfigurationError } from '../../../errors.ts'
import { memoized } from '../../../history/memoize.ts'
import type { Tokens } from '../../../history/message.ts'
import type { Embedder } from '../../../partition/embedder.ts'
import { mergePolicy } from '../../../policy/merge.ts'
import { type CompactionPolicy, type PolicyOverrides, rungs } from '../../../policy/policy.ts'
import { balanced } from '../../../policy/presets/balanced.ts'
import type { CustomRung } from '../../../prune/custom-rung.ts'
import type { Summarizer } from '../../../summary/summarizer.ts'
import { atOnce, type Tried } from './own-code.ts'

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
  readonly summarizer?: Summarizer | undefined
  readonly fullSummarizer?: Summarizer | undefined
}

/** @returns a look-up, which throws InvalidConfigurationError for what cannot be meant. */
export function modelRules(
  { policy, estimator, embedder, rungs: own = [], summarizer, fullSummarizer = summarizer }: Given,
  tried: Tried,
): (model: string | undefined) => ModelRules {
  /** The host's own, with the usual one for texts that it cannot count. */
  const helped = (counting: TokenEstimator): TokenEstimator => {
    const { name } = Object(atOnce('estimator', counting)) as TokenEstimator
    const asked = <T>(work: () => T): T | undefined => tried(`estimator ${name}`, work)
    if (typeof counting?.count !== 'function' || asked(() => Number.isFinite(counting.count('word'))) === false)
      throw new InvalidConfigurationError('estimator', name ?? counting, 'expected { name, count(text) }, which returns a number')
    const count = (text: string): Tokens => {
      const tokens = counting.count(text)
      if (tokens > 0 && Number.isFinite(tokens)) return tokens
      throw new CompactionError('expected a number above 0')
    }
    return { name, count: (text) => (text === '' ? 0 : (asked(() => count(text)) ?? builtInEstimator.count(text))) }
  }
  const rulesOf = (overrides: PolicyOverrides = {}, counting = builtInEstimator): ModelRules => {
    const made = mergePolicy(balanced, atOnce('policy', overrides))
    if (made.retain.semantic !== undefined && embedder === undefined) {
      throw new InvalidConfigurationError('embedder', null, 'retain.semantic needs one; lexicalEmbedder() works without a model')
    }
    const names: readonly string[] = [...rungs, ...own.map(({ name }) => name)]
    for (const list of ['ladder', 'maintain'] as const) {
      const unknown = made.prune[list].find((name) => !names.includes(name))
      if (unknown !== undefined)
        throw new InvalidConfigurationError(`prune.${list}`, unknown, `expected one of ${names.join(', ')}; own ones stand in the option rungs`)
    }
    // Where there is no model to ask, the record speaks alone.
    const author = fullSummarizer === undefined && made.summary.author === 'model' ? 'record' : made.summary.author
    return { policy: { ...made, summary: { ...made.summary, author } }, estimator: counting === builtInEstimator ? counting : helped(counting) }
  }
  if (typeof policy !== 'function' && typeof estimator !== 'function') {
    const only = rulesOf(policy, estimator)
    return () => only
  }
  const known = new Map<string, ModelRules>()
  return (model = '') =>
    memoized(known, model, () =>
      rulesOf(
        typeof policy === 'function' ? tried('policy', () => policy(model)) : policy,
        typeof estimator === 'function' ? tried('estimator', () => estimator(model)) : estimator,
      ),
    )
}
