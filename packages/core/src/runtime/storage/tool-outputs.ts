import { omitUndefined } from '../../history/omit-undefined.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import type { StorageDriver } from './driver.ts'
import { givenStorage, redactRule } from './given-storage.ts'
import type { Manifest, ToolOutputStore } from './output-store.ts'
import { readOutputTool, searchOutputTool } from './output-tools.ts'

/** Which outputs are stored, and what is redacted in them. */
export interface ToolOutputStoreOptions {
  /** `shortened`: an output is stored when the model is shown less than all of it. `all`: every output is. Default: as the policy says, `prune.store`. */
  readonly keep?: 'shortened' | 'all'
  /** Applied before writing. Default: none; a compactor that is given the store applies its own. */
  readonly redact?: Redactor
}

/**
 * A store for whole tool outputs over any storage, for the option `outputs` of an adapter or a compactor.
 *
 * @throws InvalidConfigurationError for what is no storage, and for options that cannot be meant. StorageError from its methods, when the storage fails.
 */
export function createToolOutputStore(storage: StorageDriver, options: ToolOutputStoreOptions = {}): ToolOutputStore {
  const driver = givenStorage(storage, options, { ...redactRule, 'keep?': ['shortened', 'all'] })
  const known = new Map<string, Manifest>()

  const store: ToolOutputStore = {
    storage: driver,
    ...omitUndefined({ keep: options.keep }),
    save: async (output, { signal, redact = options.redact } = {}) => (await import('./save-output.ts')).saveOutput(driver, known, output, redact, signal),
    find: async (id) => (await import('./output-pieces.ts')).findOutput(driver, known, id),
    async *lines(id, offset) {
      yield* (await import('./output-pieces.ts')).linesOf(driver, known, id, offset)
    },
    gc: async (reachable, options) => (await import('./collect-outputs.ts')).collectOutputs(driver, reachable, (id) => known.delete(id), options),
    tools: () => [readOutputTool(store), searchOutputTool(store)],
  }
  return store
}
