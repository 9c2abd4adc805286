import { type CompactorOptions, InvalidConfigurationError } from '@precis/core'
import { lazyCatalog } from '@precis/models/lazy'

type Limits = CompactorOptions<never>['limits']

/** Limits of the models that calls go to. */
export interface KnownLimits {
  /** What the host says; where it says nothing, what is published. */
  readonly limits: Limits
  /** Whose model the next call goes to. Loads the catalog, once. */
  learn(model: unknown): Promise<void>
}

export function createLimits(given: Limits): KnownLimits {
  if (given !== undefined && typeof given !== 'function' && (typeof given !== 'object' || given === null))
    throw new InvalidConfigurationError('limits', given, 'write { contextWindow: 200_000 }, say, or leave them out')
  if (given !== undefined) return { limits: given, learn: async () => {} }
  const catalog = lazyCatalog()
  const providers = new Map<string, string>()
  let newest = 'unknown'
  return {
    // A model that the calls have not gone to yet is taken to be served where the last one was.
    limits: (id) => catalog.limits(id, providers.get(id) ?? newest),
    async learn(model) {
      const { modelId, provider } = Object(model) as { readonly modelId?: unknown; readonly provider?: unknown }
      if (typeof modelId === 'string' && typeof provider === 'string') {
        providers.set(modelId, provider)
        newest = provider
      }
      await catalog.load()
    },
  }
}
