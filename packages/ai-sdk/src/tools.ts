import type { ToolDefinition } from '@precis/core'
import { jsonSchema, type Tool, tool } from 'ai'

/**
 * Our tools as the SDK's own: `compact_context`, and with a store or an archive `tool_output_cache`, `tool_output_cache_grep`, `recall_history`.
 * Spread them beside yours: `tools: { ...yours, ...compactionTools(session) }`.
 */
export function compactionTools(session: { tools(): readonly ToolDefinition[] }): Record<string, Tool<Record<string, unknown>, string>> {
  return Object.fromEntries(
    session.tools().map(({ name, description, inputSchema, execute }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<Record<string, unknown>>(inputSchema),
        execute: (input, { abortSignal }) => execute(input, abortSignal === undefined ? {} : { signal: abortSignal }),
      }),
    ]),
  )
}
