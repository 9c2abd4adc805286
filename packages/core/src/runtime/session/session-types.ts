import type { TokenUsage } from '../../budget/usage.ts'
import type { Message, Tokens } from '../../history/message.ts'
import type { ToolDefinition } from '../../history/tool.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import type { Overhead } from '../../plan/context.ts'
import type { Remembered } from '../../plan/layers.ts'
import type { ProviderSide } from '../../plan/provider-side.ts'
import type { CompactionReport, RecallReceipt } from '../../plan/report.ts'
import type { CompactionState, PendingCompaction } from '../../state/state.ts'

/** What the session is told about one model call. */
export interface ModelCall {
  /** Tokens that the request carries besides the messages. */
  readonly overhead?: Partial<Overhead>
  /** Looked up when limits are a function. */
  readonly model?: string
  /**
   * Where the model is served: its provider and base URL, say. What refusals teach of a model's window holds where they came from. Of this text nothing but a
   * hash is kept, stored or queued.
   */
  readonly endpoint?: string
  /** The model that the next calls will go to: the context is made to fit it, and the current model still writes the summary. */
  readonly nextModel?: string
  /** Output tokens that the request's body asks for, by the caller or by the provider's client: kept free in full. */
  readonly maxOutput?: Tokens
  /** What the provider does with the conversation by itself, from `providerSide`: nothing is compacted here then unless it is asked for or a request is refused. */
  readonly provider?: ProviderSide
  /**
   * The context takes the place of the history (LangGraph's state, say): what leaves it is gone unless it is on record. Nothing is changed then while an archive
   * or a store for outputs, where there is one, does not take it.
   */
  readonly replaces?: boolean
  /** Nothing is being worked on: the history goes to the model now, and calls at its end that have no answer get one that says so. Default: they are left to the host. */
  readonly settled?: boolean
  /** The round of look-ups whose answers the request carries beside the history: for its receipt. Their tokens are `overhead.memory`. */
  readonly recall?: RecallReceipt
  /** Milliseconds that are left for the whole call, where they are known: a summary that it waits for takes half of them at most. */
  readonly deadline?: number
  readonly signal?: AbortSignal
}

/** A context, with the receipt of what was done for it. */
export interface Prepared<M> {
  /** The context to send: the caller's own array when there is nothing to do. */
  readonly messages: readonly M[]
  readonly report: CompactionReport
}

/** A compaction that goes on beside the agent. */
export interface BackgroundCompaction {
  /** true: a summary is ready. It is stored, and shown by the next call if what it covers is still the same. false: there is no need, another process is at it, or the model failed. Never rejects. */
  readonly done: Promise<boolean>
  /** Stops it; what it would have made is not adopted. */
  abort(): void
}

/** One conversation: its context for each call, and what it remembers. */
export interface CompactionSession<M> {
  readonly id: string
  /** Id that a conversation without a name had while it said less. */
  readonly earlier?: string | undefined
  /**
   * The context for the next call. Compacts first when the policy says so.
   * A fault of ours leaves the history as it came, with a warning in the report.
   * @throws InsufficientBudgetError when what must stay does not fit; InvalidConfigurationError; the abort reason of `call.signal`. Nothing else.
   */
  beforeModelCall(history: readonly M[], call?: ModelCall): Promise<Prepared<M>>
  /** The history as its newest compaction shows it, with what came since. Decides nothing and asks nobody. */
  view(history: readonly M[]): Promise<readonly M[]>
  /** For adapters: the history, as it is read, each message once. Decides nothing and asks nobody. */
  read(history: readonly M[]): Promise<readonly Message[]>
  /**
   * Learns from what the provider counted; `normalizeUsage` reads its answer. A prompt of no tokens, or of no number, is no measurement.
   * `report`: the receipt of the context that was counted, where calls of the session may be under way at once. Default: of the newest.
   */
  afterModelCall(outcome: { readonly usage?: TokenUsage | undefined; readonly report?: CompactionReport | undefined }): void
  /**
   * A provider refused the request. Each further refusal of the same one makes a smaller context; `answerRefusals` goes round six times.
   * @returns a smaller or mended context, or undefined when compaction cannot help.
   * @throws InsufficientBudgetError when what must stay is larger than the window that the refusal states.
   */
  recover(history: readonly M[], error: unknown, call?: ModelCall): Promise<Prepared<M> | undefined>
  /** Compacts now, whatever the level. `focus`: what the summary shall dwell on. `note`: why, for the record; it stands in the checkpoint. */
  compact(history: readonly M[], options?: ModelCall & { readonly focus?: string; readonly note?: string }): Promise<Prepared<M>>
  /** What `beforeModelCall` (or, with `asked`, `compact`) would do. Uses the state in memory; changes nothing. */
  plan(history: readonly M[], call?: ModelCall & { readonly asked?: 'manual' }): CompactionPlan
  /** Queues a compaction for the next call. It is stored: whichever process makes that call will do it. */
  schedule(request?: Partial<PendingCompaction>): Promise<void>
  /** Starts a compaction that nobody waits for. One at a time: a second call gets the first one. `focus`: what the summary shall dwell on. */
  background(history: readonly M[], call?: ModelCall & { readonly focus?: string }): BackgroundCompaction
  /**
   * The work of a `BackgroundJob`, in whichever process: writes the summary that the session will need soon and stores it, for all. Never touches a history.
   * `nothing`: there is no need (any more). `busy`: another process is at it. `stale`: another one was faster. `failed`: the model failed; nothing was stored.
   */
  compactAhead(history: readonly M[], call?: ModelCall): Promise<'done' | 'nothing' | 'busy' | 'stale' | 'failed'>
  /** The first message for a new conversation that goes on from this one. Changes nothing here. */
  handoff(history: readonly M[], options?: { readonly focus?: string; readonly signal?: AbortSignal }): Promise<string>
  /** What the model is shown now, layer by layer. */
  remembered(history: readonly M[], call?: ModelCall): Remembered
  /** Forgets the checkpoint with this id and all after it; without an id, the newest. What they covered is shown again. */
  rewind(checkpoint?: string): Promise<void>
  /** Tools for the model: `compact_context`; `tool_output_cache` and `tool_output_cache_grep` with a store; `recall_history` with an archive. */
  tools(): readonly ToolDefinition[]
  /** What is remembered of the conversation, as JSON. */
  state(): CompactionState
  /** The state that a copy of this conversation begins with. */
  forked(): Promise<CompactionState>
  /** Lets go of what this process holds of the conversation, a compaction beside the agent included. Its next call begins with what is stored. */
  close(): void
}
