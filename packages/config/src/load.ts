import { readFile } from 'node:fs/promises'
import {
  type Archive,
  type CompactionPolicy,
  createArchive,
  createToolOutputStore,
  type EncryptedStorageOptions,
  type Exporter,
  encryptedStorage,
  InvalidConfigurationError,
  type ModelLimits,
  memoryStorage,
  mergePolicy,
  type PolicyOverrides,
  type PresetName,
  presets,
  type Redactor,
  type StorageDriver,
  type ToolOutputStore,
} from '@precis/core'
import { isMap, LineCounter, type Node, parseDocument } from 'yaml'
import type { z } from 'zod'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { environmentOverrides } from './environment.ts'
import { type RawRedaction, redactorFrom } from './redaction.ts'
import { configSchema } from './schema.ts'

/** A file's content after every check: ready to be spread into the options of an adapter. */
export interface PrecisConfig {
  readonly policy: CompactionPolicy
  readonly limits?: ModelLimits
  readonly storage?: StorageDriver
  // biome-ignore lint/suspicious/noExplicitAny: the adapter that is given it says whose messages they are; the file cannot
  readonly archive?: Archive<any>
  readonly exporters: readonly Exporter[]
  /** Where whole tool outputs go. */
  readonly outputs?: ToolOutputStore
  /** What `@precis/redaction` finds, and what the file adds; false where it switches redaction off. */
  readonly redact: Redactor | false
  /** Absent where the file does not say: `redact`. */
  readonly personalData?: 'redact' | 'keep'
}

export interface LoadConfigOptions {
  /** A YAML 1.2 or JSON file. Absent: environment and defaults alone. */
  readonly path?: string
  /** Default: the process's. Variables `PRECIS_…` replace fields, see docs/configuration.md. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

interface RawConfig {
  readonly preset?: PresetName
  readonly policy?: PolicyOverrides
  readonly model?: ModelLimits
  readonly storage?:
    | { readonly adapter: 'memory' }
    | { readonly adapter: 'fs'; readonly path: string }
    | { readonly adapter: 's3'; readonly bucket: string; readonly prefix?: string; readonly region?: string }
  readonly archive?: boolean
  readonly telemetry?:
    | { readonly exporter: 'console'; readonly format?: 'line' | 'json' }
    | { readonly exporter: 'otlp'; readonly endpoint?: string; readonly protocol?: 'json' | 'protobuf' }
  readonly outputs?: { readonly keep?: 'shortened' | 'all' }
  readonly encryption?: { readonly keyId: string; readonly keyVariable: string }
  readonly redaction?: RawRedaction
}

/** Reads, checks and builds. Storage and exporter packages are loaded only when they are named. @throws ConfigError */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<PrecisConfig> {
  checkOptions(options)
  const { path, env = process.env } = options
  const text = path === undefined ? '' : await readText(path)
  const raw = parseConfig(text, { source: path ?? 'environment', env })
  const { preset = 'balanced', model, redaction = {} } = raw
  const source = path ?? 'environment'
  const redact = redaction.enabled === false ? false : redactorFrom(redaction, source)
  const personalData = redaction.personalData === undefined ? {} : { personalData: redaction.personalData }
  let policy: CompactionPolicy
  try {
    policy = mergePolicy(presets[preset], raw.policy ?? {})
  } catch (error) {
    if (!InvalidConfigurationError.isInstance(error)) throw error
    throw new ConfigError(path ?? 'environment', [{ path: `policy.${error.field}`, message: error.message }])
  }
  const plain = await storageFor(raw)
  const storage = raw.encryption === undefined ? plain : encryptedStorage(plain ?? memoryStorage(), encryptionFrom(raw.encryption, env, source))
  const kept = storage ?? memoryStorage()
  const archive = raw.archive === true ? createArchive(kept, { redact, ...personalData }) : undefined
  return {
    policy,
    exporters: [...(await exportersFor(raw)), ...(archive === undefined ? [] : [archive.exporter()])],
    ...(model !== undefined && { limits: model }),
    ...(storage !== undefined && { storage }),
    ...(archive !== undefined && { archive }),
    ...(raw.outputs !== undefined && { outputs: createToolOutputStore(kept, raw.outputs) }),
    redact,
    ...personalData,
  }
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

/** A call that says something else than the options would read defaults in silence. @throws ConfigError */
function checkOptions(options: unknown): void {
  const wrong = (message: string): ConfigError => new ConfigError('loadConfig', [{ path: '', message }])
  if (typeof options === 'string') throw wrong(`was called with the text ${JSON.stringify(options)}; write loadConfig({ path: ${JSON.stringify(options)} })`)
  if (typeof options !== 'object' || options === null) throw wrong(`was called with ${String(options)}; write loadConfig({ path: 'precis.yaml' })`)
  const unknown = Object.keys(options).filter((name) => name !== 'path' && name !== 'env')
  if (unknown.length > 0) throw wrong(`has no option "${unknown[0]}"; it has path and env`)
  const { path } = options as { readonly path?: unknown }
  if (path !== undefined && typeof path !== 'string') throw wrong(`expected path to be a text, not ${typeof path}`)
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
      ? ['preset', 'policy', 'model', 'storage', 'archive', 'outputs', 'encryption', 'telemetry', 'redaction']
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

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new ConfigError(path, [{ path: '', message: `cannot be read: ${(error as Error).message}` }])
  }
}

/** One key, from the environment: base64 of 32 bytes. */
function encryptionFrom({ keyId, keyVariable }: NonNullable<RawConfig['encryption']>, env: LoadConfigOptions['env'], source: string): EncryptedStorageOptions {
  const bytes = Buffer.from(env?.[keyVariable] ?? '', 'base64')
  if (bytes.byteLength !== 32)
    throw new ConfigError(source, [
      { path: 'encryption.keyVariable', message: `expected 32 bytes as base64 in the variable ${keyVariable}: openssl rand -base64 32` },
    ])
  const own = { id: keyId, key: new Uint8Array(bytes) }
  return { key: (id = keyId) => (id === keyId ? own : undefined) }
}

async function storageFor({ storage }: RawConfig): Promise<StorageDriver | undefined> {
  switch (storage?.adapter) {
    case 'fs': {
      const { fsStorage } = await optional(() => import('@precis/storage-fs'), '@precis/storage-fs')
      return fsStorage({ root: storage.path })
    }
    case 's3': {
      const { s3Storage } = await optional(() => import('@precis/storage-s3'), '@precis/storage-s3')
      const { adapter: _s3, ...rest } = storage
      return s3Storage(rest)
    }
    case 'memory':
      return memoryStorage()
    default:
      return undefined
  }
}

async function exportersFor({ telemetry }: RawConfig): Promise<readonly Exporter[]> {
  switch (telemetry?.exporter) {
    case 'console': {
      const { consoleExporter } = await optional(() => import('@precis/exporter-console'), '@precis/exporter-console')
      return [consoleExporter(telemetry.format === undefined ? {} : { format: telemetry.format })]
    }
    case 'otlp': {
      const { otlpExporter } = await optional(() => import('@precis/exporter-otlp'), '@precis/exporter-otlp')
      const { exporter: _otlp, ...rest } = telemetry
      return [otlpExporter(rest)]
    }
    default:
      return []
  }
}

async function optional<T>(load: () => Promise<T>, name: string): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw new ConfigError('configuration', [{ path: '', message: `needs the package ${name}: install it (${(error as Error).message})` }])
  }
}
