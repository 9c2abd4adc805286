import type { ModelLimits, PolicyOverrides, PresetName } from '@precis/core'
import { LineCounter, parseDocument } from 'yaml'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { environmentOverrides, misspelt, variableOf } from './environment.ts'
import type { RawModule } from './own-module.ts'
import { lineOf, problemsOf } from './problems.ts'
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
  /** `olderKeys`: variables by the id of a key that texts may still be encrypted with. */
  readonly encryption?: { readonly keyId: string; readonly keyVariable: string; readonly olderKeys?: Readonly<Record<string, string>> }
  readonly redaction?: RawRedaction
}

interface ParseOptions {
  readonly source?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** The checked content of a configuration text, environment overrides applied; nothing is built. @throws ConfigError */
export function parseConfig(text: string, options: ParseOptions = {}): RawConfig {
  return readConfig(text, options).raw
}

/** As `parseConfig`, and by the path of a field what it comes from. */
export function readConfig(
  text: string,
  { source = 'configuration', env = {} }: ParseOptions,
): { readonly raw: RawConfig; readonly placeOf: (path: readonly PropertyKey[]) => Pick<ConfigProblem, 'variable' | 'line'> } {
  const lines = new LineCounter()
  const { contents, value } = readYaml(text, source, lines)
  const merged = environmentOverrides(value ?? {}, env)
  const placeOf = (path: readonly PropertyKey[]) => {
    const variable = variableOf(path, value, env)
    if (variable !== undefined) return { variable }
    const line = lineOf(contents, path, lines)
    return line === undefined ? {} : { line }
  }
  const wrongNames = misspelt(env, (variable) => text.includes(variable)).map(
    ({ variable, meant }): ConfigProblem => ({ path: '', message: `unknown variable; did you mean "${meant}"?`, variable }),
  )
  if (wrongNames.length > 0) throw new ConfigError(source, wrongNames)
  const checked = configSchema.safeParse(merged)
  if (checked.success) return { raw: checked.data as RawConfig, placeOf }
  const problems = checked.error.issues.flatMap((issue) => problemsOf(issue, merged))
  throw new ConfigError(
    source,
    problems.map(({ path, message }) => ({ path: path.join('.'), message, ...placeOf(path) })),
  )
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
