import { changingTools, parseInput, pathFields, pick } from '../record/texts/call-input.ts'

/** What a call did to a file. */
export interface FileCall {
  readonly path: string
  /** The path with everything else that says which file it is, or in which form it is shown: a repository, a branch, an outline. */
  readonly file: string
  readonly changes: boolean
  /** All of the file stands in the call or in its output. */
  readonly whole: boolean
}

const contentFields = ['content', 'contents', 'file_text', 'text'] as const

/** Tools that return a file as it is, or make it what they are given: `Read`, `read_text_file`, `get_file_contents`, `create_or_update_file`. */
const wholeTools = /(?:\b|_)(?:read|view|cat|open|write|create|(?:get|show|update)(?=_?file))_?(?:text_?|to_?)?(?:file_?)?(?:contents?)?(?:_?tool)?$/i

/** Arguments of numbers alone, ids aside, say which part of a file is meant. */
const partOnly = /(?<!id):(?:[[\d,\]-]+|"\d+\D\d+")$/i

/** Reads a call by its tool's name and its arguments. @returns undefined for calls that name no file, and for those that say something about one. */
export function readCall(tool: string, input: string): FileCall | undefined {
  const fields = parseInput(input)
  const path = pick(fields, pathFields)
  const verb = pick(fields, ['command']) || tool
  const name = wholeTools.exec(verb)?.[0]
  const changes = changingTools.test(name ?? verb) && !verb.includes('comment')
  if (!fields || path === '' || !(name || changes)) return undefined
  const content = pick(fields, contentFields)
  const others = Object.entries(fields).flatMap(([field, value]) =>
    [path, verb, content].includes((value ?? path) as string) ? [] : `${field}:${JSON.stringify(value)}`,
  )
  const which = others.filter((one) => !partOnly.test(one)).sort()
  return { path, file: JSON.stringify([path, which]), changes, whole: !!name && which.length === others.length && !(changes && content === '') }
}
