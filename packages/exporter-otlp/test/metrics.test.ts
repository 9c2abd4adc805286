import { createCompactor, type Exporter, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { type OtlpExporterOptions, otlpExporter } from '@precis/exporter-otlp'
import { fakeSummarizer, generateHistory } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { receiver } from './receiver.ts'

const source = generateHistory(3, { turns: 20 })
const compactorFor = (exporter: Exporter) =>
  createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, exporters: [exporter], summarizer: fakeSummarizer() })

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
  readonly sum?: number
  readonly count?: number | string
  readonly asDouble?: number
  readonly asInt?: number | string
}
interface Metric {
  readonly name: string
  readonly unit: string
  readonly histogram?: { readonly dataPoints: readonly Point[] }
  readonly sum?: { readonly dataPoints: readonly Point[] }
}
interface MetricsBody {
  readonly resourceMetrics: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[] }[]
}

/** One compaction, and the reply after it; what came of it at the receiver, when all was sent. */
async function sent(options: OtlpExporterOptions = {}, path = '/v1/traces') {
  const { requests, endpoint } = await receiver()
  const compactor = compactorFor(otlpExporter({ endpoint: endpoint.replace('/v1/traces', path), protocol: 'json', batchDelay: 5, ...options }))
  const session = compactor.session('person@example.com')
  const { report } = await session.beforeModelCall(source, { model: 'm-1' })
  session.afterModelCall({ usage: { input: 400, cacheRead: 1_200, cacheWrite: 0, output: 50 } })
  await session.beforeModelCall(source, { model: 'm-1' })
  await compactor.shutdown()
  return { requests, report, metrics: requests.filter((request) => request.path === '/v1/metrics') }
}
const read = (body: Buffer): readonly Metric[] =>
  (JSON.parse(String(body)) as MetricsBody).resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))

describe('metrics over OTLP', () => {
  it('one compaction: tokens, ratio, duration, outcome, cache-hit share, continuation, with units', async () => {
    const { metrics, report } = await sent({ headers: { 'x-key': 'k' } })
    expect(metrics.at(-1)).toMatchObject({ type: 'application/json', key: 'k' })
    const all = read(metrics.at(-1)?.body ?? Buffer.from('{}'))
    const point = (name: string): Point | undefined => {
      const metric = all.find((one) => one.name === name)
      return (metric?.histogram ?? metric?.sum)?.dataPoints[0]
    }
    expect(Object.fromEntries(all.map(({ name, unit }) => [name, unit]))).toEqual({
      'precis.compaction.count': '{compaction}',
      'precis.compaction.continued': '{compaction}',
      'precis.compaction.tokens.before': '{token}',
      'precis.compaction.tokens.after': '{token}',
      'precis.compaction.ratio': '1',
      'precis.compaction.compression': '1',
      'precis.compaction.duration': 's',
      'precis.cache.hit_ratio': '1',
      'precis.summary.tokens': '{token}',
    })
    const { before, after } = report.tokens
    expect(point('precis.compaction.tokens.before')).toMatchObject({ sum: before })
    expect(point('precis.compaction.tokens.after')).toMatchObject({ sum: after })
    expect(point('precis.compaction.ratio')?.sum).toBeCloseTo(after / before)
    expect(point('precis.compaction.duration')?.sum).toBeCloseTo(report.duration / 1_000)
    expect(point('precis.cache.hit_ratio')?.sum).toBeCloseTo(0.75)
    expect(Number(point('precis.compaction.count')?.asDouble ?? point('precis.compaction.count')?.asInt)).toBe(1)
    const tokens = all.find(({ name }) => name === 'precis.summary.tokens')?.sum?.dataPoints.map(({ asDouble, asInt }) => Number(asDouble ?? asInt))
    expect(tokens).toEqual([report.spent.prompt, report.spent.reply])
    expect(Number(point('precis.compaction.continued')?.asDouble ?? point('precis.compaction.continued')?.asInt)).toBe(1)
    expect(point('precis.compaction.count')?.attributes).toEqual([
      { key: 'precis.outcome', value: { stringValue: 'summarized' } },
      { key: 'precis.strategy', value: { stringValue: 'structured' } },
    ])
  })
  it('what somebody should look at is counted by its name, and marks the span as failed where a fault of ours is in it', async () => {
    const { requests, endpoint } = await receiver()
    const boom = () => Promise.reject(new Error('503 Slow Down'))
    const exporters = [otlpExporter({ endpoint, protocol: 'json', batchDelay: 5 })]
    const broken = { ...memoryStorage(), get: boom, put: boom }
    const limits = { contextWindow: 8_000, maxOutput: 1_000 }
    const onReport = () => {
      throw new TypeError('of the host')
    }
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, storage: broken, exporters, onReport })
    await compactor.session('s').beforeModelCall(source)
    await compactor.shutdown()
    const bodies = (path: string) => requests.filter((request) => request.path === path).map(({ body }) => String(body))
    const counted = read(Buffer.from(bodies('/v1/metrics').at(-1) ?? '')).find(({ name }) => name === 'precis.warnings')?.sum?.dataPoints ?? []
    const names = counted.map(({ attributes }) => attributes.map(({ key, value }) => `${key}=${value.stringValue}`).join())
    expect(names).toContain('precis.event=compact.checkpoint_rejected')
    expect(names).toContain('precis.event=compact.fault')
    expect(bodies('/v1/traces').join()).toContain('"status":{"code":2,"message":"compact.fault"}')
  })
  it('but not where a host switched redaction off', async () => {
    const { requests, endpoint } = await receiver()
    const exporters = [otlpExporter({ endpoint, protocol: 'json', batchDelay: 5 })]
    const limits = { contextWindow: 8_000, maxOutput: 1_000 }
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, exporters, redact: false })
    await compactor.session('s').beforeModelCall(source)
    await compactor.shutdown()
    const traces = requests.filter(({ path }) => path === '/v1/traces').map(({ body }) => String(body))
    expect(traces.join()).toContain('compact.redaction_disabled')
    expect(traces.join()).not.toContain('"code":2')
  })
  it('nobody is named in them: no session, no text', async () => {
    const { metrics } = await sent()
    expect(String(metrics.at(-1)?.body)).toContain('precis.compaction.count')
    for (const { body } of metrics) expect(String(body)).not.toMatch(/person|example\.com|session|module/)
  })
  it('as protobuf by default', async () => {
    const { metrics } = await sent({ protocol: 'protobuf' })
    expect(metrics.at(-1)?.type).toBe('application/x-protobuf')
    expect(String(metrics.at(-1)?.body)).toContain('precis.compaction.duration')
  })
  it('off by an option; a path that says nothing of metrics gets none, unless told where', async () => {
    expect((await sent({ metrics: false })).metrics).toEqual([])
    expect((await sent({}, '/ingest')).requests.map(({ path }) => path)).not.toContain('/v1/metrics')
    const { requests, endpoint } = await receiver()
    const compactor = compactorFor(otlpExporter({ endpoint, metrics: { endpoint: endpoint.replace('/v1/traces', '/own'), interval: 20 } }))
    await compactor.session('s').beforeModelCall(source)
    for (let tries = 0; tries < 400 && !requests.some(({ path }) => path === '/own'); tries++) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(requests.map(({ path }) => path)).toContain('/own') // by the interval, before anybody shuts down
    await compactor.shutdown()
  })
  it('a receiver that is overloaded is asked again, as with spans', async () => {
    const { requests, endpoint } = await receiver([503, 503]) // spans and metrics
    const compactor = compactorFor(otlpExporter({ endpoint: endpoint.replace('/v1/traces', '/nowhere'), metrics: { endpoint } }))
    await compactor.session('s').beforeModelCall(source)
    await compactor.shutdown()
    expect(requests.filter(({ path }) => path === '/v1/traces').length).toBeGreaterThan(1)
  })
  it('without an endpoint, the meter that the host registered takes them', async () => {
    const { metrics } = await import('@opentelemetry/api')
    const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } = await import('@opentelemetry/sdk-metrics')
    const memory = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: memory })] })
    metrics.setGlobalMeterProvider(provider)
    const compactor = compactorFor(otlpExporter())
    await compactor.session('s').beforeModelCall(source)
    await compactor.shutdown()
    await provider.forceFlush()
    const names = memory.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name)))
    expect(names).toContain('precis.compaction.duration')
    metrics.disable()
  })
})

describe('one span per compaction', () => {
  it('however many pieces its events come in, over two compactions', async () => {
    const { requests, endpoint } = await receiver()
    const compactor = compactorFor(otlpExporter({ endpoint, protocol: 'json', batchDelay: 5, metrics: false }))
    const first = await compactor.session('a').beforeModelCall(source)
    const second = await compactor.session('a').compact(generateHistory(3, { turns: 40 }))
    await compactor.shutdown()
    const names = requests.flatMap(({ body }) => [...String(body).matchAll(/"name":"(precis\.[a-z]+)"/g)].map(([, name]) => name))
    expect([first.report.outcome, second.report.outcome]).not.toContain('unchanged')
    expect(names.filter((name) => name === 'precis.compaction')).toHaveLength(2)
  })
})
