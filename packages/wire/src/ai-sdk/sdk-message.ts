/**
 * What the AI SDK's message types have in common, in every major and on both sides of the provider interface:
 * `ModelMessage` as `prepareStep` sees it and the prompt that a middleware sees. Looked at structurally, so that parts we do not know survive.
 */
export interface SdkMessage {
  readonly role: string
  readonly content: string | readonly SdkPart[]
  readonly providerOptions?: SdkProviderOptions
}

export interface SdkPart {
  readonly type: string
  readonly providerOptions?: SdkProviderOptions
  readonly [field: string]: unknown
}

export type SdkProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface SdkOutput {
  readonly type: string
  readonly value?: unknown
  readonly reason?: string
}
