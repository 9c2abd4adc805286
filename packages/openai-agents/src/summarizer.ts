import type { FinishReason, Summarizer, Tokens } from '@precis/core'
import { anObject, summarizerOptions } from '@precis/core/adapters'
import type { RawEvent, Reply, StreamEvent } from './model-call.ts'
import { readUsage } from './usage.ts'

/** The model that writes summaries. */
export interface ModelSummarizerOptions {
  /** A model of the SDK: of a provider (`await provider.getModel('gpt-5-mini')`), or wrapped by `aisdk()`. */
  readonly model: { getResponse(request: never): Promise<unknown>; getStreamedResponse?(request: never): AsyncIterable<unknown> }
  /** Tokens that the model can read and write; the agent's window when absent. */
  readonly window?: Tokens | undefined
  /**
   * Settings for each of its requests, in the SDK's words: `{ temperature: 0, providerData: { seed: 7 } }`. The greatest length of the reply is ours.
   * A provider that honors a seed writes the same summary of the same history.
   */
  readonly modelSettings?: Readonly<Record<string, unknown>> | undefined
}

/** A reply, and how it ended in the provider's word. */
interface Ended {
  readonly reply: Reply | undefined
  readonly reason: unknown
}

/**
 * A summarizer over any model of the SDK. One request without tools, handoffs or tracing.
 * @throws InvalidConfigurationError for what holds no model.
 */
export function modelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { model, window, modelSettings } = summarizerOptions(
    options,
    'getResponse',
    "expected a model: await provider.getModel('gpt-5-mini')",
    { modelSettings: anObject('write modelSettings: { temperature: 0 }, say') },
    'modelSettings',
  )
  return {
    name: 'openai-agents',
    ...(window !== undefined && { window }),
    async summarize(request, signal) {
      const asked = {
        systemInstructions: request.system,
        input: request.prompt,
        modelSettings: { ...modelSettings, maxTokens: Math.ceil(request.maxTokens * 1.25) },
        tools: [],
        handoffs: [],
        outputType: 'text',
        tracing: false,
        signal,
      }
      const { reply, reason } = await whole(model, asked as never).catch((error: unknown) => {
        // A reply that was cut off before its end is an error to the SDK.
        if (/response\.incomplete|finish_reason='length'/.test(String(error))) return { reply: undefined, reason: 'length' }
        throw error
      })
      const pieces = (reply?.output ?? []).flatMap(({ content }) => (Array.isArray(content) ? (content as readonly { type?: string; text?: string }[]) : []))
      const usage = readUsage(reply?.usage)
      return {
        text: pieces.map(({ type, text }) => (type === 'output_text' ? (text ?? '') : '')).join(''),
        finish: pieces.some(({ type }) => type === 'refusal') ? 'filter' : finishOf(reason),
        ...(usage !== undefined && { usage }),
      }
    },
  }
}

/** Outside of a run the SDK's models find no trace for the span that they open around a whole reply, and open none around a stream that is not traced. */
async function whole(model: ModelSummarizerOptions['model'], asked: never): Promise<Ended> {
  try {
    const reply = (await model.getResponse(asked)) as Reply | undefined
    const { choices, finishReason } = (reply?.providerData ?? {}) as { readonly choices?: RawEvent['choices']; readonly finishReason?: unknown }
    return { reply, reason: choices?.[0]?.finish_reason ?? finishReason }
  } catch (error) {
    if (typeof model.getStreamedResponse !== 'function' || !/no existing trace/i.test(String(error))) throw error
    return streamed(model.getStreamedResponse(asked) as AsyncIterable<StreamEvent>)
  }
}

async function streamed(events: AsyncIterable<StreamEvent>): Promise<Ended> {
  let reply: Reply | undefined
  let reason: unknown
  for await (const { type, event, response } of events) {
    if (type === 'response_done') reply = response
    reason = event?.choices?.[0]?.finish_reason ?? event?.finishReason ?? reason
  }
  return { reply, reason }
}

/** The word of Chat Completions, or of the AI SDK; none where a reply came to its end. */
function finishOf(reason: unknown): FinishReason {
  const word = typeof reason === 'object' && reason !== null ? (reason as { readonly unified?: unknown }).unified : reason
  if (word === undefined || word === null || word === 'stop') return 'stop'
  if (word === 'length') return 'length'
  return /content.filter/.test(String(word)) ? 'filter' : 'other'
}
