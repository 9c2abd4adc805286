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
  /** A copy in which the outputs of the named calls are other texts and their attachments are gone. */
  replaceToolOutputs(message: M, outputs: ReadonlyMap<string, string>): M
  /** Tool messages that answer the given calls, in order: one for all, or one for each where the framework wants that. */
  createToolResults(results: readonly { readonly callId: string; readonly tool: string; readonly output: string }[]): readonly M[]
  /** A copy without the results of the named calls; undefined when nothing would be left. */
  withoutToolResults(message: M, callIds: ReadonlySet<string>): M | undefined
}

/** Writes summaries. Makes one call without tools; the runtime bounds the input, checks the text and handles every failure. */
export interface Summarizer {
  readonly name: string
  /** Tokens that its model can read and write; the session's own window when absent. */
  readonly window?: Tokens
  /** @throws whatever the model throws; the runtime classifies it. Must honour `signal`. */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<{ readonly text: string; readonly finish: FinishReason; readonly usage?: TokenUsage }>
}

/** Where sessions keep their state: strings under keys, with a version for each write. */
export interface StorageDriver {
  readonly name: string
  get(key: string, options?: { readonly signal?: AbortSignal }): Promise<{ readonly body: string; readonly version: string } | undefined>
  /** `ifVersion`: the version that must be there, null for none. @throws ConflictError when another one is. */
  put(key: string, body: string, options?: { readonly ifVersion?: string | null; readonly signal?: AbortSignal }): Promise<{ readonly version: string }>
  delete(key: string): Promise<void>
  list(prefix: string): AsyncIterable<string>
}

/** Takes events out of the process. A failing exporter is reported once and never disturbs the agent. */
export interface Exporter {
  readonly name: string
  export(events: readonly CompactionEvent[]): void | Promise<void>
  flush?(): Promise<void>
  shutdown?(): Promise<void>
}

/** Time and identity, so that runs can be repeated byte for byte. `now` is in milliseconds since 1970. */
export interface Clock {
  now(): number
  id(): string
}
