// What the provider side of the SDK looks like in every major: `LanguageModelV2`, `V3` and `V4` differ in more than we look at.
import type { SdkMessage } from '@precis/wire/ai-sdk'

/** Options of one call. */
export interface Params {
  readonly prompt: readonly SdkMessage[]
  readonly tools?: readonly { readonly type: string; readonly name: string }[]
  readonly toolChoice?: unknown
  readonly maxOutputTokens?: number
  readonly reasoning?: unknown
  readonly responseFormat?: { readonly type: string }
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly abortSignal?: AbortSignal
  readonly includeRawChunks?: boolean
}

export interface ProviderModel {
  readonly specificationVersion?: string
  readonly modelId: string
  readonly provider?: string
  doGenerate(params: Params): PromiseLike<Generated>
  doStream(params: Params): PromiseLike<Streamed>
}

/** What an answer shows of the request behind it. */
export interface Sent {
  readonly request?: { readonly body?: unknown } | undefined
}

/** Usage and metadata of a reply, in whatever shape. */
export interface Metered {
  readonly usage?: unknown
  readonly providerMetadata?: ProviderMetadata
}

export type ProviderMetadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A part of a reply: text, reasoning, a call, a source, whatever later versions add. */
export interface ReplyPart {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: unknown
  readonly providerExecuted?: boolean
  /** Of a result: another with its id follows. */
  readonly preliminary?: boolean
  readonly providerMetadata?: ProviderMetadata
}

export interface Generated extends Sent, Metered {
  readonly content: readonly ReplyPart[]
  readonly finishReason?: unknown
}

export interface Streamed extends Sent {
  readonly stream: ReadableStream<StreamPart>
}

export interface StreamPart extends ReplyPart, Metered {
  /** Of a `custom` part: its provider's own name for it. */
  readonly kind?: unknown
  readonly id?: string
  readonly delta?: unknown
  readonly error?: unknown
  /** Of a raw chunk, as the provider sent it. */
  readonly rawValue?: unknown
  readonly finishReason?: unknown
  readonly providerMetadata?: ProviderMetadata
}
