import { jsonText } from '../../history/json.ts'
import { memoized } from '../../history/memoize.ts'
import { hexOf, sha256 } from '../../history/sha256.ts'
import { breakersBeside, createBreakers } from '../breaker.ts'
import type { StorageDriver } from '../storage/driver.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import type { CompactorOptions } from './compactor-types.ts'

type Kind = Pick<
  CompactorOptions<never>,
  'storage' | 'maxMemory' | 'limits' | 'policy' | 'tools' | 'redact' | 'personalData' | 'estimator' | 'summarizer' | 'fullSummarizer'
> & { readonly archive?: unknown; readonly outputs?: unknown }

/** Characters that all conversations without a storage keep together. */
const mostMemory = 16_000_000

const memory = memoryStorage({ characters: mostMemory })

/** One storage for what is wrapped alike, and beside it which summarizers failed; as many as are remembered. */
const storages = new Map<string, StorageDriver>()
const mostStorages = 1_000

/** Numbers of redactors, by which a function is told from others. */
const redactors = new WeakMap<object, number>()
let numbered = 0

/**
 * For adapters: options with a storage, where they have none. Hosts wrap a model anew for each request: in one process, what is wrapped alike shares a storage in
 * memory, so that each request finds what those before it had summarized, and which summarizers failed. Alike is what has the same limits, policy and rules for tools, the same
 * redactor, an estimator and a summarizer of the same names, and puts transcripts or outputs on record or does not: what one has left out of a context unrecorded, another
 * would not record either. Who says how much memory to use has a storage of its own.
 *
 * @param wrapped - What else tells one from another: what kind of seam it is, the model and where it is served.
 */
export function withSharedStorage<T extends Kind>(options: T, ...wrapped: readonly unknown[]): T & Pick<Kind, 'storage'> {
  const { storage, maxMemory, limits, policy, tools, redact, personalData, estimator, summarizer, fullSummarizer, archive, outputs } = options
  if (storage !== undefined || maxMemory !== undefined) return options
  const alike = jsonText([
    wrapped,
    limits,
    policy,
    tools,
    redactionOf(redact),
    personalData,
    estimator?.name,
    summarizer?.name,
    fullSummarizer?.name,
    archive !== undefined,
    outputs !== undefined,
  ])
  const key = hexOf(sha256(alike))
  const shared = memoized(storages, key, () => under(`${key}/`))
  memoized(breakersBeside, shared, createBreakers)
  // The one that was used longest ago goes.
  storages.delete(key)
  storages.set(key, shared)
  if (storages.size > mostStorages) storages.delete(storages.keys().next().value as string)
  return { ...options, storage: shared }
}

/** One redactor never sees what another has let through: a function is like itself alone. */
function redactionOf(redact: Kind['redact']): number | false | undefined {
  if (typeof redact !== 'function') return redact
  const number = redactors.get(redact) ?? ++numbered
  redactors.set(redact, number)
  return number
}

/** The part of the memory whose keys begin so. */
function under(prefix: string): StorageDriver {
  return {
    name: memory.name,
    get: (key, options) => memory.get(prefix + key, options),
    put: (key, body, options) => memory.put(prefix + key, body, options),
    delete: (key) => memory.delete(prefix + key),
    async *list(start) {
      for await (const key of memory.list(prefix + start)) yield key.slice(prefix.length)
    },
  }
}
