import { Agent, getCurrentTrace, run, setTraceProcessors, setTracingDisabled, withCustomSpan, withTrace } from '@openai/agents'
import { beforeEach, describe, expect, it } from 'vitest'
import { agentsTrace, withCompaction } from '../../src/index.ts'
import { limits, scripted, steps, user } from './setup.ts'

beforeEach(() => setTracingDisabled(true))

describe('tracing', () => {
  it('outside of a trace, where the SDK would throw, the work is done without a span', async () => {
    const { model, inputs } = scripted('ok')
    const wrapped = withCompaction(model, { limits, trace: agentsTrace({ getCurrentTrace, withCustomSpan }) })
    await wrapped.getResponse({ input: [user('go'), ...steps(20), user('on')], modelSettings: {}, tools: [], handoffs: [], outputType: 'text' } as never)
    expect(inputs()[0]?.length).toBeLessThan(62)
  })
  it('inside of one, a custom span with counts and no words', async () => {
    setTracingDisabled(false)
    const spans: { type: string; data: Record<string, unknown>; parent: string | null }[] = []
    setTraceProcessors([
      {
        onTraceStart: async () => {},
        onTraceEnd: async () => {},
        onSpanStart: async () => {},
        onSpanEnd: async (span: { spanData: { type: string; data?: Record<string, unknown> }; parentId: string | null }) =>
          void spans.push({ type: span.spanData.type, data: span.spanData.data ?? {}, parent: span.parentId }),
        shutdown: async () => {},
        forceFlush: async () => {},
      } as never,
    ])
    const { model } = scripted('ok')
    const wrapped = withCompaction(model, { limits, trace: agentsTrace({ getCurrentTrace, withCustomSpan }) })
    await withTrace('test', () => run(new Agent({ name: 'A', model: wrapped }), [user('the secret goal'), ...steps(20), user('on')] as never))
    const own = spans.filter((span) => span.type === 'custom' && 'trigger' in span.data)
    expect(own).toHaveLength(1)
    expect(own[0]?.data).toMatchObject({ trigger: 'hard', outcome: 'summarized' })
    expect(own[0]?.parent).not.toBeNull()
    expect(JSON.stringify(own)).not.toContain('secret')
  })
})
