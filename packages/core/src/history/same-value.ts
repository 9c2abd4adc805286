/** Levels of a value that are looked at; what is deeper, or holds itself, counts as different. */
const deepest = 64

/**
 * Whether two values of a framework say the same: texts, numbers, bytes, addresses, lists, and objects by their own fields and kind. Fields that are undefined
 * are as good as absent. Costs what it takes to find the first difference.
 */
export function sameValue(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > deepest) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (Array.isArray(a)) return a.length === (b as unknown[]).length && a.every((item, at) => sameValue(item, (b as unknown[])[at], depth + 1))
  if (ArrayBuffer.isView(a)) return sameBytes(a, b as ArrayBufferView)
  if (a instanceof ArrayBuffer) return sameBytes(new Uint8Array(a), new Uint8Array(b as ArrayBuffer))
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
  return more === 0 && (fields > 0 || asJson(a) === asJson(b))
}

function sameBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.byteLength !== b.byteLength) return false
  const [mine, theirs] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)) as [Uint8Array, Uint8Array]
  return mine.every((byte, at) => byte === theirs[at])
}

function asJson(value: object): unknown {
  if (value instanceof Map || value instanceof Set) return value // told apart by identity alone
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function') return toJSON.call(value)
  return Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null ? '' : value
}
