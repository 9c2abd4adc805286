import { InvalidConfigurationError } from '@precis/core'

/** Options that are addresses, and the path of their signal at a collector. */
const paths = { endpoint: '/v1/traces', 'metrics.endpoint': '/v1/metrics' } as const

/** The path of a collector, as OTLP's `OTEL_EXPORTER_OTLP_ENDPOINT` has it: `/`, or that of a gateway, such as Grafana Cloud's `/otlp`. */
const base = /^\/$|\/ot(?:lp|el)\/?$/

/**
 * Where a signal goes: to its own path at a collector, as OTLP has them, or to the path that was given.
 * @throws InvalidConfigurationError for an address that is not of HTTP: everything would be lost.
 */
export function addressOf(given: string | URL | undefined, field: keyof typeof paths): string | undefined {
  if (given === undefined) return undefined
  const url = given instanceof URL ? given.href : given
  // What it holds is not shown: an address may have a password.
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new InvalidConfigurationError(field, typeof given, `write http://127.0.0.1:4318${paths[field]}, say`, `${field} is no address of HTTP`)
  const address = new URL(url)
  if (!base.test(address.pathname)) return url
  address.pathname = address.pathname.replace(/\/$/, '') + paths[field]
  return address.href
}

/** Where metrics go beside a traces endpoint; undefined where its path does not say. */
export function metricsBeside(traces = ''): string | undefined {
  return /\/v1\/traces(?=$|\?)/.test(traces) ? traces.replace(/\/v1\/traces(?=$|\?)/, '/v1/metrics') : undefined
}
