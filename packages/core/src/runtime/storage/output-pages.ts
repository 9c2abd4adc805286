import { CompactionError } from '../../errors.ts'
import { countField, flagField, textField } from '../../history/tool.ts'
import { type LineSearch, safeSearch } from '../../privacy/safe-pattern.ts'
import { longestAnswer, pageOf, surroundingsOf } from '../../recall/paging.ts'
import { jsonPage } from './json-pages.ts'
import type { OutputLine, ToolOutputRef, ToolOutputStore } from './output-store.ts'

/** Characters of one line that a model is shown, unless it asks for a place in it. */
const longestLine = 2_000
/** Characters of a document that is read by its structure. */
const longestDocument = 30_000_000

export type Outputs = Pick<ToolOutputStore, 'find' | 'lines'>

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

/** A stored output as the JSON document that it is. @throws CompactionError for one that is too large, or no JSON. */
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

/** Lines that match from a place on, in their surroundings, as many as an answer holds. */
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
      const place = text.length <= longestLine ? { column: 1, text, end: text.length } : surroundingsOf(text, end)
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

/** What `tool_output_cache` answers. */
export async function readOutput(store: Outputs, input: unknown, signal: AbortSignal | undefined): Promise<string> {
  const offset = countField(input, 'offset', 1, 1, Number.MAX_SAFE_INTEGER)
  const column = countField(input, 'column', 0, 0, Number.MAX_SAFE_INTEGER)
  const limit = countField(input, 'limit', 200, 1, 2_000)
  const path = textField(input, 'path')
  const ref = await knownRef(store, textField(input, 'ref_id'))
  return path === undefined
    ? readLines(store, ref, { offset, column, limit }, signal)
    : jsonPage(await readDocument(store, ref), { path, offset, limit, column: Math.max(1, column) })
}

/** What `tool_output_cache_grep` answers. */
export async function searchOutput(store: Outputs, input: unknown, signal: AbortSignal | undefined): Promise<string> {
  const pattern = textField(input, 'pattern')
  if (pattern === undefined) return 'Say what to search for in "pattern".'
  const ref = await knownRef(store, textField(input, 'ref_id'))
  const search = safeSearch(pattern, { ignoreCase: flagField(input, 'ignore_case') })
  const from = { offset: countField(input, 'offset', 1, 1, Number.MAX_SAFE_INTEGER), column: countField(input, 'column', 1, 1, Number.MAX_SAFE_INTEGER) }
  const shown = await collectMatches(store.lines(ref.id, from.offset), search, { ...from, limit: countField(input, 'limit', 50, 1, 500) }, signal)
  return shown.length === 0 ? `No line of ${ref.lineCount} matches.` : shown.join('\n')
}

async function knownRef(store: Outputs, id: string | undefined): Promise<ToolOutputRef> {
  const ref = id === undefined ? undefined : await store.find(id)
  if (ref === undefined) throw new CompactionError(`Nothing is stored under ${JSON.stringify(id ?? '')}. Use an id as it stands behind "ref=".`)
  return ref
}
