// The shape that this framework wants its tools in, and nothing else: what they do is core's `ToolDefinition`, what becomes of an output its `receiveOutput`.
import { DynamicStructuredTool } from '@langchain/core/tools'
import type { ToolDefinition } from '@precis/core'
import { type Threads, threadOf } from './seam.ts'

/** Our tools as LangChain's own: `compact_context`, and with a store or an archive `tool_output_cache`, `tool_output_cache_grep`, `recall_history`. */
export function compactionTools(session: { tools(): readonly ToolDefinition[] }): DynamicStructuredTool[] {
  return session.tools().map(
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
export function threadTools(threads: Threads): DynamicStructuredTool[] {
  return threads.compactor
    .session('tools')
    .tools()
    .map(
      ({ name, description, inputSchema }) =>
        new DynamicStructuredTool({
          name,
          description,
          schema: inputSchema,
          func: async (input: unknown, _manager: unknown, config?: { readonly signal?: AbortSignal }) => {
            const thread = threadOf(config)
            if (thread === undefined) return 'Not available: this conversation has no thread id.'
            const own = threads.compactor
              .session(thread)
              .tools()
              .find((tool) => tool.name === name)
            return own === undefined ? 'Not available.' : own.execute(input, config?.signal === undefined ? {} : { signal: config.signal })
          },
        }),
    )
}
