import type { FinishReason, Summarizer, Tokens } from '@precis/core'
import { anObject, pause, summarizerOptions } from '@precis/core/adapters'
import { readUsage } from './usage.ts'

/** What we use of a model object, in every major: one call without tools. */
export interface SummaryModel {
  readonly modelId: string
  /** As the AI SDK’s language models have it. */
  doGenerate(options: never): PromiseLike<unknown>
}

/** The model that writes summaries, and how it is called. */
export interface ModelSummarizerOptions {
  /** A model object of any provider package; a smaller, cheaper one than the agent's will do. */
  readonly model: SummaryModel
  /** Tokens that the model can read and write; the agent's window when absent. */
  readonly window?: Tokens | undefined
  /** Further call options, such as `seed` and `temperature`, or `providerOptions` that switch thinking off. */
  readonly callOptions?: Readonly<Record<string, unknown>> | undefined
  /**
   * For `summary.request: "prefix"`: the SDK's own `generateText`, and the instructions and tools of the agent exactly as it sends them, so that the request
   * for a summary begins like the agent's last one and the provider's prompt cache is read. Tools are declared and forbidden. `model` must be the agent's own.
   */
  readonly ride?: {
    readonly generateText: (options: never) => PromiseLike<{ readonly text: string; readonly finishReason: string; readonly usage?: unknown }>
    readonly tools?: unknown
    readonly instructions?: unknown
  }
}

interface Generated {
  readonly content?: readonly { readonly type: string; readonly text?: string }[]
  readonly finishReason?: string | { readonly unified?: string }
  readonly usage?: unknown
}

/** Milliseconds before each further try at a transient failure. */
const pauses = [500, 2_000] as const

/**
 * A summarizer over any AI SDK model. Sends two texts and no tools; errors that the provider calls transient are tried again twice.
 * @throws InvalidConfigurationError for what holds no model.
 */
export function modelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { model, window, callOptions, ride } = summarizerOptions(
    options,
    'doGenerate',
    'expected a model object such as openai("gpt-5-mini")',
    { callOptions: anObject('write callOptions: { temperature: 0 }, say'), ride: anObject('write ride: { generateText, tools, instructions }') },
    'callOptions',
  )
  return {
    name: `ai-sdk:${model.modelId}`,
    ...(window !== undefined && { window }),
    ...(ride !== undefined && { ridesPrefix: true }),
    async summarize(request, signal) {
      if (ride !== undefined && request.prefix !== undefined) {
        const { generateText, ...agent } = ride
        const generated = await generateText({
          ...callOptions,
          ...agent,
          model,
          messages: [...request.prefix, { role: 'user', content: request.prompt }],
          toolChoice: 'none',
          maxOutputTokens: Math.ceil(request.maxTokens * 1.25),
          abortSignal: signal,
        } as never)
        const usage = readUsage(generated.usage)
        return { text: generated.text, finish: finishOf(generated.finishReason), ...(usage !== undefined && { usage }) }
      }
      const options = {
        ...callOptions,
        prompt: [
          { role: 'system', content: request.system },
          { role: 'user', content: [{ type: 'text', text: request.prompt }] },
        ],
        // Models count badly: room for a quarter more than asked, so that the end is not cut off.
        maxOutputTokens: Math.ceil(request.maxTokens * 1.25),
        abortSignal: signal,
      }
      const generated = (await tryAgain(() => model.doGenerate(options as never), signal)) as Generated
      const text = (generated.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('')
      const usage = readUsage(generated.usage)
      return { text, finish: finishOf(generated.finishReason), ...(usage !== undefined && { usage }) }
    },
  }
}

function finishOf(reason: Generated['finishReason']): FinishReason {
  const unified = typeof reason === 'string' ? reason : reason?.unified
  if (unified === 'stop' || unified === 'length') return unified
  return unified === 'content-filter' ? 'filter' : 'other'
}

async function tryAgain<T>(work: () => PromiseLike<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const ms = pauses[attempt]
      if (ms === undefined || signal.aborted || (error as { isRetryable?: unknown }).isRetryable !== true) throw error
      await pause(ms, signal)
    }
  }
}
