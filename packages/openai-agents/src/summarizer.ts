import type { Summarizer, Tokens } from '@precis/core'
import { readUsage } from './usage.ts'

/** The model that writes summaries. */
export interface ModelSummarizerOptions {
  /** A model of the SDK: of a provider (`await provider.getModel('gpt-5-mini')`), or wrapped by `aisdk()`. */
  readonly model: { getResponse(request: never): Promise<unknown> }
  /** Tokens that the model can read and write; the agent's window when absent. */
  readonly window?: Tokens
}

interface Response {
  readonly usage?: unknown
  readonly output?: readonly { readonly type?: string; readonly content?: readonly { readonly type?: string; readonly text?: string }[] }[]
}

/** A summarizer over any model of the SDK. One request without tools, handoffs or tracing. */
export function modelSummarizer({ model, window }: ModelSummarizerOptions): Summarizer {
  return {
    name: 'openai-agents',
    ...(window !== undefined && { window }),
    async summarize(request, signal) {
      const response = (await model.getResponse({
        systemInstructions: request.system,
        input: request.prompt,
        modelSettings: { maxTokens: Math.ceil(request.maxTokens * 1.25) },
        tools: [],
        handoffs: [],
        outputType: 'text',
        tracing: false,
        signal,
      } as never)) as Response
      const texts = (response.output ?? []).flatMap((item) => (item.type === 'message' || item.content !== undefined ? (item.content ?? []) : []))
      const usage = readUsage(response.usage)
      return {
        text: texts.map((piece) => (piece.type === 'output_text' ? (piece.text ?? '') : '')).join(''),
        finish: 'stop',
        ...(usage !== undefined && { usage }),
      }
    },
  }
}
