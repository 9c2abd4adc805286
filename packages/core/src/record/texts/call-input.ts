import { isRecord, jsonText, leavesIn, parseJson } from '../../history/json.ts'
import { memoized } from '../../history/memoize.ts'
import type { ToolCallPart } from '../../history/message.ts'

// What the arguments of a call say, by the names that tools usually give them.

/** Names under which tools take a path. */
export const pathFields = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file', 'notebook_path', 'relative_path', 'absolute_path'] as const

/** Names under which tools take what is run: a line, or a list of words or lines. */
const commandFields = ['command', 'commands', 'cmd', 'script', 'code'] as const

/** Names under which tools take what an edit replaces. */
export const replaced: RegExp = /^old(?:_?str(?:ing)?|_?text|_?content)$/i

/** Tools that change files, by their names. */
export const changingTools: RegExp = /write|edit|replace|create|patch|insert|append|delete|remove|rename|move|update|apply/i

/** Where a patch of several files says which one comes next. */
export const patchedFile: RegExp = /^\*{3} (?:Add|Update|Delete) File: (.+)$/gm

type Fields = Readonly<Record<string, unknown>>

/** Arguments as fields; undefined for text that is no JSON object. */
export function parseInput(input: string): Fields | undefined {
  return input.startsWith('{') ? (parseJson(input) as Fields | undefined) : undefined
}

/** The first of these fields that holds a text; "" where none does. */
export function pick(input: Fields | undefined, fields: readonly string[]): string {
  return fields.map((field) => input?.[field]).find((value): value is string => typeof value === 'string' && value !== '') ?? ''
}

/** What the arguments of a call say; "" for what they say nothing of. */
export interface Arguments {
  /** The file that it is about, the first of several. */
  readonly path: string
  /** All of them. */
  readonly paths: readonly string[]
  /** What is run; what an editor of files is told to do is none. */
  readonly command: string
  /** What an editor of files is told to do. */
  readonly task: string
  /** Whether the files are changed. */
  readonly isChange: boolean
  /** Which lines of the file it asks for, as a reader would say it. */
  readonly lines: string
}

/** Reads them once, whatever is asked of them. */
export function argumentsOf({ tool, input }: ToolCallPart): Arguments {
  const given = parseInput(input) ?? {}
  // OpenAI's own tools hold what they are to do one level down.
  const within = given['action'] ?? given['operation']
  const fields = isRecord(within) ? { ...given, ...within } : given
  const isChanging = changingTools.test(tool)
  const patch = isChanging ? pick(fields, ['input', 'patch']) || input : ''
  const named = pick(fields, pathFields)
  const paths = named === '' ? Array.from(patch.matchAll(patchedFile), ([, path]) => path as string) : [named]
  const [path = ''] = paths
  const task = pick(fields, ['command'])
  return { path, paths, task, command: path === '' ? commandOf(fields) : '', isChange: isChanging && task !== 'view', lines: range(fields) }
}

/** A list is one line: what a shell is handed (`["bash", "-lc", "npm test"]`), the words of one command, or several. */
function commandOf(fields: Fields): string {
  const given = commandFields.map((name) => fields[name]).find((value) => Array.isArray(value) || (typeof value === 'string' && value !== ''))
  if (!Array.isArray(given)) return (given ?? '') as string
  const words = given.map(textOf)
  return words.slice(/^-\w*c$/.test(words[1] ?? '') ? 2 : 0).join(given === fields['commands'] ? ' && ' : ' ')
}

function range(input: Fields): string {
  const from = input['offset'] ?? input['start_line'] ?? input['startLine']
  if (typeof from !== 'number') return ''
  const to = input['end_line'] ?? input['endLine'] ?? from + (input['limit'] as number)
  return Number.isFinite(to) ? ` (lines ${from}–${to})` : ` (from line ${from})`
}

/** Arguments as a person would read them: one field a line, escapes undone. Text that is no JSON stays as it is. */
export function readableInput(input: string): string {
  const parsed = parseInput(input)
  if (!parsed) return input
  const fields = Object.entries(parsed).flatMap(([name, value]) => {
    const text = textOf(value)
    // What has several lines is read by its lines, however deep it stands: a patch, a script, several edits.
    return text !== value && text.includes('\\n')
      ? Array.from(leavesIn([value], name), ([field, leaf]) => [field, textOf(leaf)] as const)
      : [[name, text] as const]
  })
  const beside = new Map<string, ReadonlySet<string>>()
  const linesBeside = (name: string): ReadonlySet<string> =>
    memoized(beside, name, () => new Set(fields.flatMap(([other, text]) => (other === name ? '' : text.split('\n')))))
  return fields.map(([name, text]) => `${name}: ${replaced.test(name) ? withRemoved(text, linesBeside(name)) : text}`).join('\n')
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value))

/** Lines that stand in none of the others are removed: they begin as in a diff. */
function withRemoved(old: string, kept: ReadonlySet<string>): string {
  return old
    .split('\n')
    .map((line) => (kept.has(line) ? line : `- ${line}`))
    .join('\n')
}
