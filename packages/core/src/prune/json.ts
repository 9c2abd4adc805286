import type { TokenEstimator } from '../budget/estimate.ts'
import { jsonText, losesDigits, parseJson } from '../history/json.ts'
import type { Tokens } from '../history/message.ts'
import { cutBefore } from '../record/truncate.ts'

/** Levels of a value that are looked into; what lies deeper is one text. */
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
    const shown = JSON.stringify(shortened(value, entries, characters))
    if (estimator.count(shown) <= budget) return shown
  }
  return undefined
}

function shortened(value: unknown, entries: number, characters: number, depth = 0): unknown {
  if (typeof value === 'string') return value.length <= characters * 1.2 ? value : cut(value, characters)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return shortened(jsonText(value), entries, characters)
  if (Array.isArray(value)) {
    const own = value.length <= entries + 1 ? value : [...value.slice(0, entries - 1), value.at(-1)]
    const shown = own.map((entry) => shortened(entry, entries, characters, depth + 1))
    return own === value ? shown : [...shown.slice(0, -1), `[… ${value.length - entries} more]`, shown.at(-1)]
  }
  // Names of fields say what there is: twice as many of them.
  const fields = Object.entries(value)
  const most = entries * 2
  const shown = fields
    .slice(0, fields.length <= most + 1 ? fields.length : most)
    .map(([name, inner]) => [name, shortened(inner, entries, characters, depth + 1)] as const)
  return Object.fromEntries(shown.length === fields.length ? shown : [...shown, ['…', `${fields.length - shown.length} more fields`]])
}

function cut(text: string, characters: number): string {
  const end = cutBefore(text, characters)
  return `${text.slice(0, end)}[… ${text.length - end} characters]`
}
