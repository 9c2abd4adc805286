// The shape that this framework wants its tools in, and nothing else: what they do is core's `ToolDefinition`, what becomes of an output its `receiveOutput`.
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { DynamicStructuredTool } from '@langchain/core/tools'
import { recallTool, type ToolDefinition } from '@precis/core'
import { asLookUp, describedTools, toolsOf } from '@precis/core/adapters'
import { type CompactionOptions, type Threads, threadOf } from './seam.ts'

/** Our tools as LangChain's own: `compact_context`, and with a store or an archive `tool_output_cache`, `tool_output_cache_grep`, `recall_history`. */
export function compactionTools(session: { tools(): readonly ToolDefinition[] }): DynamicStructuredTool[] {
  return toolsOf(session, 'compactionTools(middleware.session(thread))').map(
    ({ name, description, inputSchema, execute }) =>
      new DynamicStructuredTool({
        name,
        description,
        schema: inputSchema,
        func: (input: unknown, _manager: unknown, config?: { readonly signal?: AbortSignal }) =>
          execute(input, config?.signal === undefined ? {} : { signal: config.signal }),
      }),
  )
}

/** The same for an agent that serves many threads: each call finds its own conversation by the thread it runs in. */
export function threadTools({ compactor }: Threads, options: CompactionOptions): DynamicStructuredTool[] {
  return describedTools(options).map(
    ({ name, description, inputSchema }) =>
      new DynamicStructuredTool({
        name,
        description,
        schema: inputSchema,
        func: async (input: unknown, _manager: unknown, config?: { readonly signal?: AbortSignal }) => {
          const thread = threadOf(config)
          if (thread === undefined) return 'Not available: this conversation has no thread id.'
          const own = compactor
            .session(thread)
            .tools()
            .find((tool) => tool.name === name)
          return own === undefined ? 'Not available.' : own.execute(input, config?.signal === undefined ? {} : { signal: config.signal })
        },
      }),
  )
}

/** What a tool of an agent is run with. */
interface ToolConfig {
  readonly configurable?: Readonly<Record<string, unknown>>
  readonly toolCallId?: string
  readonly state?: { readonly messages?: readonly BaseMessage[]; readonly _precis?: { readonly thread?: string } }
}

/** A tool whose arguments pass its schema however a model wrote them: a look-up answers in words what cannot be meant. The model is shown the schema itself. */
class LookUpTool extends DynamicStructuredTool {
  override call(...[input, ...rest]: Parameters<DynamicStructuredTool['call']>): ReturnType<DynamicStructuredTool['call']> {
    return super.call(asLookUp(input) as never, ...rest)
  }
}

/** What one request left out can be looked up. */
interface Answering {
  lookUp(input: unknown): Promise<string>
}

/** Our look-up as a tool of the agent: for calls that are not answered inside the model call. By the reply that has the call: branches of one thread may call at once. */
export function answeringTool(threads: Threads, requestBehind: (reply: AIMessage) => Answering | undefined): DynamicStructuredTool {
  const { name, description, inputSchema } = recallTool
  return new LookUpTool({
    name,
    description,
    schema: inputSchema,
    func: async (input: unknown, _manager: unknown, { state, toolCallId, ...config }: ToolConfig = {}) => {
      const history = state?.messages ?? []
      const reply = history.findLast((message) => AIMessage.isInstance(message) && message.tool_calls?.some(({ id }) => id === toolCallId) === true)
      const request = reply && requestBehind(reply as AIMessage)
      if (request !== undefined) return request.lookUp(input)
      // Another process made the request: all of the history is searched.
      const thread = threadOf(config) ?? state?._precis?.thread ?? threads.compactor.conversation(history).id
      const tokens = { before: 0, after: 0, budget: null }
      const { answers } = await threads.compactor.lookUp(thread, { history, context: [], inputs: [input], round: 1, tokens: tokens as never })
      return answers.join('')
    },
  })
}
