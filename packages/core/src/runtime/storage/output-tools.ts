import { CompactionError } from '../../errors.ts'
import { readInput, type ToolDefinition } from '../../history/tool.ts'
import { type LineSearch, safeSearch } from '../../privacy/safe-pattern.ts'
import { longestAnswer, pageOf, placeOf } from '../../recall/paging.ts'
import { jsonPage } from './json-pages.ts'
import type { OutputLine, ToolOutputRef, ToolOutputStore } from './output-store.ts'

/** Characters of one line that a model is shown, unless it asks for a place in it. */
const longestLine = 2_000
/** Characters of a document that is read by its structure. */
const longestDocument = 30_000_000

type Outputs = Pick<ToolOutputStore, 'find' | 'lines'>

const refField = { type: 'string', description: 'The id that stands behind "ref=" in a shortened output.' }

/** `tool_output_cache`: every character of a stored output, by line and column, or by a path into JSON. */
export function readOutputTool(store: Outputs): ToolDefinition {
  return {
    name: 'tool_output_cache',
    description:
      'Reads a stored tool output by its reference, line by line; long lines from a column on; JSON by path. Use it when a shortened output in the conversation names a ref and you need what was left out.',
    inputSchema: {
      type: 'object',
      properties: {
        ref_id: refField,
        offset: { type: 'integer', minimum: 1, description: 'First line to show (with path: first entry); 1 is the first. Default 1.' },
        column: { type: 'integer', minimum: 1, description: 'First character of that line to show, for lines that were cut; 1 is the first.' },
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
      'Searches a stored tool output by its reference and shows the lines that match, with their numbers; of long lines what stands around each match, with its column.',
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

interface Place {
  readonly offset: number
  readonly column: number
  readonly limit: number
}

const label = (number: number, column: number): string => `${String(number).padStart(6)}${column > 1 ? `:${column}` : ''}\t`
const goOn = (offset: number, column: number): string => `go on with offset ${offset}${column > 1 ? `, column ${column}` : ''}`

/** Lines from a place on. A line is cut, unless a column says that this line is what is wanted. */
async function readLines(store: Outputs, ref: ToolOutputRef, { offset, column, limit }: Place, signal: AbortSignal | undefined): Promise<string> {
  const shown: string[] = []
  const lines = new Set<number>()
  let room = longestAnswer
  let cut: number | undefined
  for await (const { number, column: start, text } of store.lines(ref.id, offset)) {
    signal?.throwIfAborted()
    const first = number === offset ? Math.max(1, column - start + 1) : 1
    if (number === cut || (first > 1 && first > text.length)) continue
    if (lines.size >= limit && !lines.has(number)) return [...shown, `[${ref.lineCount - number + 1} more lines; ${goOn(number, 1)}]`].join('\n')
    if (room < 2) return [...shown, `[more follows; ${goOn(number, start + first - 1)}]`].join('\n')
    const wanted = column > 0 && number === offset
    const page = pageOf(text, first, Math.min(room, wanted ? longestAnswer : longestLine))
    room -= page.text.length + 8
    lines.add(number)
    const line = `${label(number, start + first - 1)}${page.text}`
    if (page.next === undefined) shown.push(line)
    else if (wanted) return [...shown, line, `[${text.length - page.next + 1} more characters; ${goOn(number, start + page.next - 1)}]`].join('\n')
    else {
      shown.push(`${line} [… ${text.length - page.next + 1} more characters; ${goOn(number, start + page.next - 1)}]`)
      cut = number
    }
  }
  if (shown.length > 0) return [...shown, '[end of the output]'].join('\n')
  return offset > ref.lineCount ? `The output has ${ref.lineCount} lines; there is no line ${offset}.` : `Line ${offset} ends before column ${column}.`
}

async function readDocument(store: Outputs, ref: ToolOutputRef): Promise<unknown> {
  const texts: string[] = []
  let length = 0
  let last = 0
  for await (const { number, text } of store.lines(ref.id)) {
    length += text.length + 1
    if (length > longestDocument) throw new CompactionError('The output is too large to be read by path. Leave "path" out and read by offset and column.')
    texts.push(last > 0 && number !== last ? `\n${text}` : text)
    last = number
  }
  try {
    return JSON.parse(texts.join('')) as unknown
  } catch {
    throw new CompactionError('The output is no JSON. Leave "path" out and read by offset and column.')
  }
}

/** Characters of one part of an endless line that are looked at again with the next: a match may lie across the border. */
const overlap = 1_000

async function collectMatches(
  lines: AsyncIterable<OutputLine>,
  search: LineSearch,
  { offset, column, limit }: Place,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const shown: string[] = []
  let room = longestAnswer
  let before: OutputLine | undefined
  for await (const line of lines) {
    signal?.throwIfAborted()
    const { number } = line
    const carried = before?.number === number ? before.text.slice(-overlap) : ''
    const text = carried + line.text
    const start = line.column - carried.length
    before = line
    const first = number === offset ? Math.max(0, column - start) : 0
    for (let from = Math.max(first, 0); from <= text.length; ) {
      const resume = start + from
      const end = search(text, from)
      if (end < 0) break
      const place = text.length <= longestLine ? { column: 1, text, end: text.length } : placeOf(text, end)
      from = Math.max(from + 1, place.end)
      if (carried !== '' && end <= carried.length) continue // shown with the part before
      room -= place.text.length + 8
      if (shown.length >= limit || room < 0) return [...shown, `[more matches; ${goOn(number, resume)}]`]
      shown.push(`${label(number, text.length <= longestLine ? 1 : start + place.column - 1)}${place.text}`)
      if (text.length <= longestLine) break
    }
  }
  return shown
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
