import { CompactionError } from '../../errors.ts'
import type { ToolDefinition } from '../../history/tool.ts'
import type { Outputs } from './output-pages.ts'

const refField = { type: 'string', description: 'The id behind "ref=" in a shortened output.' }

/** `tool_output_cache`: every character of a stored output, by line and column, or by a path into JSON. */
export function readOutputTool(store: Outputs): ToolDefinition {
  return {
    name: 'tool_output_cache',
    description: 'Reads what was left out of a shortened tool output that names a ref: by line, long lines by column, JSON by path.',
    inputSchema: {
      type: 'object',
      properties: {
        ref_id: refField,
        offset: { type: 'integer', minimum: 1, description: 'First line or entry' },
        column: { type: 'integer', minimum: 1, description: 'First character of that line' },
        limit: { type: 'integer', minimum: 1, maximum: 2000, description: 'Lines or entries, by default 200' },
        path: { type: 'string', description: 'For JSON: one value and its entries, as "/items/3/name"; "/" is all of it.' },
      },
      required: ['ref_id'],
      additionalProperties: false,
    },
    execute: (input, options) => answered(async () => (await import('./output-pages.ts')).readOutput(store, input, options?.signal)),
  }
}

/** `tool_output_cache_grep`: what matches, in its surroundings. */
export function searchOutputTool(store: Outputs): ToolDefinition {
  return {
    name: 'tool_output_cache_grep',
    description: 'Searches a stored tool output that names a ref: lines that match, with numbers; of long lines a part, with its column.',
    inputSchema: {
      type: 'object',
      properties: {
        ref_id: refField,
        pattern: { type: 'string', description: 'A text, or a pattern of literals, ".", "[a-z]", "\\d \\w \\s", "* + ?", "^", "$" and "|". No groups.' },
        ignore_case: { type: 'boolean' },
        offset: { type: 'integer', minimum: 1, description: 'First line' },
        column: { type: 'integer', minimum: 1, description: 'First character of that line' },
        limit: { type: 'integer', minimum: 1, maximum: 500, description: 'Matches, by default 50' },
      },
      required: ['ref_id', 'pattern'],
      additionalProperties: false,
    },
    execute: (input, options) => answered(async () => (await import('./output-pages.ts')).searchOutput(store, input, options?.signal)),
  }
}

/** A model's mistake is answered in words; an abort is not its mistake. */
export async function answered(work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    if (CompactionError.isInstance(error)) return error.message
    throw error
  }
}
