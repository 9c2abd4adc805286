type Counts = Readonly<Record<string, unknown>>

/** Usage of two requests as one bill, in the shape that the SDK has for it. What is no number is the later one's; so is the provider's own object. */
export function sumUsage(before: unknown, after: unknown): unknown {
  if (typeof before === 'number' || typeof after === 'number') return (typeof before === 'number' ? before : 0) + (typeof after === 'number' ? after : 0)
  if (!isCounts(before) || !isCounts(after)) return after ?? before
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(names.map((name) => [name, name === 'raw' ? after[name] : sumUsage(before[name], after[name])]))
}

const isCounts = (value: unknown): value is Counts => typeof value === 'object' && value !== null && !Array.isArray(value)
