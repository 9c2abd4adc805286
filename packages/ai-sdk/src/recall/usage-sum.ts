type Counts = Readonly<Record<string, unknown>>

/** The usage of two requests added up, in the SDK's shape. What is no number is taken from the later request, and so is `raw`, the provider's own object. */
export function sumUsage(before: unknown, after: unknown): unknown {
  if (typeof before === 'number' || typeof after === 'number') return (typeof before === 'number' ? before : 0) + (typeof after === 'number' ? after : 0)
  if (!isCounts(before) || !isCounts(after)) return after ?? before
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(names.map((name) => [name, name === 'raw' ? after[name] : sumUsage(before[name], after[name])]))
}

const isCounts = (value: unknown): value is Counts => typeof value === 'object' && value !== null && !Array.isArray(value)
