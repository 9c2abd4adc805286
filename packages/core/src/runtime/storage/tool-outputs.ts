import { omitUndefined } from '../../history/omit-undefined.ts'
import { digestName } from '../../history/sha256.ts'
import { nameOutputsBy, referenceOf } from '../../plan/arrival.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import type { StorageDriver } from './driver.ts'
import { givenStorage } from './given-storage.ts'
import { type Manifest, manifestKey, type SaveOptions, type ToolOutputRef, type ToolOutputStore } from './output-store.ts'
import { readOutputTool, searchOutputTool } from './output-tools.ts'

/** Which outputs are stored, and what is redacted in them. */
export interface ToolOutputStoreOptions {
  /** `shortened`: an output is stored when the model is shown less than all of it. `all`: every output is. Default: as the policy says, `prune.store`. */
  readonly keep?: 'shortened' | 'all'
  /** Applied before writing. Default: none; a compactor that is given the store applies its own. */
  readonly redact?: Redactor
}

const day = 86_400_000

/**
 * A store for whole tool outputs over any storage, for the option `outputs` of an adapter or a compactor.
 *
 * @throws StorageError from its methods, when the storage fails.
 */
export function createToolOutputStore(storage: StorageDriver, options: ToolOutputStoreOptions = {}): ToolOutputStore {
  nameOutputsBy(digestName)
  const driver = givenStorage(storage)
  const known = new Map<string, Manifest>()

  const storedManifest = async (id: string): Promise<Manifest | undefined> => {
    const found = await driver.get(manifestKey(id))
    return found === undefined ? undefined : (JSON.parse(found.body) as Manifest)
  }
  const manifestOf = async (id: string): Promise<Manifest | undefined> => {
    const before = known.get(id)
    if (before !== undefined) return before
    return isReference(id) ? storedManifest(id) : undefined
  }

  const putManifest = async (manifest: Manifest, signal: AbortSignal | undefined): Promise<void> => {
    await driver.put(manifestKey(manifest.id), JSON.stringify(manifest), signal === undefined ? {} : { signal })
  }

  const save = async (output: string | AsyncIterable<string>, { signal, redact = options.redact }: SaveOptions = {}): Promise<ToolOutputRef> => {
    const id = typeof output === 'string' ? referenceOf(output) : `out-${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`
    // Another process may have deleted what this one remembers.
    const before = typeof output === 'string' ? await storedManifest(id) : undefined
    if (before !== undefined) {
      const { leaving, ...rest } = before
      // Whoever stores it again needs it as long as one who stores it now: said once a day, and to whoever is about to delete it.
      if (leaving || Date.now() - (before.at ?? 0) > day) await putManifest({ ...rest, at: Date.now() }, signal)
      return refOf(before)
    }
    const manifest = await (await import('./output-pieces.ts')).writePieces(driver, id, output, redact, signal)
    // Written last: an output without it was never stored.
    await putManifest(manifest, signal)
    remember(known, manifest)
    return refOf(manifest)
  }

  const store: ToolOutputStore = {
    storage: driver,
    ...omitUndefined({ keep: options.keep }),
    save,
    async find(id) {
      const manifest = await manifestOf(id)
      return manifest === undefined ? undefined : refOf(manifest)
    },
    async *lines(id, offset) {
      yield* (await import('./output-pieces.ts')).linesOf(driver, id, await manifestOf(id), offset)
    },
    gc: async (reachable, options) => (await import('./collect-outputs.ts')).collectOutputs(driver, reachable, (id) => known.delete(id), options),
    tools: () => [readOutputTool(store), searchOutputTool(store)],
  }
  return store
}

const refOf = ({ id, byteSize, lineCount }: Manifest): ToolOutputRef => ({ id, byteSize, lineCount })

function isReference(id: string): boolean {
  return /^out-[0-9a-f]{16}$/.test(id)
}

const mostKnown = 1_000

function remember(known: Map<string, Manifest>, manifest: Manifest): void {
  if (known.size >= mostKnown) known.delete(known.keys().next().value as string)
  known.set(manifest.id, manifest)
}
