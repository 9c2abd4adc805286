import { InvalidConfigurationError } from '../errors.ts'
import { builtInEstimator, type TokenEstimator } from '../estimate.ts'
import { type ModelLimits, usableInput } from '../limits.ts'
import type { ErrorPattern } from '../overflow.ts'
import { mergePolicy, type PolicyOverrides } from '../policy.ts'
import type { Clock, Exporter, MessageCodec, StorageDriver, Summarizer } from '../ports.ts'
import { balanced } from '../presets/balanced.ts'
import { createRedactor, type Redactor } from '../redact.ts'
import { createEmitter } from './emitter.ts'
import { memoryStorage } from './memory-storage.ts'
import { type CompactionSession, type CompactorParts, createSession } from './session.ts'
import { digestSummarizer } from './summarise.ts'

export interface CompactorOptions<M> {
  readonly codec: MessageCodec<M>
  /** Limits of the model, or a look-up by model name. Absent or unknown: nothing is compacted automatically; overflow recovery still works. */
  readonly limits?: ModelLimits | ((model: string) => ModelLimits | undefined)
  /** Overrides of `presets.balanced`, or a complete policy. */
  readonly policy?: PolicyOverrides
  /** Default: the deterministic digest, which needs no model. */
  readonly summarizer?: Summarizer
  readonly estimator?: TokenEstimator
  /** Default: this process's memory. */
  readonly storage?: StorageDriver
  readonly exporters?: readonly Exporter[]
  /** Applied to every text that is stored or sent to a summariser. Default: the built-in secret rules. false: nothing is redacted. */
  readonly redact?: Redactor | false
  /** Wordings of a gateway's own errors. */
  readonly errorPatterns?: readonly ErrorPattern[]
  readonly clock?: Clock
}

export interface Compactor<M> {
  /** The conversation with this id; the same object while it is in use. */
  session(id: string): CompactionSession<M>
  /** Waits for exporters. */
  flush(): Promise<void>
  /** Waits for exporters and closes them. */
  shutdown(): Promise<void>
}

/** Conversations kept in memory; the state of others is read from the storage when they come back. */
const mostSessions = 1_000

/** @throws InvalidConfigurationError for a policy or limits that cannot be meant. */
export function createCompactor<M>(options: CompactorOptions<M>): Compactor<M> {
  if (typeof options.codec?.read !== 'function') throw new InvalidConfigurationError('codec', options.codec, 'expected a MessageCodec; adapters export one')
  const estimator = options.estimator ?? builtInEstimator
  const clock = options.clock ?? systemClock
  const policy = mergePolicy(balanced, options.policy ?? {})
  if (typeof options.limits === 'object') usableInput(options.limits, policy.trigger.outputCap)
  const emitter = createEmitter(options.exporters ?? [], clock)
  const parts: CompactorParts<M> = {
    codec: options.codec,
    limits: options.limits,
    policy,
    summarizer: options.summarizer ?? digestSummarizer(estimator),
    estimator,
    storage: options.storage ?? memoryStorage(),
    redact: options.redact === false ? (text) => text : (options.redact ?? createRedactor()),
    errorPatterns: options.errorPatterns ?? [],
    clock,
    emitter,
  }
  const sessions = new Map<string, CompactionSession<M>>()
  return {
    session(id) {
      const found = sessions.get(id) ?? createSession(id, parts)
      sessions.delete(id)
      sessions.set(id, found)
      if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value as string)
      return found
    },
    flush: () => emitter.flush(),
    shutdown: () => emitter.shutdown(),
  }
}

const systemClock: Clock = { now: () => Date.now(), id: () => crypto.randomUUID() }
