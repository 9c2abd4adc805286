import { InvalidConfigurationError } from '@precis/core'
import { Worker } from 'bullmq'

/** What a host is told of a Redis that is away or refuses. */
export type OnError = (error: Error) => unknown

/** A queue or a worker of BullMQ. */
interface Source {
  readonly closing: Promise<void> | undefined
  waitUntilReady(): Promise<unknown>
  close(force?: boolean): Promise<void>
  on(event: 'error', listener: (error: Error & { readonly code?: unknown }) => void): unknown
}

/** What a code of Node or the first word of a reply of Redis says: `ECONNREFUSED`, `WRONGPASS`. */
const reason = /^[A-Z][A-Z\d_]{2,60}(?![a-z])/

/** What BullMQ says where it can never work. */
const hopeless = /^Redis version needs|^BullMQ could not load/

/** Tells of each failure of a connection, in words of ours: the client's own error may hold an address or a password. Without a listener the console is told, of each reason once. */
export function reportErrors(of: Source, name: string, onError: OnError | undefined): void {
  const said = new Set<string>()
  let wasReady = false
  of.waitUntilReady().then(
    () => {
      wasReady = true
    },
    () => {},
  )
  of.on('error', (error) => {
    if (of.closing !== undefined) return
    const [code] = reason.exec(String(error.code ?? '')) ?? reason.exec(error.message) ?? []
    // Neither Node's nor Redis's: a lease that a job lost, say, which is another job's matter. Before the first connection there is no job.
    if (code === undefined && wasReady) return
    const isHopeless = code === undefined && hopeless.test(error.message)
    // A worker would ask again at once, for ever, and let nothing else of its process run.
    if (isHopeless) of.close(true).catch(() => {})
    const why = code ?? error.constructor.name
    const which = `the queue "${name}" (${why})`
    const told = isHopeless
      ? new InvalidConfigurationError(
          'connection',
          why,
          'BullMQ needs Redis 5 or newer, and ioredis; it is not asked again, and no summary is written ahead by it',
          `Redis does not serve ${which}`,
        )
      : new Error(`Redis does not serve ${which}. It is tried again; until then no summary is written ahead by it.`)
    if (onError === undefined && !said.has(why)) console.warn(`[precis] ${told.message}`)
    // A process that is nothing but this worker ends here, and whoever runs it is to know that it did nothing.
    if (onError === undefined && isHopeless && of instanceof Worker) process.exitCode ??= 1
    said.add(why)
    tell(onError, told)
  })
}

/** A listener that fails is no failure of the queue. */
function tell(onError: OnError | undefined, error: Error): void {
  try {
    Promise.resolve(onError?.(error)).catch(() => {})
  } catch {}
}
