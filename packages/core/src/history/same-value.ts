import { bytesOf } from './bytes-of.ts'
import { asJson, isObject } from './json.ts'

/** Levels of a value that are looked at; what is deeper, or holds itself, counts as different. */
const deepest = 64

/**
 * Whether two values of a framework say the same: texts, numbers, bytes, addresses, lists, and objects by their own fields and kind. Fields that are undefined
 * are as good as absent. Costs what it takes to find the first difference.
 */
export function sameValue(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true
  if (!isObject(a) || !isObject(b) || depth > deepest) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (Array.isArray(a)) return a.length === (b as unknown[]).length && a.every((item, at) => sameValue(item, (b as unknown[])[at], depth + 1))
  const bytes = bytesOf(a)
  if (bytes) return sameBytes(bytes, bytesOf(b) as Uint8Array)
  const [mine, theirs] = [a, b] as [Record<string, unknown>, Record<string, unknown>]
  let [fields, more] = [0, 0]
  // Histories are thousands of small objects: no list of their fields is made.
  for (const key in mine) {
    if (!sameValue(mine[key], theirs[key], depth + 1)) return false
    fields++
    if (mine[key] !== undefined) more--
  }
  for (const key in theirs) {
    fields++
    if (theirs[key] !== undefined) more++
  }
  // Without fields of its own a value is what it says it is as JSON: an address, a time.
  return more === 0 && (fields > 0 || said(a) === said(b))
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

function said(value: object): unknown {
  if (value instanceof Map || value instanceof Set) return value // told apart by identity alone
  const json = asJson(value)
  if (json) return json()
  return Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null ? '' : value
}
