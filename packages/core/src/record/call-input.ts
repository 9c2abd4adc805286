import { parseJson } from '../history/json.ts'

// What the arguments of a call say, by the names that tools usually give them.

/** Names under which tools take a path. */
export const pathFields = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file', 'notebook_path', 'relative_path'] as const

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

/** The command that a call runs; "" where there is none. What an editor of files is told to do is none. */
export function commandOf(input: Readonly<Record<string, unknown>> | undefined): string {
  return pick(input, pathFields) === '' ? pick(input, ['command', 'cmd', 'script', 'code']) : ''
}

/** Whether a call of this tool changes the file that it names. */
export function changesFile(tool: string, input: Readonly<Record<string, unknown>> | undefined): boolean {
  return changingTools.test(tool) && input?.['command'] !== 'view'
}
