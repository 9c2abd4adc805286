import { fakeSummarizer } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { sessionWith } from '../../../systems/setup.ts'
import { balanced, full } from './setup.ts'

describe('a change to a smaller model', () => {
  it('plans against the next window and lets the current model write the summary', async () => {
    const sizes: Record<string, { contextWindow: number; maxOutput: number }> = {
      large: { contextWindow: 200_000, maxOutput: 2_000 },
      small: { contextWindow: 10_000, maxOutput: 2_000 },
    }
    const summarizer = fakeSummarizer()
    const windowless = { name: 'session-model', summarize: summarizer.summarize }
    const session = sessionWith(balanced, { limits: (model) => sizes[model], summarizer: windowless })
    expect((await session.beforeModelCall(full, { model: 'large' })).report.outcome).toBe('unchanged')
    const { report } = await session.beforeModelCall(full, { model: 'large', nextModel: 'small' })
    expect(report.plan.decision.reason).toBe('downshift')
    expect(report.tokens.after).toBeLessThanOrEqual(8_000)
    // One request: it fits the large window, which is still in use.
    expect(summarizer.requests).toHaveLength(1)
    expect((await session.beforeModelCall(full, { model: 'small' })).report.outcome).toBe('projected')
  })
})
