import type { TokenEstimator } from '../../budget/estimate.ts'
import type { ModelLimits } from '../../budget/limits.ts'
import type { ErrorPattern } from '../../budget/wordings.ts'
import type { MessageCodec } from '../../history/codec.ts'
import type { Embedder } from '../../partition/embedder.ts'
import type { PartitionRule } from '../../partition/rule.ts'
import type { CompactionReport } from '../../plan/report.ts'
import type { PolicyOverrides, ToolPolicy } from '../../policy/policy.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import type { CustomRung } from '../../prune/custom-rung.ts'
import type { Summarizer } from '../../summary/summarizer.ts'
import type { ForgetOptions, Forgot } from '../deletion/forget.ts'
import type { Collected, GcOptions } from '../deletion/gc.ts'
import type { RetentionPeriod } from '../deletion/retention.ts'
import type { Clock } from '../platform/clock.ts'
import type { RecallRound } from '../recall/answer-look-ups.ts'
import type { RecallAnswers } from '../recall/look-ups.ts'
import type { Guard } from '../session/host/guard.ts'
import type { Directives } from '../session/host/parts.ts'
import type { BackgroundQueue } from '../session/host/queue.ts'
import type { CompactionSession } from '../session/session-types.ts'
import type { Archive } from '../storage/archive.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { ToolOutputStore } from '../storage/output-store.ts'
import type { Exporter } from '../telemetry/exporter.ts'
import type { CompactionTrace } from '../telemetry/trace.ts'

/** Everything that a compactor can be given. Only `codec` is required; the rest has a default that works. */
export interface CompactorOptions<M> {
  readonly codec: MessageCodec<M>
  /** Limits of the model, or a look-up by model name. Absent or unknown: nothing is compacted automatically; overflow recovery still works. */
  readonly limits?: ModelLimits | ((model: string) => ModelLimits | undefined) | undefined
  /** Overrides of `presets.balanced`, or a complete policy; or a look-up of these by model name, where undefined stands for `balanced`. */
  readonly policy?: PolicyOverrides | ((model: string) => PolicyOverrides | undefined) | undefined
  /** Default: none, and the record stands alone. */
  readonly summarizer?: Summarizer | undefined
  /** For what a person asked for (by hand, by schedule, by a marker, with a focus, a handoff). Default: `summarizer`. */
  readonly fullSummarizer?: Summarizer | undefined
  /** Lines for whoever writes a summary, asked for each time: the branch, the goals of the day. They stand behind `summary.directives`. */
  readonly directives?: Directives | undefined
  /** Counts tokens; or a look-up by model name, where undefined stands for the built-in one. Counts are corrected by what providers bill in any case. */
  readonly estimator?: TokenEstimator | ((model: string) => TokenEstimator | undefined) | undefined
  /** What tools declare about their outputs, by name. The policy's own rules go first. */
  readonly tools?: Readonly<Record<string, ToolPolicy>> | undefined
  /** Ways of your own to show less of tool outputs, for `prune.ladder` and `prune.maintain`. */
  readonly rungs?: readonly CustomRung[] | undefined
  /** Rules of your own for what stays word for word. */
  readonly partition?: readonly PartitionRule[] | undefined
  /** For `retain.semantic`. `lexicalEmbedder()` needs no model. */
  readonly embedder?: Embedder | undefined
  /** Default: this process's memory, bounded by `maxMemory`. What an adapter's `withCompaction` wraps alike shares one in this process, unless `maxMemory` is said. */
  readonly storage?: StorageDriver | undefined
  /** Where transcripts, summaries and events go before anything leaves the context. Default: nowhere. */
  readonly archive?: Archive<M> | undefined
  /** Where whole tool outputs go before the model is shown less of them. Default: nowhere. */
  readonly outputs?: ToolOutputStore | undefined
  readonly exporters?: readonly Exporter[] | undefined
  /** Where compactions ahead of need (`trigger.background`) are done, when several processes serve the same sessions. They share `storage`. Default: in this process. */
  readonly queue?: BackgroundQueue | undefined
  /** A span of your tracing around each compaction: `openTelemetryTrace(tracer)`, or the one that an adapter has for its framework. */
  readonly trace?: CompactionTrace | undefined
  /** Applied to every text that is stored or sent to a summarizer. Default: the built-in secret rules. false: nothing is redacted. */
  readonly redact?: Redactor | false | undefined
  /** E-mail addresses and telephone numbers in what is exported: events, spans, archives on storages that are remote. What the model is shown is not touched. Default: `redact`. */
  readonly personalData?: 'redact' | 'keep' | undefined
  /** Wordings of a gateway's own errors. */
  readonly errorPatterns?: readonly ErrorPattern[] | undefined
  readonly clock?: Clock | undefined
  /**
   * Milliseconds that one call waits for storage, archive, stored outputs, embedder, queue and trace, all together. Default 5,000; `Infinity`: without limit.
   * What has not answered by then is skipped, and the receipt says so. Summaries have a deadline of their own: `summary.deadline`.
   */
  readonly effectDeadline?: number | undefined
  /**
   * Characters of all conversations together that this process holds in memory, about. Default 64,000,000. Those used longest ago are let go of and begin
   * with what is stored when they come back. Without a `storage` of yours, a quarter of it is for what is stored; that too forgets what was used longest ago.
   */
  readonly maxMemory?: number | undefined
  /**
   * Milliseconds without a call after which a conversation lets go of what can be read again from its history; its state stays, and counts
   * four times for `maxMemory`. Default: never, `maxMemory` alone decides. For hosts that hand over the whole history with every call, and never a context that they were given; the one line of every adapter has a minute.
   */
  readonly restAfter?: number | undefined
  /** How long `gc` leaves what is stored after its last use: `{ days }`, milliseconds, or false for ever. Default `{ days: 30 }`. Nothing is removed before `gc` is called. */
  readonly retention?: RetentionPeriod | undefined
  /** Called after each look at a context, also when nothing had to be done. What it throws is caught. */
  readonly onReport?: ((report: CompactionReport) => void) | undefined
}

/** Keeps conversations inside the window. One per policy; sessions are told apart by id. */
export interface Compactor<M> {
  /**
   * The conversation with this id; the same object while it is in use.
   * @param known - The state that the host itself carries, such as a graph's: used where the storage has none, and where another process has gone on since.
   * @param history - For an id that several conversations may have, as it was made of how they begin: the one that this belongs to.
   */
  session(id: string, known?: unknown, history?: readonly M[]): CompactionSession<M>
  /**
   * The conversation that a history belongs to, for hosts that have no id: it is known by what it says, so another process, or this one after a restart, finds
   * it again. Its id is that of the model's first reply and what led to it, from the seventh message on that of the second to the sixth: two that are the same up to there are stored as one, and wait for one another only where what they go on with is the same as well.
   */
  conversation(history: readonly M[]): CompactionSession<M>
  /** A copy of a conversation under another id: both begin with the same history and go on alone. @throws ConflictError when the id is in use. */
  fork(from: string, to: string): Promise<CompactionSession<M>>
  /**
   * What a conversation keeps of a tool's output: the text while it is small, otherwise a view with a reference to the whole, which is in the store by then.
   * For outputs that should never be part of a history: very long ones, and streams, which are never held whole.
   * @throws InvalidConfigurationError without `outputs`.
   */
  receiveOutput(tool: string, output: string | AsyncIterable<string>, options?: { readonly signal?: AbortSignal | undefined }): Promise<string>
  /** For adapters: whether what stands side by side of one role is one message, for servers that want roles to alternate: `summary.neighbors` of the policy for this model. */
  joins(model: string | undefined): boolean
  /** For adapters: answers what a model looks up in the history that the host has just handed over. Never rejects. */
  lookUp(session: string, round: RecallRound<M>): Promise<RecallAnswers>
  /**
   * Deletes all that is stored of a conversation: state, transcript, checkpoints, events, whole outputs that nobody else names. Delete the history itself first:
   * a history that is handed over again would be compacted again, in this process only. Another process that still holds the conversation stores nothing more of it.
   * A note of hashes, without a text, stays for seven days. Calling it twice does no harm.
   * @throws StorageError when a storage fails, ConflictError when others always write: call it again.
   */
  forget(session: string, options?: ForgetOptions): Promise<Forgot>
  /**
   * Removes conversations that were not used for longer than `retention`, leases that ended, notes of deletions, and whole outputs that nobody names. Bounded:
   * call it again with `from: next` while there is a `next`. Nobody calls it by itself; run it every night.
   * @throws InvalidConfigurationError; what listing a storage throws.
   */
  gc(options?: GcOptions): Promise<Collected>
  /** For adapters: whatever they do around a request. Sessions are guarded already. */
  readonly guard: Guard
  /** Waits for exporters. */
  flush(): Promise<void>
  /** For the end of the process: aborts summaries that are written beside the agent and gives their leases back, waits for exporters and closes them. Takes 7 seconds at most. */
  shutdown(): Promise<void>
}
