import { readFileSync, statSync } from 'node:fs'
import { createCompactor, neutralCodec } from '@precis/core'
import { otlpExporter } from '@precis/exporter-otlp'
import { fakeClock, generateHistory } from '@precis/testkit'
import { describe, expect, inject, it } from 'vitest'

interface Line {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly events?: readonly {
          readonly name: string
          readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
        }[]
      }[]
    }[]
  }[]
}

/** What the collector has written so far, by the session that it belongs to. */
function eventsOf(file: string, session: string) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
  const events = lines.flatMap((line) =>
    line.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans.flatMap((span) => span.events ?? []))),
  )
  return events.filter((event) => event.attributes.some((attribute) => attribute.key === 'gen_ai.conversation.id' && attribute.value.stringValue === session))
}
const source = generateHistory(3, { turns: 20 })

describe.each(['json', 'protobuf'] as const)('an OpenTelemetry Collector, by OTLP over HTTP as %s', (protocol) => {
  it('receives the trigger decision and all that follows, soon after it is made', async () => {
    const { endpoint, file, metrics } = inject('collector')
    const session = `session-${protocol}`
    const exporter = otlpExporter({ endpoint, protocol, batchDelay: 20, serviceName: session })
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, exporters: [exporter] })
    await compactor.session('warm-up').beforeModelCall(source)
    await compactor.flush()
    await compactor.session(session).beforeModelCall(source, { model: 'm-1' })
    const decided = Date.now()
    const seen = (): boolean =>
      statSync(file, { throwIfNoEntry: false }) !== undefined && eventsOf(file, session).some((event) => event.name === 'compact.trigger_decision')
    while (!seen() && Date.now() - decided < 10_000) await new Promise((resolve) => setTimeout(resolve, 5))
    const delay = Date.now() - decided
    console.log(`${protocol}: in the collector's file ${delay} ms after the call was answered`)
    expect(seen()).toBe(true)
    await compactor.shutdown()
    await new Promise((resolve) => setTimeout(resolve, 100))
    const names = new Set(eventsOf(file, session).map((event) => event.name))
    for (const name of [
      'compact.token_estimate',
      'compact.trigger_decision',
      'compact.policy_applied',
      'compact.summary_created',
      'compact.checkpoint_committed',
      'compact.finished',
    ])
      expect(names).toContain(name)
    const counted = readFileSync(metrics, 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"${session}"`))
      .join('\n')
    for (const name of ['count', 'duration', 'ratio', 'tokens.before', 'tokens.after']) expect(counted).toContain(`"precis.compaction.${name}"`)
    expect(readFileSync(file, 'utf8') + counted).not.toContain('module')
  })
})

it('a collector that is away costs the agent nothing', async () => {
  const exporter = otlpExporter({ endpoint: 'http://127.0.0.1:1/v1/traces', timeout: 200, batchDelay: 10 })
  const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, exporters: [exporter], clock: fakeClock() })
  expect((await compactor.session('s').beforeModelCall(source)).report.outcome).toBe('summarized')
  await compactor.shutdown()
})
