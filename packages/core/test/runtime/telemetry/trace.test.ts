import { fakeClock, fakeSummarizer, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { type CompactionTrace, createCompactor, InvalidConfigurationError, neutralCodec, openTelemetryTrace } from '../../../src/index.ts'

const long = history(
  user('go'),
  ...Array.from({ length: 30 }, (_, at) => step('read', `c${at}`, { path: `f${at}` }, `line ${at} `.repeat(200))),
  user('and now?'),
)
const limits = { contextWindow: 8_000, maxOutput: 500 }
const compactorWith = (trace: CompactionTrace) => createCompactor({ codec: neutralCodec, limits, clock: fakeClock(), summarizer: fakeSummarizer(), trace })

/** A tracer that remembers; `active` is what a real one keeps in its context. */
function recorder() {
  const spans: { name: string; attributes: Record<string, unknown>; ended: boolean; status?: number }[] = []
  return {
    spans,
    startActiveSpan<T>(name: string, { attributes }: { readonly attributes: object }, work: (span: never) => T): T {
      const span = { name, attributes: { ...attributes } as Record<string, unknown>, ended: false, status: 0 }
      spans.push(span)
      return work({
        setAttributes: (more: object) => Object.assign(span.attributes, more),
        setStatus: ({ code }: { code: number }) => {
          span.status = code
        },
        end: () => {
          span.ended = true
        },
      } as never)
    },
  }
}

describe('a trace around compactions', () => {
  it.each([{}, { getTracer: () => recorder() }, undefined, null, 'precis'])('needs a tracer: %j is refused', (given) => {
    expect(() => openTelemetryTrace(given as never)).toThrow(InvalidConfigurationError)
    expect(() => openTelemetryTrace(given as never)).toThrow(/tracer is .*; write trace\.getTracer\("precis"\)/)
  })
  it('is opened for work only, says before and after, and holds no text', async () => {
    const tracer = recorder()
    const compactor = compactorWith(openTelemetryTrace(tracer))
    const session = compactor.session('s')
    await session.beforeModelCall(history(user('hi')))
    expect(tracer.spans).toEqual([])
    const { messages, report } = await session.beforeModelCall(long)
    await session.beforeModelCall(long)
    expect(tracer.spans).toEqual([
      {
        name: 'compaction',
        ended: true,
        status: 0,
        attributes: {
          'compaction.trigger': 'hard',
          'compaction.action': report.plan.decision.action,
          'compaction.tokens_before': report.tokens.before,
          'compaction.tokens_after': report.tokens.after,
          'compaction.messages_before': long.length,
          'compaction.messages_after': messages.length,
          'compaction.pruned_outputs': report.plan.edits.length,
          'compaction.outcome': 'summarized',
          'compaction.summary_prompt': report.spent.prompt,
          'compaction.summary_reply': report.spent.reply,
        },
      },
    ])
  })
  it('an abort marks the span and goes to the caller', async () => {
    const tracer = recorder()
    const controller = new AbortController()
    const summarizer = { name: 'slow', window: 100_000, summarize: () => new Promise<never>(() => controller.abort(new Error('stopped'))) }
    const compactor = createCompactor({ codec: neutralCodec, limits, summarizer, trace: openTelemetryTrace(tracer) })
    await expect(compactor.session('s').beforeModelCall(long, { signal: controller.signal })).rejects.toThrow('stopped')
    expect(tracer.spans.map(({ ended, status }) => [ended, status])).toEqual([[true, 2]])
  })
  const broken: Readonly<Record<string, CompactionTrace>> = {
    'throws before': async () => Promise.reject(new Error('no trace')),
    'throws at once': () => {
      throw new Error('no trace')
    },
    'throws after': async (_, work) => {
      await work(() => {})
      throw new Error('export failed')
    },
    'takes no attributes': (_, work) =>
      work(() => {
        throw new Error('attributes?')
      }),
    'hands on nothing': (async (_: unknown, work: (done: () => void) => Promise<unknown>) => void (await work(() => {}))) as never,
    'asks twice': async (_, work) => {
      await work(() => {})
      return work(() => {})
    },
  }
  it.each(Object.keys(broken))('one that %s disturbs nothing', async (name) => {
    const summarizer = fakeSummarizer()
    const compactor = createCompactor({ codec: neutralCodec, limits, summarizer, trace: broken[name] as CompactionTrace })
    const { report } = await compactor.session('s').beforeModelCall(long)
    expect(report.outcome).toBe('summarized')
    expect(summarizer.requests).toHaveLength(1)
  })
})
