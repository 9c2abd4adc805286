import { type ModelLimits, type PolicyOverrides, type PresetName, presets } from '@precis/core'
import { isMap, LineCounter, type Node, parseDocument } from 'yaml'
import type { z } from 'zod'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { environmentOverrides } from './environment.ts'
import type { RawModule } from './own-module.ts'
import type { RawRedaction } from './redaction.ts'
import { configSchema } from './schema.ts'
import type { RawUnstorage } from './unstorage.ts'

/** A configuration as it is written, checked. */
export interface RawConfig {
  readonly preset?: PresetName
  readonly policy?: PolicyOverrides
  readonly model?: ModelLimits
  readonly storage?:
    | { readonly adapter: 'memory' }
    | { readonly adapter: 'fs'; readonly path: string }
    | { readonly adapter: 's3'; readonly bucket: string; readonly prefix?: string; readonly region?: string }
    | ({ readonly adapter: 'unstorage' } & RawUnstorage)
    | ({ readonly adapter: 'custom' } & RawModule)
  readonly archive?: boolean
  /** How long what is stored is kept after its last use; false: for ever. */
  readonly retention?: { readonly days: number } | false
  readonly telemetry?:
    | { readonly exporter: 'console'; readonly format?: 'line' | 'json' }
    | { readonly exporter: 'otlp'; readonly endpoint?: string; readonly protocol?: 'json' | 'protobuf'; readonly metrics?: boolean }
    | ({ readonly exporter: 'custom' } & RawModule)
  readonly outputs?: { readonly keep?: 'shortened' | 'all' }
  readonly encryption?: { readonly keyId: string; readonly keyVariable: string }
  readonly redaction?: RawRedaction
}

/** The checked content of a configuration text, environment overrides applied; nothing is built. @throws ConfigError */
export function parseConfig(text: string, options: { readonly source?: string; readonly env?: Readonly<Record<string, string | undefined>> } = {}): RawConfig {
  const { source = 'configuration', env = {} } = options
  const lines = new LineCounter()
  const { contents, value } = readYaml(text, source, lines)
  const merged = environmentOverrides(value ?? {}, env)
  const checked = configSchema.safeParse(merged)
  if (checked.success) return checked.data as RawConfig
  const problems = checked.error.issues.flatMap((issue) => problemsOf(issue, (path) => lineOf(contents, path, lines)))
  throw new ConfigError(source, problems)
}

/** Aliases that one document may use, each time one is used: a configuration has no use for more, a bomb has. */
const mostAliases = 100

/** Characters of a configuration. */
const longestText = 1_000_000

/** @throws ConfigError for whatever the parser throws: wrong syntax, aliases that multiply, or more levels than there is stack. */
function readYaml(text: string, source: string, lines: LineCounter): { readonly contents: unknown; readonly value: unknown } {
  const wrong = (problems: readonly ConfigProblem[]): ConfigError => new ConfigError(source, problems)
  if (typeof text !== 'string') throw wrong([{ path: '', message: `expected a text, not ${typeof text}` }])
  if (text.length > longestText) throw wrong([{ path: '', message: `has ${text.length} characters; a configuration has at most ${longestText}` }])
  let document: ReturnType<typeof parseDocument>
  let value: unknown
  try {
    document = parseDocument(text, { lineCounter: lines, version: '1.2' })
    value = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: mostAliases })
  } catch (error) {
    throw wrong([{ path: '', message: `cannot be read: ${error instanceof RangeError ? 'it is nested too deep' : (error as Error).message}` }])
  }
  if (document.errors.length === 0) return { contents: document.contents, value }
  throw wrong(document.errors.map((error) => ({ path: '', message: error.message.split('\n')[0] ?? '', line: lines.linePos(error.pos[0]).line })))
}

function problemsOf(issue: z.core.$ZodIssue, lineAt: (path: readonly PropertyKey[]) => number | undefined): readonly ConfigProblem[] {
  const at = (path: readonly PropertyKey[], message: string): ConfigProblem => {
    const line = lineAt(path)
    return { path: path.join('.'), message, ...(line !== undefined && { line }) }
  }
  if (issue.code !== 'unrecognized_keys') return [at(issue.path, issue.message)]
  return issue.keys.map((key) => at([...issue.path, key], `unknown field${suggestion(key, issue.path)}`))
}

/** A name that the writer may have meant: the known one with the fewest differences. */
function suggestion(key: string, path: readonly PropertyKey[]): string {
  const place = path.reduce<unknown>((value, name) => (value as Record<PropertyKey, unknown> | undefined)?.[name], { policy: presets.balanced })
  const known =
    path.length === 0
      ? ['preset', 'policy', 'model', 'storage', 'archive', 'retention', 'outputs', 'encryption', 'telemetry', 'redaction']
      : Object.keys((place as object | undefined) ?? {})
  const [best] = known.map((name) => ({ name, distance: distance(name.toLowerCase(), key.toLowerCase()) })).sort((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(2, key.length / 2)
    ? `; did you mean "${best.name}"?`
    : known.length > 0
      ? `; known here: ${known.join(', ')}`
      : ''
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

function lineOf(contents: unknown, path: readonly PropertyKey[], lines: LineCounter): number | undefined {
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
