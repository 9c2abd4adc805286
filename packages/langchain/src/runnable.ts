import { type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { replacing } from './replace.ts'
import { type CompactionOptions, createThreads, threadOf } from './seam.ts'

/** Messages in, messages out, inside the window: `createCompactor(options).pipe(model)`. Conversations are told apart by `configurable.thread_id` or `session_id`. */
export function createCompactor(options: CompactionOptions = {}): RunnableLambda<BaseMessageLike[], BaseMessage[]> {
  const threads = createThreads(options)
  return RunnableLambda.from(async (input: BaseMessageLike[], config) => {
    // One conversation each, unless somebody says otherwise: without an id there is nothing to remember between calls.
    const session = threads.compactor.session(threadOf(config) ?? `call-${crypto.randomUUID()}`)
    const { messages } = await session.beforeModelCall(input.map(coerceMessageLikeToMessage), config?.signal === undefined ? {} : { signal: config.signal })
    return [...messages]
  }).withConfig({ runName: 'fit_context' }) as unknown as RunnableLambda<BaseMessageLike[], BaseMessage[]>
}

interface GraphState {
  readonly messages: BaseMessage[]
}

/** For `createReactAgent({ preModelHook })`: the model is shown the compacted context, the state keeps all. */
export function createPreModelHook(options: CompactionOptions = {}): (state: GraphState, config?: unknown) => Promise<{ llmInputMessages: BaseMessage[] }> {
  const threads = createThreads(options)
  return async (state, config) => {
    const session = threads.compactor.session(threadOf(config) ?? `call-${crypto.randomUUID()}`)
    const { messages } = await session.beforeModelCall(state.messages)
    return { llmInputMessages: [...messages] }
  }
}

/** A node for a graph of your own: replaces the state's messages when they had to be compacted. */
export function createCompactionNode(options: CompactionOptions = {}): (state: GraphState, config?: unknown) => Promise<{ messages?: BaseMessage[] }> {
  const threads = createThreads(options)
  return async (state, config) => {
    const session = threads.compactor.session(threadOf(config) ?? `call-${crypto.randomUUID()}`)
    const { messages, report } = await session.beforeModelCall(state.messages, { replaces: true })
    return report.outcome === 'unchanged' ? {} : { messages: replacing(state.messages, messages) }
  }
}
