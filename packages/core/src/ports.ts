import type { CompactionEvent } from './events.ts'
import type { Message, Tokens } from './message.ts'
import type { FinishReason } from './summary/accept.ts'
import type { SummaryRequest } from './summary/request.ts'
import type { TokenUsage } from './usage.ts'

/**
 * A framework's messages, seen and made. `read` is total and 1 : 1 by index; kept messages are never rebuilt.
 * Nothing here may change its argument.
 */
export interface MessageCodec<M> {
  /** Total: unknown content becomes an `opaque` part. */
  read(message: M): Message
  /** A message that carries a summary; `read` gives it back with `summary` set. */
  createSummary(text: string, mark: { readonly version: number; readonly role: 'user' | 'assistant' | 'system' }): M
  /** One user message with the contents of several, in order, attachments included. Carries no mark of a summary. */
  joinUsers(messages: readonly M[]): M
  /** A copy in which outputs, arguments or attachments are other texts. */
  edit(message: M, changes: MessageChanges): M
  /** Tool messages that answer the given calls, in order: one for all, or one for each where the framework wants that. */
  createToolResults(results: readonly { readonly callId: string; readonly tool: string; readonly output: string }[]): readonly M[]
  /** A copy without the results of the named calls; undefined when nothing would be left. */
  withoutToolResults(message: M, callIds: ReadonlySet<string>): M | undefined
}

/** What of one message is shown in other words. What is not named stays as it is. */
export interface MessageChanges {
  /** Outputs by call id. The output's own attachments go unless they are kept. */
  readonly outputs: ReadonlyMap<string, { readonly text: string; readonly keepAttachments: boolean }>
  /** Arguments by call id: a JSON object as text. Frameworks that keep arguments in two places change both. */
  readonly inputs: ReadonlyMap<string, string>
  /** A line that takes the place of all attachments of the message itself. */
  readonly media?: string
}

/** Writes summaries. Makes one call without tools; the runtime bounds the input, checks the text and handles every failure. */
export interface Summarizer {
  readonly name: string
  /** Tokens that its model can read and write; the session's own window when absent. */
  readonly window?: Tokens
  /** It can send `request.prefix` (the framework's own messages, as last sent) in front of the prompt, with the session's model and tools forbidden. */
  readonly ridesPrefix?: boolean
  /** Its text consists of facts of the request, word for word: there is nothing to check. */
  readonly verbatim?: boolean
  /** @throws whatever the model throws; the runtime classifies it. Must honour `signal`. */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<{ readonly text: string; readonly finish: FinishReason; readonly usage?: TokenUsage }>
}

/** Where sessions keep their state: strings under keys, with a version for each write. */
export interface StorageDriver {
  readonly name: string
  /** What is written here leaves the machine, readable: personal data in archives is redacted first. Default: false. */
  readonly remote?: boolean
  get(key: string, options?: { readonly signal?: AbortSignal }): Promise<{ readonly body: string; readonly version: string } | undefined>
  /** `ifVersion`: the version that must be there, null for none. @throws ConflictError when another one is. */
  put(key: string, body: string, options?: { readonly ifVersion?: string | null; readonly signal?: AbortSignal }): Promise<{ readonly version: string }>
  delete(key: string): Promise<void>
  list(prefix: string): AsyncIterable<string>
}

/** Takes events out of the process. A failing exporter is reported once and never disturbs the agent. */
export interface Exporter {
  readonly name: string
  /** Writes under the session's own id, on this machine or behind a redaction of its own: it is told the id as it is. */
  readonly keepsIds?: boolean
  export(events: readonly CompactionEvent[]): void | Promise<void>
  /** Called at once, where the event happens, so that it can be tied to what is active there. Must not block; `export` follows with the same objects. */
  observe?(events: readonly CompactionEvent[]): void
  flush?(): Promise<void>
  shutdown?(): Promise<void>
}

/** Compactions ahead of need as jobs of an engine that several processes share, such as `@precis/queue-bullmq`. Default: the process itself does them. */
export interface BackgroundQueue {
  readonly name: string
  /** Asks for a job. While one for the same session is waiting, nothing more happens. Must not wait for the work itself. */
  enqueue(job: BackgroundJob): Promise<void>
}

/** What a worker needs to know, as JSON; the history it loads itself, and hands both to `session.compactAhead`. */
export interface BackgroundJob {
  readonly session: string
  readonly call: {
    readonly model?: string
    readonly maxOutput?: Tokens
    readonly overhead?: { readonly system?: Tokens; readonly tools?: Tokens; readonly memory?: Tokens }
  }
}

/** Counts and names, never texts. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>

/**
 * Runs the work of one compaction inside a span of the host's tracing. `attributes` are known before; `done` says what came of it.
 * Must call `work` once and hand on what it returns; a trace that fails disturbs nothing.
 */
export type CompactionTrace = <T>(attributes: TraceAttributes, work: (done: (attributes: TraceAttributes) => void) => Promise<T>) => Promise<T>

/** Vectors for texts, one each, in order; any length, not necessarily normalised. */
export interface Embedder {
  readonly name: string
  embed(texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly (readonly number[] | Readonly<Record<string, number>>)[]>
}

/** Time and identity, so that runs can be repeated byte for byte. `now` is in milliseconds since 1970. */
export interface Clock {
  now(): number
  id(): string
}
