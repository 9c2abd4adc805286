import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import { type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import type { CompactionSession } from '@precis/core'
import { replacing } from './replace.ts'
import { type CompactionOptions, createThreads, threadOf } from './seam.ts'

/**
 * What a chat model takes in, messages out, inside the window: `prompt.pipe(createCompactor(options)).pipe(model)`. Conversations are told apart by
 * `configurable.thread_id`, `session_id` or `sessionId`, otherwise by what they say. It sees no tools, no usage and no refusal: `withCompaction(model)` does.
 */
export function createCompactor(options: CompactionOptions = {}): RunnableLambda<BaseLanguageModelInput, BaseMessage[]> {
  const threads = createThreads(options)
  return RunnableLambda.from(async (input: BaseLanguageModelInput, config) => {
    const history = messagesOf(input)
    const { messages } = await conversationOf(threads, history, config).beforeModelCall(history, config?.signal === undefined ? {} : { signal: config.signal })
    return [...messages]
  }).withConfig({ runName: 'fit_context' }) as unknown as RunnableLambda<BaseLanguageModelInput, BaseMessage[]>
}

/** As a chat model reads its input: a text, a prompt's value, messages and what is like them. */
function messagesOf(input: BaseLanguageModelInput | BaseMessage): BaseMessage[] {
  if (Array.isArray(input)) return input.map(coerceMessageLikeToMessage)
  const { toChatMessages } = Object(input) as { toChatMessages?: () => BaseMessage[] }
  return typeof toChatMessages === 'function' ? toChatMessages.call(input) : [coerceMessageLikeToMessage(input as BaseMessageLike)]
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
