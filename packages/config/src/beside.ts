import { ConfigError } from './config-error.ts'

/** Packages that a file may ask for; who asks for none of them need not install them. */
interface Beside {
  readonly '@precis/exporter-console': typeof import('@precis/exporter-console')
  readonly '@precis/exporter-otlp': typeof import('@precis/exporter-otlp')
  readonly '@precis/storage-fs': typeof import('@precis/storage-fs')
  readonly '@precis/storage-s3': typeof import('@precis/storage-s3')
  readonly '@precis/storage-unstorage': typeof import('@precis/storage-unstorage')
}

/** Each is awaited in the body of a `try`: only there do all bundlers pass over a package that is not installed. @throws what `refused` makes of the reason. */
export async function beside<Name extends keyof Beside>(name: Name, refused?: (message: string) => ConfigError): Promise<Beside[Name]>
export async function beside(name: keyof Beside, refused = unplaced): Promise<unknown> {
  try {
    switch (name) {
      case '@precis/exporter-console':
        return await import('@precis/exporter-console')
      case '@precis/exporter-otlp':
        return await import('@precis/exporter-otlp')
      case '@precis/storage-fs':
        return await import('@precis/storage-fs')
      case '@precis/storage-s3':
        return await import('@precis/storage-s3')
      case '@precis/storage-unstorage':
        return await import('@precis/storage-unstorage')
    }
  } catch (error) {
    throw refused(`needs the package ${name}: install it (${(error as Error).message})`)
  }
}

const unplaced = (message: string): ConfigError => new ConfigError('configuration', [{ path: '', message }])
