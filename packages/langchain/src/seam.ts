import type { BaseMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import {
  type CompactionTrace,
  type Compactor,
  type CompactorOptions,
  createCompactor as createCoreCompactor,
  InvalidConfigurationError,
  type ModelCall,
  type ModelLimits,
  type TraceAttributes,
} from '@precis/core'
import { givenOptions, sessionName } from '@precis/core/adapters'
import { lazyCatalog } from '@precis/models/lazy'
import { createRedactor } from '@precis/redaction'
import { messageCodec } from './codec.ts'
import { endpointOf } from './endpoint.ts'
import { modelBehind, modelName, profileLimits, providerName } from './overhead.ts'

/** Everything that core's `createCompactor` takes. */
export type CompactionOptions = Omit<CompactorOptions<BaseMessage>, 'codec'>

/** One compactor for many threads; what a thread remembers may live in a graph's own state. */
export interface Threads {
  readonly compactor: Compactor<BaseMessage>
  /**
   * Finds out the window of a model where the options do not say it: from the model object, or from what is published.
   * @param config - Of the run: it may choose the model.
   * @returns its name and place, to be passed on with the call.
   */
  learnModel(model: unknown, config?: object): Promise<Pick<ModelCall, 'model' | 'endpoint'>>
}

export function createThreads(given: CompactionOptions): Threads {
  const options = givenOptions(given)
  const known = new Map<string, ModelLimits>()
  const catalog = lazyCatalog()
  const { limits } = options
  const compactor = createCoreCompactor<BaseMessage>({
    redact: createRedactor(),
    trace: asRun,
    ...options,
    codec: messageCodec,
    limits: limits === undefined || typeof limits === 'function' ? (model) => limits?.(model) ?? known.get(model) : limits,
  })
  return {
    compactor,
    async learnModel(given, config) {
      const model = await modelBehind(given, config)
      const name = modelName(model) ?? 'default'
      const served = { model: name, endpoint: endpointOf(model) }
      if (typeof limits === 'object' || known.has(name)) return served
      // A profile that `initChatModel` was given stands in front of the model that it makes.
      const stated = profileLimits({ profile: Object(given)._profile as unknown }) ?? profileLimits(model)
      await catalog.load()
      const published = catalog.limits(name, providerName(model))
      // A profile states only the window, and some models take a smaller prompt than that: this is taken from what is published.
      const found = stated === undefined ? published : { maxInput: published?.maxInput, maxMedia: published?.maxMedia, ...stated }
      if (found !== undefined) known.set(name, found)
      return served
    },
  }
}

/** Options of LangChain's own summarization, which this takes the place of. */
export const summarizationWords = {
  model: 'summarizer: modelSummarizer({ model })',
  trigger: 'policy: { trigger: { hard: { fraction: 0.8 } } }',
  maxTokensBeforeSummary: 'policy: { trigger: { hard: { tokens: 50_000 } } }',
  keep: 'policy: { retain: { turns: 3 } }',
  messagesToKeep: 'policy: { retain: { messages: 20 } }',
  summaryPrompt: 'policy: { summary: { prompt: { instruction } } }',
  tokenCounter: 'estimator: { name, count }',
}

/** What `createAgent` takes for a middleware, as it has a name, and would do nothing as one: the first model call says what to write. */
export function noMiddleware<T extends object>(given: T, found: string, write: string): T {
  return Object.defineProperty(given, 'wrapModelCall', {
    value() {
      throw new InvalidConfigurationError('middleware', found, `write ${write}`)
    },
  })
}

/** Each compaction and each round of look-ups is a run of its own in LangChain's tracing, a summarizer's call its child. Counts and names are traced, the conversation is not. */
const asRun: CompactionTrace = async <T>(attributes: TraceAttributes, work: (done: (attributes: TraceAttributes) => void) => Promise<T>): Promise<T> => {
  let result: T | undefined
  const run = RunnableLambda.from(async () => {
    let outcome: TraceAttributes = {}
    result = await work((more) => {
      outcome = more
    })
    return outcome
  })
  const named = attributes['trigger'] === 'recall' ? { runName: 'context_recall' } : { runName: 'context_compaction', metadata: { lc_source: 'summarization' } }
  await run.withConfig({ ...named, tags: ['nostream'] }).invoke(attributes as never)
  return result as T
}

/**
 * The id under which LangGraph, or a message history of LangChain's, keeps a conversation, a number as its text; undefined where neither does.
 * @throws InvalidConfigurationError for one that is neither.
 */
export function threadOf(config: unknown): string | undefined {
  const { configurable } = (config ?? {}) as { readonly configurable?: Readonly<Record<string, unknown>> }
  const name = ['thread_id', 'session_id', 'sessionId'].find((one) => configurable?.[one] != null)
  return name === undefined ? undefined : sessionName(configurable?.[name], `configurable.${name}`) || undefined
}
