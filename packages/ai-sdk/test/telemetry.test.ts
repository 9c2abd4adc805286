import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { openTelemetryTrace, type Summarizer } from '@precis/core'
import { recallModel } from '@precis/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCompaction } from '../src/index.ts'
import { providers, sdkOf } from './majors.ts'
import { firstRequest, scenario } from './scenario.ts'

const open = providers()
afterEach(open.close)
const spans = new InMemorySpanExporter()
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] })
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
beforeEach(() => spans.reset())
afterAll(() => context.disable())

/** A summarizer that is traced like any model call. */
const summarizer: Summarizer = {
  name: 'traced',
  window: 100_000,
  summarize: async ({ requiredSections }) =>
    provider.getTracer('model').startActiveSpan('summary call', (span) => {
      span.end()
      return { text: requiredSections.map((section) => `## ${section}\n- as it was`).join('\n') || 'The work so far.', finish: 'stop' as const }
    }),
}

describe('a span around the work', () => {
  it.each(['AI SDK 6', 'AI SDK 7'])(
    '%s: hangs under the agent’s span or the application’s own, holds the summarizer’s, and says no word of the conversation',
    async (name) => {
      const { generateText, modelAt, tools, stopWhen } = await sdkOf(name)
      const strict = await open.start({ window: 12_000, model: recallModel(scenario), maxOutput: 500 })
      const tracer = provider.getTracer('precis')
      const compaction = createCompaction({ limits: { contextWindow: 12_000, maxOutput: 500 }, summarizer, trace: openTelemetryTrace(tracer) })
      const run = await provider.getTracer('app').startActiveSpan('request', async (span) => {
        const result = await generateText({
          model: modelAt('openai', strict.url),
          tools,
          prompt: firstRequest,
          prepareStep: compaction.prepareStep({ tools }),
          stopWhen,
          maxOutputTokens: 500,
          experimental_telemetry: { isEnabled: true, tracer: provider.getTracer('ai') },
        })
        span.end()
        return result
      })
      expect(run.text).toBe(scenario.final)
      const all = spans.getFinishedSpans()
      const parentOf = (span: ReadableSpan): string | undefined => all.find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId)?.name
      const own = all.filter((span) => span.name === 'compaction')
      expect(own.length).toBeGreaterThan(2)
      expect(new Set(own.map(parentOf))).toEqual(new Set([name === 'AI SDK 6' ? 'ai.generateText' : 'request']))
      expect(new Set(all.filter((span) => span.name === 'summary call').map(parentOf))).toEqual(new Set(['compaction']))
      expect(own[0]?.attributes).toMatchObject({ 'compaction.trigger': 'hard', 'compaction.outcome': 'summarized' })
      expect(JSON.stringify(own.map((span) => span.attributes))).not.toMatch(/PRE-205|module-/)
      expect(trace.getActiveSpan()).toBeUndefined()
    },
  )
})
