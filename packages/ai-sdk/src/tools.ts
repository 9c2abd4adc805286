import type { ToolDefinition } from '@precis/core'
import type { Tool } from 'ai'

/** The SDK knows a schema by this mark, in every major; made here so that nothing of the SDK is imported at run time. */
const schemaMark = Symbol.for('vercel.ai.schema')

/**
 * Our tools as the SDK's own: `compact_context`, and with a store or an archive `tool_output_cache`, `tool_output_cache_grep`, `recall_history`.
 * Spread them beside yours: `tools: { ...yours, ...compactionTools(session) }`.
 */
export function compactionTools(session: { tools(): readonly ToolDefinition[] }): Record<string, Tool<Record<string, unknown>, string>> {
  const tools = session.tools().map(({ name, description, inputSchema, execute }) => [
    name,
    {
      description,
      // Input is read without trust by the tools themselves: a wrong field is answered in words.
      inputSchema: { [schemaMark]: true, jsonSchema: inputSchema, validate: undefined },
      execute: (input: unknown, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) =>
        execute(input, abortSignal === undefined ? {} : { signal: abortSignal }),
    },
  ])
  return Object.fromEntries(tools) as Record<string, Tool<Record<string, unknown>, string>>
}
