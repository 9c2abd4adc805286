import { DynamicStructuredTool } from '@langchain/core/tools'
import type { ToolDefinition } from '@precis/core'

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
