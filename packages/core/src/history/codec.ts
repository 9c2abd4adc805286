import type { Message } from './message.ts'

/**
 * A framework's messages, seen and made. `read` is total and 1 : 1 by index; kept messages are never rebuilt.
 * Nothing here may change its argument.
 */
export interface MessageCodec<M> {
  /** Total: unknown content becomes an `opaque` part. */
  read(message: M): Message
  /** Whether a message is protected, where that is not in the message itself and may change: asked anew with each history. */
  protects?(message: M): boolean
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
  readonly media?: string | undefined
}
