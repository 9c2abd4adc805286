import { DiagLogLevel, diag, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, StackContextManager, TracerProvider } from '@opentelemetry/sdk-trace'
import { createCompactor, type Exporter, InvalidConfigurationError, type Message, neutralCodec } from '@precis/core'
import { otlpExporter } from '@precis/exporter-otlp'
import { exporterCases, generateHistory } from '@precis/testkit'
import { describe, expect, it, vi } from 'vitest'
import { receiver } from './receiver.ts'

const source = generateHistory(3, { turns: 20 })
const compactorFor = (exporter: Exporter) =>
  createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, exporters: [exporter] })

const finished = { event: 'compact.finished', ts: new Date(0).toISOString(), session_id: 's', severity: 'info', attributes: { duration_ms: 5 } } as const

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string
        readonly events: readonly { readonly name: string; readonly attributes: readonly { readonly key: string }[] }[]
      }[]
    }[]
  }[]
}

describe('otlp exporter', () => {
  it.each(exporterCases)('$name', async ({ run }) => {
    const { endpoint } = await receiver()
    await run(() => otlpExporter({ endpoint, batchDelay: 5 }))
  })
  it.each(exporterCases)('on the active span: $name', ({ run }) => run(() => otlpExporter()))
  it.each(exporterCases)('with nobody there: $name', ({ run }) =>
    run(() => otlpExporter({ endpoint: 'http://127.0.0.1:1/v1/traces', timeout: 50, batchDelay: 5 })),
  )
  it.each(['localhost:4318', '127.0.0.1:4318/v1/traces', '', 'http://', 'grpc://user:hunter2@collector:4317'])(
    'an endpoint to which nothing could be sent is refused, without its words: %j',
    (endpoint) => {
      expect(() => otlpExporter({ endpoint })).toThrow(InvalidConfigurationError)
      expect(() => otlpExporter({ endpoint })).toThrow(
        /^Invalid configuration: endpoint is no address of HTTP; write http:\/\/127\.0\.0\.1:4318\/v1\/traces, say\.$/,
      )
      expect(() => otlpExporter({ metrics: { endpoint } })).toThrow(/: metrics\.endpoint is no address of HTTP; write http.*\/v1\/metrics, say\.$/)
    },
  )
  it('ships spans with the events as JSON, soon after the decision', async () => {
    const { requests, endpoint } = await receiver()
    const compactor = compactorFor(otlpExporter({ endpoint, protocol: 'json', headers: { 'x-key': 'k' }, batchDelay: 20 }))
    await compactor.session('abc').beforeModelCall(source, { model: 'm-1' })
    const decided = Date.now()
    while (requests.length === 0 && Date.now() - decided < 2_000) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((requests[0]?.at ?? Infinity) - decided).toBeLessThan(200)
    const [first] = requests
    expect([first?.path, first?.type, first?.key]).toEqual(['/v1/traces', 'application/json', 'k'])
    const [resource] = (JSON.parse(String(first?.body)) as OtlpBody).resourceSpans
    expect(resource?.resource.attributes.find((attribute) => attribute.key === 'service.name')?.value.stringValue).toBe('precis')
    // A compaction gives others their turn, the exporter's timer too: what it says may come in more than one request.
    await compactor.shutdown()
    const spans = requests
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ body }) => (JSON.parse(String(body)) as OtlpBody).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    expect(spans.filter(({ name }) => name === 'precis.compaction')).toHaveLength(1)
    const events = spans.flatMap((span) => span.events)
    expect(events.map((event) => event.name)).toEqual(
      expect.arrayContaining(['compact.token_estimate', 'compact.trigger_decision', 'compact.summary_created', 'compact.finished']),
    )
    const decision = events.find((event) => event.name === 'compact.trigger_decision')
    expect(decision?.attributes.map((attribute) => attribute.key)).toEqual(
      expect.arrayContaining(['gen_ai.conversation.id', 'gen_ai.request.model', 'precis.severity', 'precis.t_est', 'precis.max', 'precis.action']),
    )
  })
  it('ships protobuf by default, and what waits on shutdown', async () => {
    const { requests, endpoint } = await receiver()
    const compactor = compactorFor(otlpExporter({ endpoint, batchDelay: 60_000 }))
    await compactor.session('abc').beforeModelCall(source)
    await compactor.shutdown()
    const spans = requests.find(({ path }) => path === '/v1/traces')
    expect(spans?.type).toBe('application/x-protobuf')
    expect(String(spans?.body)).toContain('compact.trigger_decision')
  })
  it('a refusal names the host, never the passwords and keys in its address', async () => {
    const { endpoint, requests } = await receiver([401, 401])
    const told: string[] = []
    const log = (...words: readonly unknown[]): void => void told.push(words.map(String).join(' '))
    diag.setLogger({ error: log, warn: log, info: log, debug: log, verbose: log }, { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true })
    const { setGlobalErrorHandler, loggingErrorHandler } = await import('@opentelemetry/core')
    setGlobalErrorHandler((error) => log(error instanceof Error ? `${error.message} ${error.stack}` : JSON.stringify(error)))
    try {
      const url = new URL(endpoint)
      const compactor = compactorFor(otlpExporter({ endpoint: `http://bob:Summer2024x@${url.host}/v1/traces?api-key=k9Jq`, batchDelay: 5 }))
      await compactor.session('s').beforeModelCall(source)
      await compactor.shutdown()
      expect(requests.length).toBeGreaterThan(0)
      expect(told.join('\n')).toContain(`The collector at ${url.host} answered 401.`)
      expect(told.join('\n')).not.toMatch(/Summer2024x|k9Jq|bob/)
    } finally {
      diag.disable()
      setGlobalErrorHandler(loggingErrorHandler())
    }
  })
  it.each([['http://127.0.0.1:4318/v1/traces'], [{ url: 'http://127.0.0.1:4318/v1/traces' }], [null]])(
    '%o is no endpoint, and nothing would be sent',
    (options) => {
      expect(() => otlpExporter(options as never)).toThrow(InvalidConfigurationError)
      expect(() => otlpExporter(options as never)).toThrow('write { endpoint: "http://127.0.0.1:4318/v1/traces" }')
    },
  )
  it.each([
    ['a text', (base: string) => base],
    ['a text with a slash', (base: string) => `${base}/`],
    ['a URL', (base: string) => new URL(base)],
    ['the traces endpoint', (base: string) => `${base}/v1/traces`],
  ])('a collector without a path gets each signal at its own: %s', async (_, endpointOf) => {
    const { requests, endpoint } = await receiver()
    const exporter = otlpExporter({ endpoint: endpointOf(new URL(endpoint).origin), batchDelay: 5 })
    await exporter.export([finished])
    await exporter.shutdown?.()
    expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces', '/v1/metrics']))
  })
  it.each(['/otlp', '/otlp/', '/otlp/v1/traces', '/api/public/otel'])('a gateway gets each signal below its path: %s', async (path) => {
    const { requests, endpoint } = await receiver()
    const exporter = otlpExporter({ endpoint: endpoint.replace('/v1/traces', path), batchDelay: 5 })
    await exporter.export([finished])
    await exporter.shutdown?.()
    const base = path.replace(/\/(?:v1\/traces)?$/, '')
    expect(new Set(requests.map((request) => request.path))).toEqual(new Set([`${base}/v1/traces`, `${base}/v1/metrics`]))
  })
  it.each([true, {}, { interval: 60_000 }])('metrics %j for which there is no place are refused', (metrics) => {
    expect(() => otlpExporter({ endpoint: 'http://127.0.0.1:1/ingest', metrics })).toThrow(
      'the path of endpoint does not say where metrics go; write metrics: { endpoint }, or false',
    )
  })
  it.each([
    [404, 'Correct the path of `endpoint`'],
    [401, 'Correct `headers`'],
  ])('a collector that answers %i is told of once, with what to correct', async (status, remedy) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { requests, endpoint } = await receiver(Array.from({ length: 9 }, () => status))
    const exporter = otlpExporter({ endpoint: endpoint.replace('/v1/traces', '/collect?key=k9Jq'), batchDelay: 1, metrics: false })
    for (let batch = 0; batch < 3; batch++) {
      await exporter.export([finished])
      await exporter.flush?.()
    }
    await exporter.shutdown?.()
    const said = warn.mock.calls.flat().join('\n')
    warn.mockRestore()
    expect(requests.length).toBeGreaterThan(1)
    expect(said).toMatch(/^\[precis\] The collector at 127\.0\.0\.1:\d+ answered \d+, and no traces are kept there\. [^\n]*$/)
    expect(said).toContain(`answered ${status}`)
    expect(said).toContain(remedy)
    expect(said).not.toContain('k9Jq')
  })
  it.each([
    [{ protocol: 'grpc' }, 'protocol is "grpc"; write "protobuf" or "json": both over HTTP'],
    [{ protocol: 'http/json' }, 'protocol is "http/json"; write "protobuf" or "json"'],
    [{ headers: 'authorization=Bearer x9' }, 'headers is a text; write { authorization: "Bearer …" }, each value a text'],
    [{ headers: [['authorization', 'x9']] }, 'headers is an object of the class Array; write { authorization'],
    [{ headers: new Headers({ authorization: 'x9' }) }, 'headers is an object of the class Headers; write { authorization'],
    [{ headers: { authorization: 9 } }, 'headers is an object with authorization; write { authorization'],
    [{ timeout: '5s' }, 'timeout is "5s"; expected milliseconds: 10_000 for 10 seconds'],
    [{ timeout: Number.NaN }, 'timeout is NaN; expected milliseconds'],
    [{ shutdownTimeout: 'x' }, 'shutdownTimeout is "x"; expected milliseconds'],
    [{ batchDelay: -5 }, 'batchDelay is -5; expected milliseconds'],
    [{ queueSize: 0 }, 'queueSize is 0; expected how many spans may wait, 1 or more'],
    [{ serviceName: 3 }, 'serviceName is 3; expected a name'],
    [{ metrics: 'no' }, 'metrics is "no"; write true, false or { endpoint, interval }'],
    [{ metrics: { interval: '60s' } }, 'metrics.interval is "60s"; expected milliseconds'],
    [{ metrics: { endpont: 'http://127.0.0.1:1' } }, 'unknown option "endpont" of metrics; write endpoint'],
    [{ header: {} }, 'unknown option "header" of otlpExporter; write headers'],
    [{ service: 'x' }, 'unknown option "service" of otlpExporter; write serviceName'],
  ])('%o is refused, with what to write', (options, words) => {
    const make = () => otlpExporter({ endpoint: 'http://127.0.0.1:1', ...options } as never)
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(words)
    expect(make).not.toThrow('x9')
  })
  it('an option that is undefined has its default', async () => {
    const { requests, endpoint } = await receiver()
    const exporter = otlpExporter({
      endpoint,
      headers: { 'x-key': undefined },
      timeout: undefined,
      batchDelay: undefined,
      queueSize: undefined,
      metrics: { interval: undefined },
    } as never)
    await exporter.export([finished])
    await exporter.shutdown?.()
    expect(requests.map(({ path }) => path).sort()).toEqual(['/v1/metrics', '/v1/traces'])
  })
  it('a receiver that is away disturbs nobody', async () => {
    const compactor = compactorFor(otlpExporter({ endpoint: 'http://127.0.0.1:9/v1/traces', timeout: 100, batchDelay: 5 }))
    const { report } = await compactor.session('s').beforeModelCall(source)
    expect(report.outcome).not.toBe('unchanged')
    await compactor.shutdown()
  })
  it('without an endpoint, events go to the span that is active where the decision is made', async () => {
    const memory = new InMemorySpanExporter()
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] })
    trace.setGlobalTracerProvider(provider)
    const { context } = await import('@opentelemetry/api')
    context.setGlobalContextManager(new StackContextManager().enable())
    const exporter = otlpExporter()
    const event = { event: 'compact.trigger_decision', ts: new Date().toISOString(), session_id: 's', severity: 'info', attributes: { used: 1 } } as const
    const span = provider.getTracer('test').startSpan('agent step')
    context.with(trace.setSpan(context.active(), span), () => exporter.observe?.([event]))
    await exporter.export([event])
    span.end()
    // Outside of any span it makes one of its own.
    const alone = { ...event, session_id: 'alone' }
    exporter.observe?.([alone])
    await exporter.export([alone])
    expect(memory.getFinishedSpans().map((one) => [one.name, one.events.map((inner) => inner.name)])).toEqual([
      ['agent step', ['compact.trigger_decision']],
      ['precis.events', ['compact.trigger_decision']],
    ])
  })
})
