import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { diag } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http'

/** Where one signal goes, and how. */
export interface Destination {
  readonly signal: 'TRACES' | 'METRICS'
  readonly url: string
  readonly protocol: 'json' | 'protobuf'
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds for one batch, further attempts included. */
  readonly timeout: number
  /** Ends all that is under way. */
  readonly stop: AbortSignal
}

/** What OpenTelemetry's processors and readers send batches with. */
export interface Sender<T> {
  export(batch: T, done: (result: ExportResult) => void): void
  forceFlush(): Promise<void>
  shutdown(): Promise<void>
}

/** Answers of a collector that will have room again. */
const overloaded = [429, 502, 503, 504]
const mostRetries = 5
/** Milliseconds before the first further attempt, and at most. */
const [firstPause, longestPause] = [1_000, 5_000]

/**
 * Sends batches over HTTP, and again while nobody answers or the collector is overloaded, within `timeout`. The SDK's own exporters cannot be told to stop: a
 * program that ends would wait for the last of their attempts. Headers, certificates and compression are read from the environment as they do.
 * The console is told once when the collector refuses, or nobody answered to the end: OpenTelemetry says so only where a host has set a logger.
 */
export function createSender<T>(
  { serializeRequest }: { serializeRequest(batch: T): Uint8Array | undefined },
  { signal, url, protocol, headers, timeout, stop }: Destination,
): Sender<T> {
  const own = { url, headers: { ...headers }, timeoutMillis: timeout }
  const type = protocol === 'json' ? 'application/json' : 'application/x-protobuf'
  const options = convertLegacyHttpOptions(own, signal, `v1/${signal.toLowerCase()}`, { 'Content-Type': type })
  // All of an address that a message may show: passwords and keys stand in the rest.
  const { protocol: scheme, host } = new URL(url)
  const agent = Promise.resolve(options.agentFactory(scheme))
  const underWay = new Set<Promise<void>>()

  let told = false
  const tell = (answer: IncomingMessage | Error): void => {
    const [came, remedy] = saidOf(answer)
    if (!told) console.warn(`[precis] The collector at ${host} ${came}, and no ${signal.toLowerCase()} are kept there. ${remedy}`)
    told = true
  }

  const post = async (body: Uint8Array, milliseconds: number): Promise<IncomingMessage> => {
    const { request } = await (scheme === 'http:' ? import('node:http') : import('node:https'))
    const zipped = options.compression === 'gzip'
    const sent = { ...(await options.headers()), ...(zipped && { 'Content-Encoding': 'gzip' }) }
    const [bytes, through] = await Promise.all([zipped ? promisify(gzip)(body) : body, agent])
    return new Promise((resolve, reject) => {
      const ends = AbortSignal.any([stop, AbortSignal.timeout(Math.ceil(milliseconds))])
      const outgoing = request(url, { method: 'POST', headers: sent, agent: through, signal: ends }, (response) => {
        response.on('end', () => resolve(response)).on('error', reject)
        response.resume()
      })
      outgoing.on('error', reject).end(bytes)
    })
  }

  const send = async (body: Uint8Array): Promise<void> => {
    const end = performance.now() + options.timeoutMillis
    for (let retries = 0, pause = firstPause; ; retries++, pause = Math.min(pause * 1.5, longestPause)) {
      const answer = await post(body, end - performance.now()).catch((error: Error) => error)
      const status = answer instanceof Error ? undefined : (answer.statusCode ?? 0)
      if (status !== undefined && status >= 200 && status < 300) return
      const asked = answer instanceof Error ? Number.NaN : Number(answer.headers['retry-after']) * 1_000
      const wait = asked >= 0 ? asked : pause * (0.8 + 0.4 * Math.random())
      const mayRetry = retries < mostRetries && (status === undefined || overloaded.includes(status)) && wait < end - performance.now()
      if (mayRetry) diag.verbose(`Précis: sent again in ${Math.round(wait)} ms`)
      if (mayRetry && (await sleep(wait, true, { signal: stop }).catch(() => false))) continue
      tell(answer)
      throw answer instanceof Error ? answer : new Error(`The collector at ${host} answered ${status}.`)
    }
  }

  return {
    export(batch, done) {
      const body = serializeRequest(batch)
      if (body === undefined) return done({ code: ExportResultCode.SUCCESS })
      const sending = send(body).then(
        () => done({ code: ExportResultCode.SUCCESS }),
        (error: Error) => done({ code: ExportResultCode.FAILED, error }),
      )
      underWay.add(sending)
      void sending.finally(() => underWay.delete(sending))
    },
    forceFlush: async () => void (await Promise.all(underWay)),
    async shutdown() {
      await this.forceFlush()
      ;(await agent).destroy()
    },
  }
}

/** What a collector did, and what to look at: it has another path, wants to know who asks, has no room, or is not there. */
function saidOf(answer: IncomingMessage | Error): readonly [came: string, remedy: string] {
  if (answer instanceof Error) {
    const { code = answer.name } = answer as NodeJS.ErrnoException
    return [/^(?:Abort|Timeout)|^ABORT/.test(code) ? 'did not answer in time' : `did not answer (${code})`, 'Start it, or correct `endpoint`.']
  }
  const { statusCode: status = 0 } = answer
  const came = `answered ${status}`
  if (status === 401 || status === 403) return [came, 'Correct `headers`.']
  if (status === 404 || status === 405) return [came, 'Correct the path of `endpoint`: most collectors have /v1/traces and /v1/metrics.']
  return [came, overloaded.includes(status) ? 'It has no room, or what stands behind it is away.' : 'Its own log says why.']
}
