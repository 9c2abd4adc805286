/** Characters after which a value counts as endless: aliases in it may stand for more than any memory holds. */
const longest = 2_000_000

/**
 * A value as JSON, whatever it is: what JSON cannot say (functions, symbols, undefined) is null or left out, big integers are texts, a value inside itself is
 * "[circular]". Where `JSON.stringify` runs out of stack (from about 4,000 levels on), the text is the same, made without recursion.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return withoutRecursion(value)
  }
}

/** What a JSON text says; undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a JSON text has a number of sixteen digits or more, which may change when it is read. */
export function losesDigits(text: string): boolean {
  return /[[:,\s]-?\d{16,}/.test(text)
}

/** An object or a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** An object with fields: no list, not null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value)
}

/** Deepest level that is looked at value by value; what is deeper stays JSON. */
const deepest = 12

/** Each value below an object, however deep, with the name of its field; those of a list have the list's. */
export function* leavesIn(value: object, above = '', depth = 0): Generator<readonly [name: string, leaf: unknown]> {
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const name = Array.isArray(value) ? above : key
    if (!isObject(inner)) yield [name, inner]
    else if (depth < deepest) yield* leavesIn(inner, name, depth + 1)
    else yield [name, jsonText(inner)]
  }
}

/** What is written as it stands, a value to write, or one whose end is reached. */
type Step = string | { readonly value: unknown } | { readonly leaves: object }

function withoutRecursion(root: unknown): string {
  const steps: Step[] = [{ value: root }]
  const inside = new Set<object>()
  let text = ''
  for (let step = steps.pop(); step !== undefined && text.length < longest; step = steps.pop()) {
    if (typeof step === 'string') text += step
    else if ('leaves' in step) inside.delete(step.leaves)
    else {
      const value = plain(step.value)
      if (!isObject(value)) text += leaf(value)
      else if (inside.has(value)) text += '"[circular]"'
      else {
        inside.add(value)
        steps.push({ leaves: value })
        for (const next of within(value)) steps.push(next)
      }
    }
  }
  return text
}

/** What a container is written as, last step first. */
function within(value: object): readonly Step[] {
  const isList = Array.isArray(value)
  const steps: Step[] = [isList ? '[' : '{']
  for (const [name, inner] of Object.entries(value)) {
    if (!isList && (inner === undefined || typeof inner === 'function' || typeof inner === 'symbol')) continue
    steps.push((steps.length > 1 ? ',' : '') + (isList ? '' : `${JSON.stringify(name)}:`), { value: inner })
  }
  return [...steps, isList ? ']' : '}'].reverse()
}

function plain(value: unknown): unknown {
  try {
    const said = asJson(value)
    return said ? said() : value
  } catch {
    return null
  }
}

/** What a value says that it is as JSON, where it says so: an address, a time. */
export function asJson(value: unknown): (() => unknown) | undefined {
  const { toJSON } = Object(value) as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? () => toJSON.call(value) as unknown : undefined
}

function leaf(value: unknown): string {
  return typeof value === 'bigint' ? `"${value}"` : (JSON.stringify(value) ?? 'null')
}
