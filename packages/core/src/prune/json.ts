import type { TokenEstimator } from '../budget/estimate.ts'
import { withoutBinary } from '../history/binary.ts'
import { cutBefore } from '../history/cut-before.ts'
import { isObject, losesDigits, parseJson } from '../history/json.ts'
import type { Tokens } from '../history/message.ts'

/** Levels of a value that are looked into. */
const deepest = 64

/** Most entries of a list or an object, and characters of a text, from generous to bare. */
const steps: readonly (readonly [entries: number, characters: number])[] = [
  [128, 4_000],
  [64, 2_000],
  [32, 1_000],
  [16, 400],
  [8, 200],
  [4, 100],
  [2, 50],
]

/**
 * JSON made smaller that still parses: long texts cut, lists and objects to their first entries and the last one, each gap with its count.
 * @returns undefined for what is no JSON list or object, would lose digits of a number, or does not fit at its barest.
 */
export function shortenJson(text: string, budget: Tokens, estimator: TokenEstimator): string | undefined {
  const value = /^\s*[[{]/.test(text) && !losesDigits(text) ? parseJson(text) : undefined
  if (value === undefined) return undefined
  for (const [entries, characters] of steps) {
    // Names of fields say what there is: twice as many of them.
    const shown = JSON.stringify(shortenValue(value, characters, entries, entries * 2))
    if (estimator.count(shown) <= budget) return shown
  }
  return undefined
}

/** A JSON value with at most so many characters of each text, entries of each list and fields of each object, about; each gap with its count, data named. */
export function shortenValue(value: unknown, characters: number, entries: number, fields: number, depth = 0): unknown {
  if (typeof value === 'string') return cut(withoutBinary(value), characters)
  if (!isObject(value)) return value
  if (depth >= deepest) return '[… deeper]'
  const inner = (entry: unknown): unknown => shortenValue(entry, characters, entries, fields, depth + 1)
  if (Array.isArray(value)) {
    if (value.length <= entries + 1) return value.map(inner)
    return [...value.slice(0, entries - 1).map(inner), `[… ${value.length - entries} more]`, inner(value.at(-1))]
  }
  const all = Object.entries(value)
  const shown = all.slice(0, all.length <= fields + 1 ? all.length : fields).map(([name, entry]) => [name, inner(entry)])
  return Object.fromEntries(shown.length === all.length ? shown : [...shown, ['…', `${all.length - shown.length} more fields`]])
}

function cut(text: string, characters: number): string {
  if (text.length <= characters + 40) return text
  const end = cutBefore(text, characters)
  return `${text.slice(0, end)}[… ${text.length - end} characters]`
}
