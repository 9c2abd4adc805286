import type { UnstorageDriver } from '@precis/storage-unstorage'
import { beside } from './beside.ts'
import { ConfigError } from './config-error.ts'
import { distance } from './distance.ts'
import { type ClosableStorage, optionsFrom, type Place, type RawOptions } from './own-module.ts'

/** A driver of unstorage, by its name under `unstorage/drivers/`. */
export interface RawUnstorage extends RawOptions {
  readonly driver: string
}

type Maker = (options: unknown) => unknown

/** What drivers and databases have that hold connections. */
interface Disposable {
  dispose?(): unknown
}

/**
 * A storage over a driver of unstorage. For the driver `db0`, `options.database` is `{ connector, options }`: a connector's name under `db0/connectors/`,
 * and what it is given. @throws ConfigError naming the field.
 */
export async function unstorageFrom(raw: RawUnstorage, place: Place): Promise<ClosableStorage> {
  const { unstorageStorage } = await beside('@precis/storage-unstorage', (message) => refused(place, 'adapter', message))
  const known = Object.keys(((await named('unstorage').catch(() => ({}))) as { readonly builtinDrivers?: object }).builtinDrivers ?? {})
  const meant = known.includes(raw.driver) ? undefined : known.find((name) => distance(name, raw.driver) <= 2)
  if (meant !== undefined) throw refused(place, 'driver', `unstorage has no driver "${raw.driver}"; did you mean "${meant}"?`)
  const make = (await maker(() => named(`unstorage/drivers/${raw.driver}`), place, 'driver', `unstorage’s driver ${raw.driver}`)) as {
    readonly default: Maker
  }
  const options = optionsFrom(raw, place)
  const database = raw.driver === 'db0' ? await databaseFrom(options['database'], place) : undefined
  try {
    const driver = make.default(database === undefined ? options : { ...options, database }) as UnstorageDriver & Disposable
    const close = async (): Promise<void> => {
      await driver.dispose?.()
      await database?.dispose?.()
    }
    return { ...unstorageStorage(driver), close }
  } catch (error) {
    throw refused(place, 'options', `refused by the driver ${raw.driver}: ${(error as Error).message}`)
  }
}

async function databaseFrom(database: unknown, place: Place): Promise<Disposable> {
  const { connector, options = {} } = (database ?? {}) as { readonly connector?: unknown; readonly options?: unknown }
  if (typeof connector !== 'string' || !/^[a-z0-9-]+(?:\/[a-z0-9-]+)?$/.test(connector))
    throw refused(place, 'options.database', `expected { connector, options }, with a connector of db0 such as postgresql or node-sqlite`)
  const { createDatabase } = (await maker(() => named('db0'), place, 'options.database', 'the package db0')) as { readonly createDatabase: Maker }
  const made = (await maker(() => named(`db0/connectors/${connector}`), place, 'options.database.connector', `db0’s connector ${connector}`)) as {
    readonly default: Maker
  }
  try {
    return createDatabase(made.default(options)) as Disposable
  } catch (error) {
    throw refused(place, 'options.database.options', `refused by the connector ${connector}: ${(error as Error).message}`)
  }
}

const refused = ({ path, field }: Place, name: string, message: string): ConfigError =>
  new ConfigError(path ?? 'environment', [{ path: `${field}.${name}`, message }])

async function maker<T>(load: () => Promise<T>, place: Place, name: string, what: string): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw refused(place, name, `needs ${what}: install it (${(error as Error).message})`)
  }
}

/** A package that only a file names: no bundler has to find it. */
const named = (name: string): Promise<unknown> => import(/* @vite-ignore */ /* webpackIgnore: true */ name)
