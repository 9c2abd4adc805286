import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import type { FinishReason, Summarizer, Tokens } from '@precis/core'
import { anObject, summarizerOptions } from '@precis/core/adapters'
import { readUsage } from './usage.ts'

/** What we use of a chat model. */
export interface SummaryModel {
  /** As LangChain’s chat models have it. */
  invoke(messages: BaseMessage[], options?: Record<string, unknown>): Promise<BaseMessage>
}

/** The model that writes summaries, and how it is called. */
export interface ModelSummarizerOptions {
  /** Any LangChain chat model; a smaller, cheaper one than the agent's will do. */
  readonly model: SummaryModel
  /** Tokens that the model can read and write; the agent's window when absent. */
  readonly window?: Tokens | undefined
  /** Further call options, such as `seed`; a temperature is the model's own: `new ChatOpenAI({ temperature: 0 })`. */
  readonly callOptions?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A summarizer over any chat model. Its call is traced like every other and tagged `nostream`, so that its words do not reach the user's stream.
 * @throws InvalidConfigurationError for what holds no model.
 */
export function modelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { model, window, callOptions } = summarizerOptions(
    options,
    'invoke',
    'expected a chat model such as new ChatOpenAI({ model: "gpt-5-mini" })',
    { callOptions: anObject('write callOptions: { seed: 7 }, say') },
    'callOptions',
  )
  return {
    name: 'langchain',
    ...(window !== undefined && { window }),
    async summarize(request, signal) {
      const reply = await model.invoke([new SystemMessage(request.system), new HumanMessage(request.prompt)], {
        ...callOptions,
        signal,
        runName: 'context_summary',
        tags: ['nostream'],
        metadata: { lc_source: 'summarization' },
      })
      const usage = readUsage(reply)
      return { text: textOf(reply), finish: finishOf(reply), ...(usage !== undefined && { usage }) }
    },
  }
}

function textOf({ content }: BaseMessage): string {
  if (typeof content === 'string') return content
  return (content as readonly { readonly type?: string; readonly text?: unknown }[])
    .flatMap((block) => (block.type === 'text' ? [String(block.text ?? '')] : []))
    .join('')
}

function finishOf({ response_metadata: metadata }: BaseMessage): FinishReason {
  const reason = String(metadata?.['finish_reason'] ?? metadata?.['stop_reason'] ?? metadata?.['finishReason'] ?? 'stop').toLowerCase()
  if (reason === 'length' || reason === 'max_tokens') return 'length'
  return reason === 'content_filter' || reason === 'safety' || reason === 'refusal' ? 'filter' : 'stop'
}
