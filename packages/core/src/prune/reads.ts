import { changingTools, parseInput, pathFields, pick } from '../record/call-input.ts'

/** What a call did to a file. `whole`: without a range. */
export interface FileCall {
  readonly kind: 'read' | 'write' | 'edit'
  readonly path: string
  readonly whole: boolean
}

const rangeFields = ['offset', 'limit', 'start_line', 'end_line', 'startLine', 'endLine', 'view_range', 'lines', 'range'] as const
const contentFields = ['content', 'contents', 'file_text', 'text'] as const
const reading = /read|view|cat|open|show|get/i

/** Reads a call by its tool's name and its arguments. @returns undefined for calls that name no file. */
export function readCall(tool: string, input: string): FileCall | undefined {
  if (!changingTools.test(tool) && !reading.test(tool) && !input.includes('"command"')) return undefined
  const fields = parseInput(input)
  const path = pick(fields, pathFields)
  if (fields === undefined || path === '') return undefined
  const whole = !rangeFields.some((name) => fields[name] !== undefined)
  const verb = pick(fields, ['command']) || tool
  if (changingTools.test(verb)) return { kind: pick(fields, contentFields) === '' ? 'edit' : 'write', path, whole: true }
  return reading.test(verb) ? { kind: 'read', path, whole } : undefined
}
