import { isMap, type LineCounter, type Node } from 'yaml'
import { z } from 'zod'
import { configSchema } from './schema.ts'

/** One thing that is wrong, and the field. */
interface Problem {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** What an issue says, field by field. @param config - What was checked. */
export function problemsOf(issue: z.core.$ZodIssue, config: unknown, around: readonly PropertyKey[] = []): readonly Problem[] {
  const path = [...around, ...issue.path]
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...path, key], message: `unknown field${suggestion(key, path, config)}` }))
  const choices = issue.code === 'invalid_value' ? issue.values : 'options' in issue ? (issue.options as readonly unknown[]) : undefined
  if (choices !== undefined) return [{ path, message: noneOf(choices.map(String), path.reduce<unknown>(valueAt, config)) }]
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: issue.message }]
  // The one that was meant: whatever is wrong in it lies deeper.
  const meant = issue.errors.find((issues) => issues.every((one) => one.path.length > 0))
  if (meant !== undefined) return meant.flatMap((one) => problemsOf(one, config, path))
  return [{ path, message: `${issue.message}, not ${shown(path.reduce<unknown>(valueAt, config))}` }]
}

const valueAt = (value: unknown, name: PropertyKey): unknown => (value as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[name]

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** A value that is none of a few. */
function noneOf(choices: readonly string[], value: unknown): string {
  if (value === undefined) return `missing; expected one of ${choices.join(', ')}`
  return `${shown(value)} is none of ${choices.join(', ')}${typeof value === 'string' ? nearestOf(choices, value) : ''}`
}

/** A name that the writer may have meant: of those that may stand there. */
function suggestion(key: string, path: readonly PropertyKey[], config: unknown): string {
  const known = namesAt(configSchema, path, config)
  return nearestOf(known, key) || (known.length > 0 ? `; known here: ${known.join(', ')}` : '')
}

/** The one with the fewest differences, where they are few. */
function nearestOf(known: readonly string[], key: string): string {
  const [best] = known.map((name) => ({ name, distance: distance(name.toLowerCase(), key.toLowerCase()) })).sort((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(2, key.length / 2) ? `; did you mean "${best.name}"?` : ''
}

/** Fields that may stand at a path; where there are several kinds of object, those of the kind that `config` chose. */
function namesAt(schema: unknown, path: readonly PropertyKey[], config: unknown): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return namesAt(schema.unwrap(), path, config)
  if (schema instanceof z.ZodUnion) {
    const chosen = schema instanceof z.ZodDiscriminatedUnion ? String(schema.def.discriminator) : undefined
    const isChosen = (option: unknown): boolean =>
      chosen === undefined || (option instanceof z.ZodObject && option.shape[chosen].safeParse(valueAt(config, chosen)).success)
    return schema.options.filter(isChosen).flatMap((option) => namesAt(option, path, config))
  }
  const [name, ...rest] = path
  if (schema instanceof z.ZodObject && name === undefined) return Object.keys(schema.shape)
  const inner =
    schema instanceof z.ZodObject
      ? schema.shape[String(name)]
      : schema instanceof z.ZodRecord
        ? schema.valueType
        : schema instanceof z.ZodArray
          ? schema.element
          : undefined
  return name === undefined || inner === undefined ? [] : namesAt(inner, rest, valueAt(config, name))
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) next[j] = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]))
    row = next
  }
  return row[b.length] ?? 0
}

/** The line of a field, or of what stands around it; undefined where nothing does. */
export function lineOf(contents: unknown, path: readonly PropertyKey[], lines: LineCounter): number | undefined {
  let node = contents as Node | null
  let offset = node?.range?.[0]
  for (const name of path) {
    if (!isMap(node)) break
    const pair = node.items.find((item) => String((item.key as { value?: unknown } | null)?.value) === String(name))
    if (pair === undefined) break
    offset = (pair.key as Node).range?.[0] ?? offset
    node = pair.value as Node | null
  }
  return offset === undefined ? undefined : lines.linePos(offset).line
}
