import type { ModelLimits } from '@precis/core'
import type { knownLimits } from './known-model.ts'

/** Published limits by the id that a call names. Nothing is loaded before it is needed. */
export interface LazyCatalog {
  /** @returns undefined before `load`, and for a model that the catalog does not have. */
  limits(modelId: string, provider: string): ModelLimits | undefined
  /** Loads the catalog, once. Never rejects: what nobody knows is learned. */
  load(): Promise<void>
}

/** For adapters: the catalog is loaded with the first call, apart from the rest. */
export function lazyCatalog(): LazyCatalog {
  let find: typeof knownLimits | undefined
  let loading: Promise<void> | undefined
  return {
    limits: (modelId, provider) => find?.(modelId, { provider }),
    load: () =>
      (loading ??= import('./known-model.ts').then(
        ({ knownLimits }) => {
          find = knownLimits
        },
        () => undefined,
      )),
  }
}
