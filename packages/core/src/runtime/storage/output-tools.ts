import { CompactionError } from '../../errors.ts'
import { readInput, type ToolDefinition } from '../../history/tool.ts'
import { safeSearch } from '../../privacy/safe-pattern.ts'
import type { Outputs } from './output-pages.ts'
import type { ToolOutputRef } from './output-store.ts'

const refField = { type: 'string', description: 'The id that stands behind "ref=" in a shortened output.' }

/** `tool_output_cache`: every character of a stored output, by line and column, or by a path into JSON. */
export function readOutputTool(store: Outputs): ToolDefinition {
  return {
    name: 'tool_output_cache',
    description: 'Reads what was left out of a shortened tool output that names a ref: by line, long lines by column, JSON by path.',
    inputSchema: {
      type: 'object',
      properties: {
        ref_id: refField,
        offset: { type: 'integer', minimum: 1, description: 'First line to show (with path: first entry). Default 1.' },
        column: { type: 'integer', minimum: 1, description: 'First character of that line to show, for lines that were cut.' },
        limit: { type: 'integer', minimum: 1, maximum: 2000, description: 'Lines or entries to show. Default 200.' },
        path: { type: 'string', description: 'For JSON: shows one value and its entries, such as "/items/3/name"; "/" is the whole document.' },
      },
      required: ['ref_id'],
      additionalProperties: false,
    },
    execute: (input, options) =>
      answered(async () => {
        const fields = readInput(input)
        const offset = fields.count('offset', 1, 1, Number.MAX_SAFE_INTEGER)
        const column = fields.count('column', 0, 0, Number.MAX_SAFE_INTEGER)
        const limit = fields.count('limit', 200, 1, 2_000)
        const path = fields.text('path')
        const ref = await knownRef(store, fields.text('ref_id'))
        const { jsonPage, readDocument, readLines } = await import('./output-pages.ts')
        return path === undefined
          ? readLines(store, ref, { offset, column, limit }, options?.signal)
          : jsonPage(await readDocument(store, ref), { path, offset, limit, column: Math.max(1, column) })
      }),
  }
}

/** `tool_output_cache_grep`: what matches, in its surroundings. */
export function searchOutputTool(store: Outputs): ToolDefinition {
  return {
    name: 'tool_output_cache_grep',
    description:
      'Searches a stored tool output that names a ref: lines that match, with their numbers; of long lines what stands around each match, with its column.',
    inputSchema: {
      type: 'object',
      properties: {
        ref_id: refField,
        pattern: { type: 'string', description: 'A text, or a pattern of literals, ".", "[a-z]", "\\d \\w \\s", "* + ?", "^", "$" and "|". No groups.' },
        ignore_case: { type: 'boolean', description: 'Default false.' },
        offset: { type: 'integer', minimum: 1, description: 'First line to search. Default 1.' },
        column: { type: 'integer', minimum: 1, description: 'First character of that line to search. Default 1.' },
        limit: { type: 'integer', minimum: 1, maximum: 500, description: 'Matches to show. Default 50.' },
      },
      required: ['ref_id', 'pattern'],
      additionalProperties: false,
    },
    execute: (input, options) =>
      answered(async () => {
        const fields = readInput(input)
        const pattern = fields.text('pattern')
        if (pattern === undefined) return 'Say what to search for in "pattern".'
        const ref = await knownRef(store, fields.text('ref_id'))
        const search = safeSearch(pattern, { ignoreCase: fields.flag('ignore_case') })
        const from = { offset: fields.count('offset', 1, 1, Number.MAX_SAFE_INTEGER), column: fields.count('column', 1, 1, Number.MAX_SAFE_INTEGER) }
        const { collectMatches } = await import('./output-pages.ts')
        const shown = await collectMatches(store.lines(ref.id, from.offset), search, { ...from, limit: fields.count('limit', 50, 1, 500) }, options?.signal)
        return shown.length === 0 ? `No line of ${ref.lineCount} matches.` : shown.join('\n')
      }),
  }
}

async function knownRef(store: Outputs, id: string | undefined): Promise<ToolOutputRef> {
  const ref = id === undefined ? undefined : await store.find(id)
  if (ref === undefined) throw new CompactionError(`Nothing is stored under ${JSON.stringify(id ?? '')}. Use an id as it stands behind "ref=".`)
  return ref
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
