import { type Attributes, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { type CompactionEvent, type Exporter, InvalidConfigurationError } from '@precis/core'
import { aCount, aText, checkGiven, milliseconds, oneOf, type ValueRule, type ValueRules } from '@precis/core/adapters'
import { addressOf, metricsBeside } from './address.ts'
import { atEnd, notAtEnd } from './at-end.ts'
import { createInstruments, createMeterProvider, type OtlpMetricsOptions, type Transport } from './metrics.ts'
import { createSender } from './sender.ts'

/** Where events go, and how they are sent. */
export interface OtlpExporterOptions {
  /**
   * The collector, such as http://127.0.0.1:4318 or https://otlp-gateway.example.net/otlp: spans go to `/v1/traces` there. With a path that does not end in `/otlp`
   * or `/otel`, where exactly spans go: http://127.0.0.1:4318/v1/traces. Absent: events go to the active span, or to a span of the tracer that the host registered.
   */
  readonly endpoint?: string | URL
  /** How the body of a request over HTTP is written; gRPC is not spoken. Default `protobuf`. */
  readonly protocol?: 'json' | 'protobuf'
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for one batch, further attempts included. Default 10,000. */
  readonly timeout?: number
  /** Milliseconds that `shutdown`, or a program that ends by itself, waits for a collector, all in all. What is not sent by then is lost, and nothing of ours keeps the process. Default 2,000. */
  readonly shutdownTimeout?: number
  /** Milliseconds that spans may wait for others. Default 500. */
  readonly batchDelay?: number
  /** Spans that may wait; beyond that new ones are dropped. Default 2,048. */
  readonly queueSize?: number
  /** Default "precis". */
  readonly serviceName?: string
  /** Histograms and counters beside the spans: to `/v1/metrics` beside `/v1/traces`, or, without an endpoint, to the meter that the host registered. false: none. Default: sent. */
  readonly metrics?: boolean | OtlpMetricsOptions
}

/**
 * Names of the spans that we make ourselves: one `precis.compaction` for each compaction, with its end; `precis.events` for what is told at once, such as
 * the decision that began it.
 */
const spanNames = { compaction: 'precis.compaction', events: 'precis.events' } as const

/** Judged by `addressOf`. */
const anAddress: ValueRule = { is: () => true, expected: '' }
const rules: ValueRules<OtlpExporterOptions> = {
  endpoint: anAddress,
  protocol: { ...oneOf('protobuf', 'json'), expected: 'write "protobuf" or "json": both over HTTP, on port 4318 as a rule; gRPC is not spoken' },
  headers: { is: areHeaders, expected: 'write { authorization: "Bearer …" }, each value a text', secret: true },
  timeout: milliseconds(),
  shutdownTimeout: milliseconds(0),
  batchDelay: milliseconds(0),
  queueSize: aCount(1, 'expected how many spans may wait, 1 or more'),
  serviceName: aText('expected a name'),
  metrics: { is: (value) => typeof value === 'boolean' || Object(value) === value, expected: 'write true, false or { endpoint, interval }' },
}
const metricsRules: ValueRules<OtlpMetricsOptions> = { endpoint: anAddress, interval: milliseconds() }

/**
 * Events as OpenTelemetry span events, and what they count as metrics. With an endpoint, in spans of our own, shipped by OTLP over HTTP; without one, on the
 * span that is active where the decision is made, or in a span of the host's tracer. Attributes: `gen_ai.conversation.id`, `gen_ai.request.model`,
 * `precis.severity`, and the event's own under `precis.`. Texts of messages are never among them.
 *
 * @throws InvalidConfigurationError for an endpoint without `http://` or `https://`, for an address that stands elsewhere, and for other options that cannot be
 * meant: nothing would be sent, or far too often.
 */
export function otlpExporter(options: OtlpExporterOptions = {}): Exporter {
  if (Object(options) !== options || 'url' in options)
    throw new InvalidConfigurationError('options', options, 'write { endpoint: "http://127.0.0.1:4318/v1/traces" }', 'an address that is no endpoint')
  checkGiven('otlpExporter', options, rules, { service: 'serviceName', apiKey: 'headers', interval: 'metrics: { interval }' })
  const stop = new AbortController()
  const transport = transportOf(options, stop.signal)
  const endpoint = addressOf(options.endpoint, 'endpoint')
  const provider = endpoint === undefined ? undefined : createProvider(endpoint, options, transport)
  const { meters, count } = metricsOf(options.metrics, endpoint, transport)
  const providers = [provider, meters].filter((one) => one !== undefined)
  const tracer: Tracer = provider?.getTracer('@precis/core') ?? trace.getTracer('@precis/core')
  const attached = new WeakSet<CompactionEvent>()
  /** Has something done to all that waits; given up after `shutdownTimeout`. */
  const inTime = async (send: (one: (typeof providers)[number]) => Promise<void>): Promise<void> => {
    notAtEnd(atItsEnd)
    const timer = setTimeout(() => stop.abort(), options.shutdownTimeout ?? 2_000)
    await Promise.allSettled(providers.map(send))
    clearTimeout(timer)
  }
  const atItsEnd = (): Promise<void> => inTime((one) => one.forceFlush())
  return {
    name: 'otlp',
    observe(events) {
      const active = provider === undefined ? trace.getActiveSpan() : undefined
      if (active?.isRecording() !== true) return
      for (const event of events) {
        addEvent(active, event)
        attached.add(event)
      }
    },
    export(events) {
      if (providers.length > 0) atEnd(atItsEnd)
      count?.(events)
      const own = events.filter((event) => !attached.has(event))
      for (const group of bySession(own)) for (const part of byCompaction(group)) addSpan(tracer, part)
    },
    ...(providers.length > 0 && {
      // A collector that is away is reported by OpenTelemetry's own diagnostics; it is no error of the agent's.
      async flush() {
        notAtEnd(atItsEnd)
        await Promise.allSettled(providers.map((one) => one.forceFlush()))
      },
      shutdown: () => inTime((one) => one.shutdown()),
    }),
  }
}

/** Texts by name. A `Headers` or a `Map` has none that anybody would see. */
function areHeaders(value: unknown): boolean {
  return (
    Object(value) === value &&
    !(Symbol.iterator in (value as object)) &&
    Object.values(value as object).every((one) => ['string', 'undefined'].includes(typeof one))
  )
}

function transportOf({ protocol = 'protobuf', headers = {}, timeout = 10_000, serviceName = 'precis' }: OtlpExporterOptions, stop: AbortSignal): Transport {
  // Without a name the SDK takes the path of the program, which is nobody's business.
  return { protocol, headers, timeout, stop, resource: resourceFromAttributes({ 'service.name': serviceName }) }
}

/** Where metrics go, and what counts them; without an endpoint, the meter that the host registered takes them. */
function metricsOf(metrics: OtlpExporterOptions['metrics'], endpoint: string | undefined, transport: Transport) {
  if (metrics === false) return {}
  const options = typeof metrics === 'object' ? metrics : {}
  checkGiven('metrics', options, metricsRules, {}, 'metrics.')
  const to = addressOf(options.endpoint, 'metrics.endpoint') ?? metricsBeside(endpoint)
  if (to === undefined && endpoint === undefined) return { count: createInstruments() }
  if (to === undefined && metrics !== undefined)
    throw new InvalidConfigurationError(
      'metrics',
      typeof metrics,
      'write metrics: { endpoint }, or false',
      'the path of endpoint does not say where metrics go',
    )
  if (to === undefined) return {}
  const meters = createMeterProvider(to, options, transport)
  return { meters, count: createInstruments(meters.getMeter('@precis/core')) }
}

function createProvider(endpoint: string, options: OtlpExporterOptions, { resource, ...transport }: Transport): TracerProvider {
  const { protocol, timeout } = transport
  const exporter = createSender(protocol === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer, { ...transport, signal: 'TRACES', url: endpoint })
  const queueSize = options.queueSize ?? 2_048
  const processor = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: options.batchDelay ?? 500,
    maxQueueSize: queueSize,
    maxExportBatchSize: Math.min(512, queueSize),
    exportTimeoutMillis: timeout,
  })
  return new TracerProvider({ resource, spanProcessors: [processor] })
}

/** A compaction's span goes back to its beginning, though its decision was told before. */
function addSpan(tracer: Tracer, group: readonly CompactionEvent[]): void {
  const [first, last] = [group[0] as CompactionEvent, group.at(-1) as CompactionEvent]
  const [begun, ended] = [Date.parse(first.ts), Date.parse(last.ts)]
  const compaction = last.event === 'compact.finished'
  const took = compaction ? Number(last.attributes['duration_ms'] ?? 0) : 0
  const span = tracer.startSpan(compaction ? spanNames.compaction : spanNames.events, {
    startTime: new Date(Math.min(begun, ended - took)),
    attributes: { 'gen_ai.conversation.id': first.session_id },
  })
  for (const event of group) addEvent(span, event)
  // That a host switched redaction off is no failure of this span.
  const failed = group.find(({ severity, event }) => severity === 'high' && event !== 'compact.redaction_disabled')
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR, message: failed.event })
  span.end(new Date(Math.max(begun, ended)))
}

/** Each piece ends with the end of a compaction, or is what was told after the last one. */
function byCompaction(group: readonly CompactionEvent[]): readonly (readonly CompactionEvent[])[] {
  const ends = group.flatMap(({ event }, at) => (event === 'compact.finished' ? [at + 1] : []))
  return [...ends, group.length].map((end, at) => group.slice(ends[at - 1] ?? 0, end)).filter((piece) => piece.length > 0)
}

function addEvent(span: Span, event: CompactionEvent): void {
  const attributes: Attributes = { 'gen_ai.conversation.id': event.session_id, 'precis.severity': event.severity }
  for (const [name, value] of Object.entries(event.attributes)) attributes[name === 'model' ? 'gen_ai.request.model' : `precis.${name}`] = value
  span.addEvent(event.event, attributes, new Date(event.ts))
}

function bySession(events: readonly CompactionEvent[]): Iterable<readonly CompactionEvent[]> {
  const groups = new Map<string, CompactionEvent[]>()
  for (const event of events) groups.set(event.session_id, [...(groups.get(event.session_id) ?? []), event])
  return groups.values()
}
