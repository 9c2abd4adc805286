import type { Message, MessageCodec, Tokens } from '@precis/core'

/** An API by the shape of its requests. */
export type WireName = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini'

/**
 * One message of a request beside its reading. Where an API puts what two speakers said into one message (results of tools and words of a user, in
 * Anthropic's and Gemini's), it is two of these.
 */
export interface WireMessage {
  readonly message: Message
  /** What stands in the request for each part of `message`, one for one. */
  readonly blocks: readonly unknown[]
  /** The value of the request that this is, or a piece of. Absent where a compaction made it. */
  readonly origin?: WireOrigin
  /** Some of the blocks are not those of the origin. */
  readonly changed?: true
}

/** A value of the request's list of messages. The same object for all its pieces. */
export interface WireOrigin {
  readonly value: unknown
  readonly pieces: number
  /** Its place in the list, from 0. */
  readonly at: number
}

/** A tool that a request offers. */
export interface WireTool {
  /** Its name; that of its kind where the provider runs it. */
  readonly name: string
  readonly description?: string
  /** JSON Schema of its arguments. */
  readonly parameters?: unknown
  /** As it stands in the request. Leave it out to add a tool: it is written in the API's own shape. */
  readonly value?: unknown
}

/** A request's body, as far as a compaction needs it. `body` holds everything else. */
export interface WireRequest {
  readonly body: Readonly<Record<string, unknown>>
  readonly messages: readonly WireMessage[]
  /** Instructions that stand outside the messages; "" where there are none, and in OpenAI Chat, whose instructions are messages. */
  readonly system: string
  readonly tools: readonly WireTool[]
  /** Most tokens of the reply. */
  readonly maxOutput?: Tokens
  readonly model?: string
}

/** What is not as the API wants it, such as `messages: expected a list, found undefined`. */
export interface WireProblem {
  readonly path: string
  readonly expected: string
  readonly found: string
}

/** A request that was read, or what is wrong with it and where. Never thrown. */
export type WireReading = { readonly ok: true; readonly request: WireRequest } | { readonly ok: false; readonly problem: WireProblem }

/** What to write in place of what was read. What is not named stays as it is. */
export interface WireChanges {
  readonly messages?: readonly WireMessage[]
  /** In OpenAI Chat: the text of its first instructions. */
  readonly system?: string
  readonly tools?: readonly WireTool[]
  readonly maxOutput?: Tokens
}

/** One provider API's requests. Everything here is pure and total: odd values are kept and counted, never thrown at. */
export interface Wire {
  readonly name: WireName
  /** For `createCompactor`: the compactor's messages are those of `read` and `reader`. */
  readonly codec: MessageCodec<WireMessage>
  /** Whether some of these values can only be messages of this API. */
  recognizes(values: readonly unknown[]): boolean
  /** Reads the messages of one conversation, value by value: in order, because calls without ids are answered in order. */
  reader(): (value: unknown) => readonly WireMessage[]
  /** The values for some messages: one that is whole and unchanged as the object that was read. */
  write(messages: readonly WireMessage[]): readonly unknown[]
  /** Reads a whole body. Fails only where it has no list of messages. */
  readRequest(body: unknown): WireReading
  /**
   * A body with the changes. The request's own body where they change nothing; every field that they do not name is the same object. A result that a compaction
   * moved is the request's own again, with its attachments: `write` knows its text alone.
   */
  writeRequest(request: WireRequest, changes: WireChanges): Readonly<Record<string, unknown>>
}
