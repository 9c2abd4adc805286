import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import { AIMessage, type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage, RemoveMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { type CompactionReport, type CompactionSession, InvalidConfigurationError, type ModelCall, type Prepared } from '@precis/core'
import { givenOptions } from '@precis/core/adapters'
import { boundTools } from './bound-tools.ts'
import { readBody, readOverhead } from './overhead.ts'
import { replacingAll } from './replace.ts'
import { type CompactionOptions, createThreads, noMiddleware, threadOf } from './seam.ts'
import { readUsage } from './usage.ts'

export interface RunnableOptions extends CompactionOptions {
  /**
   * The model that is called next, with its tools bound: `model.bindTools(tools)`. Its tools and its reply are counted then, and its window is known. It is not
   * called here.
   */
  readonly model?: unknown
}

/**
 * What a chat model takes in, messages out, inside the window: `prompt.pipe(createCompactor(options)).pipe(model)`. Conversations are told apart by
 * `configurable.thread_id`, `session_id` or `sessionId`, otherwise by what they say. It sees no refusal: `withCompaction(model)` does.
 */
export function createCompactor(options: RunnableOptions = {}): RunnableLambda<BaseLanguageModelInput, BaseMessage[]> {
  const fit = createFit(options)
  const fitting = RunnableLambda.from(async (input: BaseLanguageModelInput, config) => {
    const { messages } = await fit(messagesOf(input), config)
    return [...messages]
  }).withConfig({ runName: 'fit_context' }) as unknown as RunnableLambda<BaseLanguageModelInput, BaseMessage[]>
  return noMiddleware(fitting, 'createCompactor(…)', 'compaction(options)')
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

/** For `createReactAgent({ preModelHook })`: the model is shown the compacted context, the state keeps all. It sees no refusal: `llm: withCompaction(model)` does. */
export function createPreModelHook(options: RunnableOptions = {}): (state: GraphState, config?: unknown) => Promise<{ llmInputMessages: BaseMessage[] }> {
  const fit = createFit(options)
  return async (state, config) => {
    const { messages } = await fit(state.messages, config)
    return { llmInputMessages: [...messages] }
  }
}

/**
 * A node for a graph of your own: replaces the state's messages when they had to be compacted.
 *
 * The node throws InvalidConfigurationError where the graph only ever adds to its messages: what is removed would stay.
 */
export function createCompactionNode(options: RunnableOptions = {}): (state: GraphState, config?: unknown) => Promise<{ messages?: BaseMessage[] }> {
  const fit = createFit(options)
  return async (state, config) => {
    checkReducer(state, config)
    const { messages, report } = await fit(state.messages, config, { replaces: true })
    return report.outcome === 'unchanged' ? {} : { messages: replacingAll(state.messages, messages) }
  }
}

/** LangGraph's own reducer gives every message an id, and takes out what is to be removed; one that concatenates does neither. */
function checkReducer({ messages }: GraphState, config: unknown): void {
  const { metadata } = Object(config) as { readonly metadata?: { readonly langgraph_node?: unknown } }
  if (metadata?.langgraph_node === undefined || messages.every((message) => message.id !== undefined && !RemoveMessage.isInstance(message))) return
  throw new InvalidConfigurationError(
    'messages',
    'a reducer that adds only',
    'expected one that can remove: StateGraph(MessagesAnnotation), or { reducer: messagesStateReducer }',
  )
}

/** Makes one history after another fit, and learns from the replies that have come since. */
function createFit(given: RunnableOptions) {
  const { model, ...options } = givenOptions(given)
  const threads = createThreads(options)
  /** Where the reply to what was shown last will stand. */
  const awaited = new WeakMap<CompactionSession<BaseMessage>, { readonly at: number; readonly report: CompactionReport }>()
  return async (history: readonly BaseMessage[], config: unknown, more: ModelCall = {}): Promise<Prepared<BaseMessage>> => {
    const session = conversationOf(threads, history, config)
    const { at = -1, report } = awaited.get(session) ?? {}
    const reply = history[at]
    if (AIMessage.isInstance(reply)) session.afterModelCall({ usage: readUsage(reply), report })
    const { signal } = Object(config) as { readonly signal?: AbortSignal }
    const prepared = await session.beforeModelCall(history, { ...(await callOf(threads, model, config)), ...(signal !== undefined && { signal }), ...more })
    const isReplaced = more.replaces === true && prepared.report.outcome !== 'unchanged'
    awaited.set(session, { at: isReplaced ? prepared.messages.length : history.length, report: prepared.report })
    return prepared
  }
}

async function callOf({ learnModel }: ReturnType<typeof createThreads>, model: unknown, config: unknown): Promise<ModelCall> {
  if (model === undefined) return {}
  const { inner, tools } = boundTools(model)
  const body = await readBody(model, {}, Object(config) as object)
  return { overhead: { ...readOverhead({ tools }), system: 0 }, ...(await learnModel(inner, Object(config) as object)), ...body }
}

/** By its thread, where the config names one; otherwise by what it says. */
function conversationOf({ compactor }: ReturnType<typeof createThreads>, history: readonly BaseMessage[], config: unknown): CompactionSession<BaseMessage> {
  const thread = threadOf(config)
  return thread === undefined ? compactor.conversation(history) : compactor.session(thread)
}
