import { type Attributes, type Meter, metrics } from '@opentelemetry/api'
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import type { Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { CompactionEvent } from '@precis/core'
import { createSender, type Destination } from './sender.ts'

/** How metrics are sent. */
export interface OtlpMetricsOptions {
  /** Metrics endpoint; without a path, `/v1/metrics` there. Default: the traces endpoint with `/v1/metrics` in the place of `/v1/traces`; with any other path: none, and no metrics are sent. */
  readonly endpoint?: string | URL
  /** Milliseconds between two reports. Default 60,000, as in OpenTelemetry. */
  readonly interval?: number
}

/** What both kinds of telemetry share. */
export interface Transport extends Omit<Destination, 'signal' | 'url'> {
  readonly resource: Resource
}

/** A provider that sends to `endpoint`: each series cumulative, as OpenTelemetry sends by default; at most 2,000 series of one instrument. */
export function createMeterProvider(
  endpoint: string,
  { interval = 60_000 }: Pick<OtlpMetricsOptions, 'interval'>,
  { resource, ...transport }: Transport,
): MeterProvider {
  const { protocol, timeout } = transport
  const exporter = createSender(protocol === 'json' ? JsonMetricsSerializer : ProtobufMetricsSerializer, { ...transport, signal: 'METRICS', url: endpoint })
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: interval, exportTimeoutMillis: Math.min(timeout, interval) })
  return new MeterProvider({ resource, readers: [reader] })
}

const [shares, counts] = [
  [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000, 2_000_000],
]
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/** What a summary cost, as OpenTelemetry calls it. */
const tokenTypes = { summary_prompt: 'input', summary_reply: 'output' } as const

/** Counts events. Series differ by outcome, strategy and event, which are names of ours: never by session, never by a text. */
export function createInstruments(meter: Meter = metrics.getMeter('@precis/core')): (events: readonly CompactionEvent[]) => void {
  const histogram = (name: string, unit: string, description: string, bounds: readonly number[]) =>
    meter.createHistogram(`precis.${name}`, { unit, description, advice: { explicitBucketBoundaries: [...bounds] } })
  const compactions = meter.createCounter('precis.compaction.count', { unit: '{compaction}', description: 'Compactions by outcome and strategy.' })
  const continued = meter.createCounter('precis.compaction.continued', {
    unit: '{compaction}',
    description: 'Compactions after which the model replied: the agent went on.',
  })
  const warnings = meter.createCounter('precis.warnings', { unit: '{event}', description: 'Events that somebody should look at, by name.' })
  const spent = meter.createCounter('precis.summary.tokens', { unit: '{token}', description: 'Tokens that models took and wrote for summaries.' })
  const of: Readonly<Record<string, ReturnType<typeof histogram>>> = {
    tokens_before: histogram('compaction.tokens.before', '{token}', 'Tokens of the context before a compaction.', counts),
    tokens_after: histogram('compaction.tokens.after', '{token}', 'Tokens of the context after a compaction.', counts),
    compression: histogram('compaction.compression', '1', 'Tokens that a summary stands for, divided by its own.', [1, 1.5, 2, 3, 4, 5, 7.5, 10, 20, 50, 100]),
  }
  const ratio = histogram('compaction.ratio', '1', 'Tokens after a compaction, divided by those before: 1 when nothing was freed.', shares)
  const duration = histogram('compaction.duration', 's', 'Time that a compaction took, the summarizer included.', seconds)
  const cacheHit = histogram('cache.hit_ratio', '1', "Share of the last billed prompt that came from the provider's cache.", shares)
  return (events) => {
    for (const { event, severity, attributes } of events) {
      if (severity !== 'info') warnings.add(1, { 'precis.event': event })
      if (event === 'compact.continued') continued.add(1)
      if (event === 'compact.token_estimate') numberOf(attributes, 'cache_hit', (value) => cacheHit.record(value))
      if (event !== 'compact.finished') continue
      const labels = labelsOf(attributes)
      compactions.add(1, labels)
      for (const [name, instrument] of Object.entries(of)) numberOf(attributes, name, (value) => instrument.record(value, labels))
      numberOf(attributes, 'duration_ms', (value) => duration.record(value / 1_000, labels))
      for (const [name, type] of Object.entries(tokenTypes)) numberOf(attributes, name, (value) => spent.add(value, { 'gen_ai.token.type': type }))
      numberOf(attributes, 'tokens_before', (before) =>
        numberOf(attributes, 'tokens_after', (after) => {
          if (before > 0) ratio.record(after / before, labels)
        }),
      )
    }
  }
}

function labelsOf({ outcome, strategy }: CompactionEvent['attributes']): Attributes {
  return { ...(outcome !== undefined && { 'precis.outcome': outcome }), ...(strategy !== undefined && { 'precis.strategy': strategy }) }
}

function numberOf(attributes: CompactionEvent['attributes'], name: string, then: (value: number) => void): void {
  const value = attributes[name]
  if (typeof value === 'number' && Number.isFinite(value)) then(value)
}
