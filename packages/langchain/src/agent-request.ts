import type { BaseMessage } from '@langchain/core/messages'
import type { CarriedState } from './thread-state.ts'

// The part of LangChain's agents that the middleware reads.

export interface AgentState {
  readonly messages: BaseMessage[]
  readonly _precis?: CarriedState | undefined
}

export interface Runtime {
  readonly configurable?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
  readonly writer?: (chunk: unknown) => void
}

export interface ModelRequest {
  readonly model: unknown
  readonly modelSettings?: object
  readonly messages: BaseMessage[]
  readonly systemMessage?: unknown
  readonly tools?: readonly unknown[]
  readonly responseFormat?: unknown
  readonly state: AgentState
  readonly runtime?: Runtime
}

export interface ToolRequest {
  readonly toolCall: { readonly name: string }
  readonly runtime?: Runtime
}

export function signalOf(runtime: Runtime | undefined): { readonly signal?: AbortSignal } {
  return runtime?.signal === undefined ? {} : { signal: runtime.signal }
}
