import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  type Archive,
  type CompactionPolicy,
  createArchive,
  createToolOutputStore,
  type EncryptedStorageOptions,
  type EncryptionKey,
  type Exporter,
  encryptedStorage,
  InvalidConfigurationError,
  type ModelLimits,
  memoryStorage,
  mergePolicy,
  presets,
  type Redactor,
  type RetentionPeriod,
  type StorageDriver,
  type ToolOutputStore,
  usableInput,
} from '@precis/core'
import { beside } from './beside.ts'
import { ConfigError } from './config-error.ts'
import { type ClosableStorage, exporterFromModule, type Place, storageFromModule } from './own-module.ts'
import { type RawConfig, readConfig } from './parse.ts'
import { redactorFrom } from './redaction.ts'
import { unstorageFrom } from './unstorage.ts'

/** A file's content after every check: ready to be spread into the options of an adapter. */
export interface PrecisConfig {
  readonly policy: CompactionPolicy
  readonly limits?: ModelLimits
  readonly storage?: StorageDriver
  // biome-ignore lint/suspicious/noExplicitAny: the adapter that is given it says whose messages they are; the file cannot
  readonly archive?: Archive<any>
  /** Absent: 30 days. Nothing is removed before `gc` is called. */
  readonly retention?: RetentionPeriod
  readonly exporters: readonly Exporter[]
  /** Where whole tool outputs go. */
  readonly outputs?: ToolOutputStore
  /** What `@precis/redaction` finds, and what the file adds; false where it switches redaction off. */
  readonly redact: Redactor | false
  /** Absent where the file does not say: `redact`. */
  readonly personalData?: 'redact' | 'keep'
}

/** Where the configuration comes from. */
export interface LoadConfigOptions {
  /** A YAML 1.2 or JSON file. Absent: environment and defaults alone. */
  readonly path?: string
  /** Default: the process's. Variables `PRECIS_…` replace fields, see docs/configuration.md. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Reads, checks and builds. Storage and exporter packages, and modules of your own, are loaded only when they are named. @throws ConfigError */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<PrecisConfig> {
  checkOptions(options)
  const { path, env = process.env } = options
  const text = path === undefined ? '' : await readText(path)
  const source = path ?? 'environment'
  const read = readConfig(text, { source, env })
  try {
    return await built(read, { path, env }, source)
  } catch (error) {
    // What is built knows its field; the line is known here.
    if (!ConfigError.isInstance(error) || error.problems.some((one) => one.path === '' || one.line !== undefined || one.variable !== undefined)) throw error
    throw new ConfigError(
      source,
      error.problems.map((one) => ({ ...one, ...read.placeOf(one.path.split('.')) })),
      { cause: error.cause },
    )
  }
}

async function built(read: ReturnType<typeof readConfig>, { path, env }: Pick<Place, 'path' | 'env'>, source: string): Promise<PrecisConfig> {
  const { raw } = read
  const { model, redaction = {} } = raw
  const redact = redaction.enabled === false ? false : redactorFrom(redaction, source)
  const personalData = redaction.personalData === undefined ? {} : { personalData: redaction.personalData }
  const policy = soundPolicy(read, source)
  const plain = await storageFor(raw, { path, field: 'storage', env })
  const keys = raw.encryption && encryptionFrom(raw.encryption, env, source)
  const storage = keys === undefined ? plain : encryptedStorage(plain ?? memoryStorage(), keys)
  const kept = storage ?? memoryStorage()
  const archive = raw.archive === true ? createArchive(kept, { redact, ...personalData }) : undefined
  const config: PrecisConfig = {
    policy,
    exporters: [...(await exportersFor(raw, { path, field: 'telemetry', env })), ...(archive === undefined ? [] : [archive.exporter()])],
    ...(model !== undefined && { limits: model }),
    ...(storage !== undefined && { storage }),
    ...(archive !== undefined && { archive }),
    ...(raw.retention !== undefined && { retention: raw.retention }),
    ...(raw.outputs !== undefined && { outputs: createToolOutputStore(kept, raw.outputs) }),
    redact,
    ...personalData,
  }
  const folder = raw.storage?.adapter === 'fs' ? folderFrom(raw.storage.path, { path, env }) : undefined
  opened.set(config, { storage: plain, folder, keys })
  return config
}

/** What was built for a configuration. */
const opened = new WeakMap<PrecisConfig, Opened>()
interface Opened {
  readonly storage: ClosableStorage | undefined
  readonly folder: string | undefined
  readonly keys: EncryptedStorageOptions | undefined
}

/** The folder of a configuration's storage `fs`, which is made when something is first stored; undefined for other storages. */
export function storageFolder(config: PrecisConfig): string | undefined {
  return opened.get(config)?.folder
}

/** What `rotateEncryption` is given: the storage beneath a configuration's encryption, and its keys; undefined where nothing is encrypted, or nothing is stored. */
export function storageEncryption(config: PrecisConfig): { readonly storage: StorageDriver; readonly keys: EncryptedStorageOptions } | undefined {
  const { storage, keys } = opened.get(config) ?? {}
  return storage && keys && { storage, keys }
}

/** Closes the connections of a configuration's storage: a process with open ones never ends by itself. Call it when no session uses them any more. */
export async function closeConfig(config: PrecisConfig): Promise<void> {
  await opened.get(config)?.storage?.close?.()
}

/** A call that says something else than the options would read defaults in silence. @throws ConfigError */
function checkOptions(options: unknown): void {
  const wrong = (message: string): ConfigError => new ConfigError('loadConfig', [{ path: '', message }])
  if (typeof options === 'string') throw wrong(`was called with the text ${JSON.stringify(options)}; write loadConfig({ path: ${JSON.stringify(options)} })`)
  if (typeof options !== 'object' || options === null) throw wrong(`was called with ${String(options)}; write loadConfig({ path: 'precis.yaml' })`)
  const unknown = Object.keys(options).filter((name) => name !== 'path' && name !== 'env')
  if (unknown.length > 0) throw wrong(`has no option "${unknown[0]}"; it has path and env`)
  const { path, env } = options as { readonly path?: unknown; readonly env?: unknown }
  if (path !== undefined && typeof path !== 'string') throw wrong(`expected path to be a text, not ${typeof path}`)
  if (env !== undefined && (typeof env !== 'object' || env === null))
    throw wrong(`expected env to hold variables, not ${typeof env}; write loadConfig({ env: process.env })`)
}

/** The policy, with a window that it can work in. @throws ConfigError on what was written, where one part of it contradicts another. */
function soundPolicy({ raw, placeOf }: ReturnType<typeof readConfig>, source: string): CompactionPolicy {
  const { preset = 'balanced', policy = {}, model } = raw
  try {
    const merged = mergePolicy(presets[preset], policy)
    if (model !== undefined) usableInput(model, merged.trigger.outputCap)
    return merged
  } catch (error) {
    if (!InvalidConfigurationError.isInstance(error)) throw error
    const [message, field] = [error.message, error.field].map((text) => text.replace('limits.', 'model.')) as [string, string]
    // A level of the file may be sound until a variable moves `hard`: it is the variable that is in the way.
    const moved = /^trigger\.(?:target|soft)$/.test(field) ? ['trigger.hard'] : []
    const paths = [field, ...moved].map((one) => (one.startsWith('model.') ? one : `policy.${one}`))
    const path = paths.find((one) => placeOf(one.split('.')).variable !== undefined) ?? (paths[0] as string)
    throw new ConfigError(source, [{ path, message, ...placeOf(path.split('.')) }])
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ConfigError(path, [{ path: '', message: `cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}` }], { cause: error })
  }
}

/** Keys from the environment: base64 of 32 bytes. */
function encryptionFrom(
  { keyId, keyVariable, olderKeys = {} }: NonNullable<RawConfig['encryption']>,
  env: LoadConfigOptions['env'],
  source: string,
): EncryptedStorageOptions {
  const keyFrom = (field: string, id: string, variable: string): readonly [string, EncryptionKey] => {
    const bytes = Buffer.from(env?.[variable] ?? '', 'base64')
    if (bytes.byteLength === 32) return [id, { id, key: new Uint8Array(bytes) }]
    throw new ConfigError(source, [{ path: field, message: `expected 32 bytes as base64 in the variable ${variable}: openssl rand -base64 32` }])
  }
  if (Object.hasOwn(olderKeys, keyId))
    throw new ConfigError(source, [{ path: `encryption.olderKeys.${keyId}`, message: 'is the id of the current key; write another keyId for the new one' }])
  const older = Object.entries(olderKeys).map(([id, variable]) => keyFrom(`encryption.olderKeys.${id}`, id, variable))
  const keys = new Map([...older, keyFrom('encryption.keyVariable', keyId, keyVariable)])
  return { key: (id = keyId) => keys.get(id) }
}

/** A path in a file is relative to the file, one in the environment to the working folder. */
function folderFrom(written: string, { path, env }: Pick<Place, 'path' | 'env'>): string {
  return path === undefined || (env['PRECIS_STORAGE_PATH'] ?? '') !== '' ? written : resolve(dirname(path), written)
}

async function storageFor({ storage }: RawConfig, place: Place): Promise<ClosableStorage | undefined> {
  switch (storage?.adapter) {
    case 'fs': {
      const { fsStorage } = await beside('@precis/storage-fs')
      return fsStorage({ root: folderFrom(storage.path, place) })
    }
    case 's3': {
      const { s3Storage } = await beside('@precis/storage-s3')
      const { adapter: _s3, ...rest } = storage
      return s3Storage(rest)
    }
    case 'memory':
      return memoryStorage()
    case 'unstorage':
      return unstorageFrom(storage, place)
    case 'custom':
      return storageFromModule(storage, place)
    default:
      return undefined
  }
}

async function exportersFor({ telemetry }: RawConfig, place: Place): Promise<readonly Exporter[]> {
  switch (telemetry?.exporter) {
    case 'console': {
      const { consoleExporter } = await beside('@precis/exporter-console')
      return [consoleExporter(telemetry.format === undefined ? {} : { format: telemetry.format })]
    }
    case 'otlp': {
      const { otlpExporter } = await beside('@precis/exporter-otlp')
      const { exporter: _otlp, ...rest } = telemetry
      return [otlpExporter(rest)]
    }
    case 'custom':
      return [await exporterFromModule(telemetry, place)]
    default:
      return []
  }
}
