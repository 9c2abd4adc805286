import { type Attributes, type Span, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { CompactionEvent, Exporter } from '@precis/core'

/** Where events go, and how they are sent. */
export interface OtlpExporterOptions {
  /** Traces endpoint, such as http://127.0.0.1:4318/v1/traces. Absent: events go to the active span, or to a span of the tracer that the host registered. */
  readonly endpoint?: string
  /** Default `protobuf`. */
  readonly protocol?: 'json' | 'protobuf'
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for one request. Default 10,000. */
  readonly timeout?: number
  /** Milliseconds that spans may wait for others. Default 500. */
  readonly batchDelay?: number
  /** Spans that may wait; beyond that new ones are dropped. Default 2,048. */
  readonly queueSize?: number
  /** Default "precis". */
  readonly serviceName?: string
}

/** Name of the spans that we make ourselves. */
const spanName = 'precis.compaction'

/**
 * Events as OpenTelemetry span events. With an endpoint, in spans of our own, shipped by OTLP over HTTP; without one, on the span that is active where the
 * decision is made, or in a span of the host's tracer. Attributes: `gen_ai.conversation.id`, `gen_ai.request.model`, `precis.severity`, and the event's own
 * under `precis.`. Texts of messages are never among them.
 */
export function otlpExporter(options: OtlpExporterOptions = {}): Exporter {
  const provider = options.endpoint === undefined ? undefined : createProvider(options.endpoint, options)
  const tracer: Tracer = provider?.getTracer('@precis/core') ?? trace.getTracer('@precis/core')
  const attached = new WeakSet<CompactionEvent>()
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
      const own = events.filter((event) => !attached.has(event))
      for (const group of bySession(own)) {
        const [first, last] = [group[0] as CompactionEvent, group.at(-1) as CompactionEvent]
        const span = tracer.startSpan(spanName, { startTime: new Date(first.ts), attributes: { 'gen_ai.conversation.id': first.session_id } })
        for (const event of group) addEvent(span, event)
        span.end(new Date(Math.max(Date.parse(first.ts), Date.parse(last.ts))))
      }
    },
    ...(provider !== undefined && {
      // A collector that is away is reported by OpenTelemetry's own diagnostics; it is no error of the agent's.
      flush: () => provider.forceFlush().catch(() => {}),
      shutdown: () => provider.shutdown().catch(() => {}),
    }),
  }
}

function createProvider(endpoint: string, options: OtlpExporterOptions): TracerProvider {
  const transport = { url: endpoint, headers: { ...options.headers }, timeoutMillis: options.timeout ?? 10_000 }
  const exporter = options.protocol === 'json' ? new JsonExporter(transport) : new ProtobufExporter(transport)
  const queueSize = options.queueSize ?? 2_048
  const processor = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: options.batchDelay ?? 500,
    maxQueueSize: queueSize,
    maxExportBatchSize: Math.min(512, queueSize),
    exportTimeoutMillis: options.timeout ?? 10_000,
  })
  // Without a name the SDK takes the path of the program, which is nobody's business.
  return new TracerProvider({ resource: resourceFromAttributes({ 'service.name': options.serviceName ?? 'precis' }), spanProcessors: [processor] })
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
