import { isMap, isSeq, type LineCounter, type Node } from 'yaml'
import { z } from 'zod'
import { distance } from './distance.ts'
import { configSchema } from './schema.ts'
import { shown, writtenOtherwise } from './written-otherwise.ts'

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
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: wrongValue(issue, path, config) }]
  // The one that was meant: whatever is wrong in it lies deeper.
  const meant = issue.errors.find((issues) => issues.every((one) => one.path.length > 0))
  if (meant !== undefined) return meant.flatMap((one) => problemsOf(one, config, path))
  return [{ path, message: wrongValue(issue, path, config) }]
}

const kinds: Readonly<Record<string, string>> = {
  number: 'expected a number',
  int: 'expected a whole number',
  boolean: 'expected true or false',
  string: 'expected a text',
  array: 'expected a list',
  record: 'expected fields by their names',
}

/** What may stand in a place, in words. */
function expectedBy(issue: z.core.$ZodIssue, path: readonly PropertyKey[], config: unknown): string {
  if (issue.message.startsWith('expected')) return issue.message
  if (issue.code === 'too_small') return issue.inclusive === false ? `expected more than ${issue.minimum}` : `expected ${issue.minimum} or more`
  if (issue.code === 'too_big') return `expected ${issue.maximum} or less`
  if (issue.code !== 'invalid_type') return issue.message
  const names = namesAt(configSchema, path, config).join(', ')
  return kinds[issue.expected] ?? (names === '' ? 'expected fields' : `expected fields (${names})`)
}

/** What is expected, what stands there, and what to write. Addresses and what belongs to keys are not shown. */
function wrongValue(issue: z.core.$ZodIssue, path: readonly PropertyKey[], config: unknown): string {
  const value = path.reduce<unknown>(valueAt, config)
  const expected = expectedBy(issue, path, config)
  if (value === undefined) return `missing; ${expected}`
  const isPrivate = path.length > 1 && /^encryption|^telemetry\.endpoint|\.(?:options|variables)\b/.test(path.join('.'))
  return `${expected}${isPrivate ? '' : `, not ${shown(value)}`}${writtenOtherwise(path, value, expected)}`
}

const valueAt = (value: unknown, name: PropertyKey): unknown => (value as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[name]

/** A value that is none of a few. */
function noneOf(choices: readonly string[], value: unknown): string {
  if (value === undefined) return `missing; expected one of ${choices.join(', ')}`
  return `${shown(value)} is none of ${choices.join(', ')}${typeof value === 'string' ? nearestOf(choices, value) : ''}`
}

/** A name that the writer may have meant: of those that may stand there. */
function suggestion(key: string, path: readonly PropertyKey[], config: unknown): string {
  const known = namesAt(configSchema, path, config)
  // A comma ends a value within { }.
  if (/^\d+$/.test(key)) return '; write 200000, 200k or "200,000"'
  const meant = elsewhere[key]
  if (meant !== undefined && known.includes(meant)) return `; write ${meant}`
  const section = path.length > 0 ? undefined : ['policy', 'model'].find((name) => namesAt(configSchema, [name], config).includes(key))
  if (section !== undefined) return `; write ${section}: { ${key}: … }`
  return nearestOf(known, key) || (known.length > 0 ? `; known here: ${known.join(', ')}` : '')
}

/** What others call a field. */
const elsewhere: Readonly<Record<string, string>> = {
  limits: 'model',
  exporters: 'telemetry',
  exporter: 'telemetry',
  root: 'path',
  folder: 'path',
  dir: 'path',
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

/** The line of a field, or of what stands around it; undefined where nothing does. */
export function lineOf(contents: unknown, path: readonly PropertyKey[], lines: LineCounter): number | undefined {
  let node = contents as Node | null
  let offset = node?.range?.[0]
  for (const name of path) {
    if (isSeq(node)) {
      node = (node.items[Number(name)] ?? null) as Node | null
      offset = node?.range?.[0] ?? offset
      continue
    }
    if (!isMap(node)) break
    const pair = node.items.find((item) => String((item.key as { value?: unknown } | null)?.value) === String(name))
    if (pair === undefined) break
    offset = (pair.key as Node).range?.[0] ?? offset
    node = pair.value as Node | null
  }
  return offset === undefined ? undefined : lines.linePos(offset).line
}
