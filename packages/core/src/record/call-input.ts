import { parseJson } from '../history/json.ts'
import type { ToolCallPart } from '../history/message.ts'

// What the arguments of a call say, by the names that tools usually give them.

/** Names under which tools take a path. */
export const pathFields = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file', 'notebook_path', 'relative_path'] as const

/** Names under which tools take what an edit replaces. */
export const replaced: RegExp = /^old(?:_?str(?:ing)?|_?text|_?content)$/i

/** Tools that change files, by their names. */
export const changingTools: RegExp = /write|edit|replace|create|patch|insert|append|delete|remove|rename|move|update|apply/i

/** Arguments as fields; undefined for text that is no JSON object. */
export function parseInput(input: string): Readonly<Record<string, unknown>> | undefined {
  return input.startsWith('{') ? (parseJson(input) as Readonly<Record<string, unknown>> | undefined) : undefined
}

/** The first of these fields that holds a text; "" where none does. */
export function pick(input: Readonly<Record<string, unknown>> | undefined, fields: readonly string[]): string {
  return fields.map((field) => input?.[field]).find((value): value is string => typeof value === 'string' && value !== '') ?? ''
}

/** What the arguments of a call say; "" for what they say nothing of. */
export interface Arguments {
  readonly path: string
  /** What is run; what an editor of files is told to do is none. */
  readonly command: string
  /** What an editor of files is told to do. */
  readonly task: string
  /** Whether the file is changed. */
  readonly isChange: boolean
  /** Which lines of the file it asks for, as a reader would say it. */
  readonly lines: string
}

/** Reads them once, whatever is asked of them. */
export function argumentsOf({ tool, input }: ToolCallPart): Arguments {
  const fields = parseInput(input) ?? {}
  const path = pick(fields, pathFields)
  const task = pick(fields, ['command'])
  return {
    path,
    task,
    command: path === '' ? pick(fields, ['command', 'cmd', 'script', 'code']) : '',
    isChange: changingTools.test(tool) && task !== 'view',
    lines: range(fields),
  }
}

function range(input: Readonly<Record<string, unknown>>): string {
  const from = input['offset'] ?? input['start_line'] ?? input['startLine']
  if (typeof from !== 'number') return ''
  const to = input['end_line'] ?? input['endLine'] ?? from + (input['limit'] as number)
  return Number.isFinite(to) ? ` (lines ${from}–${to})` : ` (from line ${from})`
}
