import { isRecord, jsonText, losesDigits } from '../history/json.ts'

/** Characters beyond which a text is not parsed, and up to which it is read as it stands. */
const largest = 2_000_000
const shortEnough = 160

/**
 * JSON as lines that can be read and quoted one by one: a field a line, `key: value`, under the name of the object that holds it.
 *
 *     {"flights":[{"id":"HAT1","price":120}]}
 *
 *     flights:
 *     [0]:
 *     id: HAT1
 *     price: 120
 *
 * @returns The text itself where it or its lines are short, is no JSON object or array, or has numbers that reading would change.
 */
export function jsonLines(text: string): string {
  if (text.length > largest || text.length <= shortEnough || !/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text) || losesDigits(text)) return text
  if (text.length < shortEnough * text.split('\n').length) return text
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

function write(value: unknown, lines: string[], depth = 0): void {
  const isList = Array.isArray(value)
  for (const [key, inner] of Object.entries(value as object)) {
    const label = isList ? `[${key}]` : key
    const short = isList ? rowOf(inner) : undefined
    if (short !== undefined) {
      lines.push(short)
      continue
    }
    if (typeof inner === 'object' && inner !== null && depth < deepest && Object.keys(inner).length > 0) {
      lines.push(`${label}:`)
      write(inner, lines, depth + 1)
    } else lines.push(isList ? scalar(inner) : `${label}: ${scalar(inner)}`)
  }
}

/** Characters of a row. */
const longestRow = 120

/** A short object of a list, whose fields are scalars, on one line; undefined for all else. */
function rowOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  const fields = Object.entries(value)
  if (fields.length === 0 || fields.some(([, inner]) => typeof inner === 'object' && inner !== null)) return undefined
  const row = fields.map(([key, inner]) => `${key}: ${scalar(inner)}`).join(', ')
  return row.length <= longestRow && !row.includes('\n') ? row : undefined
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value)
}
