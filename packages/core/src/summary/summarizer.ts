import type { TokenUsage } from '../budget/usage.ts'
import type { Tokens } from '../history/message.ts'
import type { FinishReason } from './accept.ts'
import type { SummaryRequest } from './request.ts'

/** Writes summaries. Makes one call without tools; the runtime bounds the input, checks the text and handles every failure. */
export interface Summarizer {
  readonly name: string
  /** Tokens that its model can read and write; the session's own window when absent. */
  readonly window?: Tokens
  /** It can send `request.prefix` (the framework's own messages, as last sent) in front of the prompt, with the session's model and tools forbidden. */
  readonly ridesPrefix?: boolean
  /** @throws whatever the model throws; the runtime classifies it. Must honor `signal`. */
  summarize(request: SummaryRequest, signal: AbortSignal): Promise<{ readonly text: string; readonly finish: FinishReason; readonly usage?: TokenUsage }>
}

/** Stands where there is no model to ask: the record speaks alone. */
export const noSummarizer: Summarizer = { name: 'none', summarize: () => Promise.reject(new TypeError('there is no summarizer')) }
