import { type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import type { CompactionSession } from '@precis/core'
import { replacing } from './replace.ts'
import { type CompactionOptions, createThreads, threadOf } from './seam.ts'

/** Messages in, messages out, inside the window: `createCompactor(options).pipe(model)`. Conversations are told apart by `configurable.thread_id` or `session_id`, otherwise by what they say. */
export function createCompactor(options: CompactionOptions = {}): RunnableLambda<BaseMessageLike[], BaseMessage[]> {
  const threads = createThreads(options)
  return RunnableLambda.from(async (input: BaseMessageLike[], config) => {
    const history = input.map(coerceMessageLikeToMessage)
    const { messages } = await conversationOf(threads, history, config).beforeModelCall(history, config?.signal === undefined ? {} : { signal: config.signal })
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
    const session = conversationOf(threads, state.messages, config)
    const { messages } = await session.beforeModelCall(state.messages)
    return { llmInputMessages: [...messages] }
  }
}

/** A node for a graph of your own: replaces the state's messages when they had to be compacted. */
export function createCompactionNode(options: CompactionOptions = {}): (state: GraphState, config?: unknown) => Promise<{ messages?: BaseMessage[] }> {
  const threads = createThreads(options)
  return async (state, config) => {
    const session = conversationOf(threads, state.messages, config)
    const { messages, report } = await session.beforeModelCall(state.messages, { replaces: true })
    return report.outcome === 'unchanged' ? {} : { messages: replacing(state.messages, messages) }
  }
}

/** By its thread, where the config names one; otherwise by what it says. */
function conversationOf({ compactor }: ReturnType<typeof createThreads>, history: readonly BaseMessage[], config: unknown): CompactionSession<BaseMessage> {
  const thread = threadOf(config)
  return thread === undefined ? compactor.conversation(history) : compactor.session(thread)
}
