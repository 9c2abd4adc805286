import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Exporter, StorageDriver } from '@precis/core'
import { ConfigError } from './config-error.ts'
import { withField } from './environment.ts'

/** What a maker of a storage, an exporter or a driver is given. */
export interface RawOptions {
  readonly options?: Readonly<Record<string, unknown>>
  /** Options whose values stand in the environment, by their path: `{ url: REDIS_URL }`. */
  readonly variables?: Readonly<Record<string, string>>
}

/** A module of the host's own, beside the file that names it. */
export interface RawModule extends RawOptions {
  /** Path relative to the file. It runs when the configuration is loaded. */
  readonly module: string
}

/** A storage that may hold connections. */
export interface ClosableStorage extends StorageDriver {
  /** Called once, when a program is done with it. */
  close?(): unknown
}

/** Where a field stands, and what the environment holds. */
export interface Place {
  /** The file. */
  readonly path: string | undefined
  /** `storage` or `telemetry`. */
  readonly field: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const wrong = ({ path, field }: Place, name: string, message: string): ConfigError =>
  new ConfigError(path ?? 'environment', [{ path: `${field}.${name}`, message }])

/** The options as written, with what the environment adds. @throws ConfigError where a variable is not set. */
export function optionsFrom({ options = {}, variables = {} }: RawOptions, place: Place): Readonly<Record<string, unknown>> {
  return Object.entries(variables).reduce<Readonly<Record<string, unknown>>>((made, [name, variable]) => {
    const value = place.env[variable]
    if (value === undefined || value === '') throw wrong(place, `variables.${name}`, `the variable ${variable} is not set`)
    return withField(made, name.split('.'), value) as Readonly<Record<string, unknown>>
  }, options)
}

/** A storage that a module of the host's makes. @throws ConfigError naming the field. */
export function storageFromModule(raw: RawModule, place: Place): Promise<ClosableStorage> {
  return fromModule(raw, place, { what: 'a storage', methods: ['get', 'put', 'delete', 'list'] })
}

/** An exporter that a module of the host's makes. @throws ConfigError naming the field. */
export function exporterFromModule(raw: RawModule, place: Place): Promise<Exporter> {
  return fromModule(raw, place, { what: 'an exporter', methods: ['export'] })
}

/** What must come of a module. */
interface Wanted {
  readonly what: string
  readonly methods: readonly string[]
}

async function fromModule<T>(raw: RawModule, place: Place, { what, methods }: Wanted): Promise<T> {
  const make = makerOf(await load(raw.module, place), raw.module, place)
  const options = optionsFrom(raw, place)
  let made: unknown
  try {
    made = await make(options)
  } catch (error) {
    throw wrong(place, 'module', `${raw.module} failed: ${(error as Error)?.message ?? String(error)}`)
  }
  const missing = methods.filter((name) => typeof (made as Record<string, unknown> | null | undefined)?.[name] !== 'function')
  if (missing.length > 0)
    throw wrong(place, 'module', `${raw.module} made no ${what.replace(/^an? /, '')}: ${what} has ${methods.join(', ')}; missing: ${missing.join(', ')}`)
  return made as T
}

async function load(module: string, place: Place): Promise<Readonly<Record<string, unknown>>> {
  if (place.path === undefined) throw wrong(place, 'module', 'is relative to a file, and there is none: write loadConfig({ path })')
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ pathToFileURL(resolve(dirname(place.path), module)).href)) as Readonly<
      Record<string, unknown>
    >
  } catch (error) {
    throw wrong(place, 'module', `${module} cannot be loaded: ${(error as Error)?.message ?? String(error)}`)
  }
}

/** The default export, or the one function whose name begins with `create`. */
function makerOf(exported: Readonly<Record<string, unknown>>, module: string, place: Place): (options: unknown) => unknown {
  const names = Object.keys(exported).filter((name) => typeof exported[name] === 'function' && (name === 'default' || name.startsWith('create')))
  const [name] = names.includes('default') ? ['default'] : names
  if (name === undefined || (name !== 'default' && names.length > 1))
    throw wrong(
      place,
      'module',
      `${module} exports ${names.length > 1 ? `several such functions (${names.join(', ')})` : Object.keys(exported).join(', ') || 'nothing'}; export one function as default or as create…`,
    )
  return exported[name] as (options: unknown) => unknown
}
