import { InvalidConfigurationError } from '../errors.ts'
import { builtInEstimator, type TokenEstimator } from '../estimate.ts'
import { type ModelLimits, usableInput } from '../limits.ts'
import { mergePolicy } from '../merge-policy.ts'
import type { ErrorPattern } from '../overflow.ts'
import type { PolicyOverrides, ToolPolicy } from '../policy.ts'
import type { BackgroundQueue, Clock, CompactionTrace, Embedder, Exporter, MessageCodec, StorageDriver, Summarizer } from '../ports.ts'
import { balanced } from '../presets/balanced.ts'
import type { Redactor } from '../redact.ts'
import { redactedReading } from '../redact-message.ts'
import { readingJson } from '../redact-value.ts'
import { personalRules } from '../redaction-rules.ts'
import type { Archive } from './archive.ts'
import { checkedStorage } from './checked-storage.ts'
import { createEmitter } from './emitter.ts'
import { memoryStorage } from './memory-storage.ts'
import type { CompactorParts } from './parts.ts'
import { receiveOutput } from './receive-output.ts'
import { createRedactor } from './redactor.ts'
import { createSession } from './session.ts'
import type { CompactionSession } from './session-types.ts'
import { createStateStore } from './state-store.ts'
import { digestSummarizer } from './summarise.ts'
import type { ToolOutputStore } from './tool-outputs.ts'
import { traced } from './trace.ts'

export interface CompactorOptions<M> {
  readonly codec: MessageCodec<M>
  /** Limits of the model, or a look-up by model name. Absent or unknown: nothing is compacted automatically; overflow recovery still works. */
  readonly limits?: ModelLimits | ((model: string) => ModelLimits | undefined)
  /** Overrides of `presets.balanced`, or a complete policy. */
  readonly policy?: PolicyOverrides
  /** Default: the deterministic digest, which needs no model. */
  readonly summarizer?: Summarizer
  /** For what a person waits for (a compaction with a focus, a handoff). Default: `summarizer`. */
  readonly fullSummarizer?: Summarizer
  readonly estimator?: TokenEstimator
  /** What tools declare about their outputs, by name. The policy's own rules go first. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>
  /** For `retain.semantic`. `lexicalEmbedder()` needs no model. */
  readonly embedder?: Embedder
  /** Default: this process's memory. */
  readonly storage?: StorageDriver
  /** Where transcripts, summaries and events go before anything leaves the context. Default: nowhere. */
  readonly archive?: Archive<M>
  /** Where whole tool outputs go before the model is shown less of them. Default: nowhere. */
  readonly outputs?: ToolOutputStore
  readonly exporters?: readonly Exporter[]
  /** Where compactions ahead of need (`trigger.background`) are done, when several processes serve the same sessions. They share `storage`. Default: in this process. */
  readonly queue?: BackgroundQueue
  /** A span of your tracing around each compaction: `openTelemetryTrace(tracer)`, or the one that an adapter has for its framework. */
  readonly trace?: CompactionTrace
  /** Applied to every text that is stored or sent to a summariser. Default: the built-in secret rules. false: nothing is redacted. */
  readonly redact?: Redactor | false
  /** E-mail addresses and telephone numbers in what is exported: events, spans, archives on storages that are remote. What the model is shown is not touched. Default: `redact`. */
  readonly personalData?: 'redact' | 'keep'
  /** Wordings of a gateway's own errors. */
  readonly errorPatterns?: readonly ErrorPattern[]
  readonly clock?: Clock
}

export interface Compactor<M> {
  /** The conversation with this id; the same object while it is in use. */
  session(id: string): CompactionSession<M>
  /** A copy of a conversation under another id: both begin with the same history and go on alone. @throws ConflictError when the id is in use. */
  fork(from: string, to: string): Promise<CompactionSession<M>>
  /**
   * What a conversation keeps of a tool's output: the text while it is small, otherwise a view with a reference to the whole, which is in the store by then.
   * For outputs that should never be part of a history: very long ones, and streams, which are never held whole.
   * @throws InvalidConfigurationError without `outputs`.
   */
  receiveOutput(tool: string, output: string | AsyncIterable<string>, options?: { readonly signal?: AbortSignal | undefined }): Promise<string>
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
  if (!(estimator.count('word') >= 0)) throw new InvalidConfigurationError('estimator', estimator.name, 'expected count(text) to return a number')
  const clock = options.clock ?? systemClock
  const policy = mergePolicy(balanced, options.policy ?? {})
  if (typeof options.limits === 'object') usableInput(options.limits, policy.trigger.outputCap)
  if (policy.retain.semantic !== undefined && options.embedder === undefined) {
    throw new InvalidConfigurationError('embedder', null, 'retain.semantic needs one; lexicalEmbedder() works without a model')
  }
  const summarizer = options.summarizer ?? digestSummarizer(estimator)
  const storage = checkedStorage(options.storage ?? memoryStorage())
  const redact: Redactor = options.redact === false ? (text) => text : readingJson(options.redact ?? createRedactor())
  const personal = options.personalData === 'keep' ? undefined : createRedactor(personalRules)
  const exported: Redactor = personal === undefined ? redact : (text) => personal(redact(text))
  const emitter = createEmitter(options.exporters ?? [], clock, exported)
  const parts: CompactorParts<M> = {
    codec: options.codec,
    limits: options.limits,
    policy,
    tools: options.tools,
    summarizer,
    fullSummarizer: options.fullSummarizer ?? summarizer,
    estimator,
    embedder: options.embedder,
    storage,
    archive: options.archive,
    outputs: options.outputs,
    redacts: options.redact !== false,
    redact,
    personal,
    redacted: redactedReading(options.redact === false ? undefined : redact),
    errorPatterns: options.errorPatterns ?? [],
    clock,
    emitter,
    trace: traced(options.trace, exported),
    queue: options.queue,
  }
  const sessions = new Map<string, CompactionSession<M>>()
  const session = (id: string): CompactionSession<M> => {
    const found = sessions.get(id) ?? createSession(id, parts)
    sessions.delete(id)
    sessions.set(id, found)
    if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value as string)
    return found
  }
  return {
    session,
    async fork(from, to) {
      await createStateStore(storage, to).create(await session(from).forked())
      return session(to)
    },
    async receiveOutput(tool, output, { signal } = {}) {
      const { outputs, redact } = parts
      if (outputs === undefined) throw new InvalidConfigurationError('outputs', null, 'expected a store for whole outputs: createToolOutputStore(storage)')
      const failed = (error: unknown): void =>
        emitter.emit('', [
          { event: 'compact.output_store_failed', severity: 'warning', attributes: { reason: error instanceof Error ? error.name : typeof error } },
        ])
      return receiveOutput(tool, output, { outputs, policy, tools: options.tools, estimator, redact, failed }, signal)
    },
    flush: () => emitter.flush(),
    shutdown: () => emitter.shutdown(),
  }
}

const systemClock: Clock = { now: () => Date.now(), id: () => crypto.randomUUID() }
