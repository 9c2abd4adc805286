import { isObject, jsonText, losesDigits } from '../../history/json.ts'
import type { Passage } from '../names/name-index.ts'

/** Characters beyond which a text is not parsed, and up to which it is read as it stands. */
const largest = 2_000_000
const shortEnough = 160

/**
 * JSON as lines that can be read and quoted one by one: a field a line, `key: value`, below the path of the object or list that holds it, as `jq` writes it.
 *
 *     {"flights":[{"id":"HAT1","price":120}],"user":{"name":"Ann","about":"… long …"},"total":1}
 *
 *     .flights:
 *     id: HAT1, price: 120
 *     .user:
 *     name: Ann
 *     about: … long …
 *     .:
 *     total: 1
 *
 * @returns The text itself where it or its lines are short, is no JSON object or array, or has numbers that reading would change.
 */
export function jsonLines(text: string): string {
  if (text.length > largest || text.length <= shortEnough || !/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return text
  if (text.length < shortEnough * text.split('\n').length || losesDigits(text)) return text
  try {
    const lines: string[] = []
    write(JSON.parse(text), lines)
    return lines.join('\n')
  } catch {
    return text
  }
}

/** Deepest level that is written line by line; what is deeper stays JSON. */
const deepest = 12

function write(value: object, lines: string[], path = '', depth = 0): void {
  const isList = Array.isArray(value)
  let isLabelled = path === ''
  for (const [key, inner] of Object.entries(value)) {
    const row = rowOf(inner, isList)
    if (isObject(inner) && row === undefined && depth < deepest && Object.keys(inner).length > 0) {
      write(inner, lines, isList ? `${path || '.'}[${key}]` : `${path}.${key}`, depth + 1)
      isLabelled = false
      continue
    }
    if (!isLabelled) lines.push(`${path || '.'}:`)
    isLabelled = true
    lines.push(`${isList ? '' : `${key}: `}${row ?? scalar(inner)}`)
  }
}

/** Characters of a row. Source: npm run evals, 60 to 120 tried. */
const longestRow = 70

/** A short object or list of scalars, on one line; undefined for all else. */
function rowOf(value: unknown, inList: boolean): string | undefined {
  if (!isObject(value)) return undefined
  const fields = Object.entries(value)
  if (fields.length === 0 || fields.some(([, inner]) => isObject(inner))) return undefined
  const isList = Array.isArray(value)
  const row = fields.map(([key, inner]) => (isList ? scalar(inner) : `${key}: ${scalar(inner)}`)).join(', ')
  return row.length > longestRow || row.includes('\n') ? undefined : isList || inList ? row : `{${row}}`
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value)
}

/** The line between two places that says in which object the second stands; undefined where there is none. */
export function pathBefore(text: string, to: number, from = 0): Passage | undefined {
  const gap = text.slice(from, to)
  for (let at = gap.length; at > 0; ) {
    at = gap.lastIndexOf('\n.', at - 1)
    const [path] = /^\.(?! )[^\n]*:(?=\n)/.exec(gap.slice(at + 1)) ?? []
    if (path !== undefined) return { start: from + at + 1, end: from + at + 1 + path.length }
  }
  return undefined
}
