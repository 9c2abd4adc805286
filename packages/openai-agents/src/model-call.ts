// What the SDK's side of a model looks like in every version: we look at this part of it, and hand on the rest as it is.
import type { AgentItem } from '@precis/wire/openai-agents'

/** A request to a model. */
export interface Request {
  readonly input: string | readonly AgentItem[]
  readonly systemInstructions?: string
  readonly previousResponseId?: string
  readonly conversationId?: string
  /** A prompt that the provider stores. */
  readonly prompt?: unknown
  readonly modelSettings?: {
    readonly maxTokens?: number
    /** Milliseconds that the SDK gives one call. */
    readonly timeoutMs?: number
    readonly contextManagement?: readonly { readonly type?: string }[]
    readonly providerData?: Readonly<Record<string, unknown>>
  }
  readonly tools?: readonly { readonly type?: string; readonly name?: string; readonly description?: string }[]
  readonly handoffs?: readonly { readonly toolName?: string }[]
  readonly outputType?: unknown
  readonly signal?: AbortSignal
}

/** What a model answers, whole or at the end of a stream. */
export interface Reply {
  readonly output?: readonly AgentItem[]
  readonly usage?: unknown
  readonly providerData?: Readonly<Record<string, unknown>>
}

export interface Model {
  getResponse(request: Request): Promise<Reply | undefined>
  getStreamedResponse(request: Request): AsyncIterable<StreamEvent>
}

export interface StreamEvent {
  readonly type?: string
  readonly response?: Reply
  readonly delta?: unknown
  readonly providerData?: Readonly<Record<string, unknown>>
  /** What the provider sent, as it came. */
  readonly event?: RawEvent
}

/** An event of the provider's own stream: of Responses, a chunk of Chat Completions, or a part of the AI SDK's. */
export interface RawEvent {
  readonly type?: string
  readonly item?: { readonly type?: string; readonly name?: string }
  readonly output_index?: number
  readonly sequence_number?: number
  readonly response?: { readonly error?: unknown }
  readonly error?: unknown
  readonly choices?: readonly RawChoice[]
  readonly usage?: unknown
  readonly id?: string
  readonly finishReason?: unknown
  readonly toolCallId?: string
  readonly toolName?: string
}

interface RawChoice {
  readonly index?: number
  readonly delta?: { readonly tool_calls?: readonly RawCall[] | null; readonly [field: string]: unknown }
  readonly finish_reason?: string | null
}

export interface RawCall {
  readonly index?: number
  readonly function?: { readonly name?: string }
}
