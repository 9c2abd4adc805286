import { createCompactor, InsufficientBudgetError, neutralCodec } from '@precis/core'
import { fakeSummarizer, generateHistory } from '@precis/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const seed = Number(process.env['PRECIS_SEED'] ?? 20_261_122)
const numRuns = Number(process.env['PRECIS_POLICIES'] ?? 150)

/** One call: the window of its model, and how many messages have come since the last. */
const call = fc.record({ window: fc.constantFrom(2_000, 3_000, 6_000, 16_000, 40_000, 120_000), more: fc.integer({ min: 0, max: 8 }) })

it('models of any windows in any order: each call fits its own, and sees all that fits where nothing was left out for one like it', async () => {
  const seen = { whole: 0, compacted: 0, again: 0 }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1e9 }), fc.array(call, { minLength: 4, maxLength: 14 }), async (history, calls) => {
      const source = generateHistory(history, { turns: 14, output: 2_500 })
      const limits = (model: string) => ({ contextWindow: Number(model), maxOutput: 400 })
      const session = createCompactor({ codec: neutralCodec, limits, summarizer: fakeSummarizer() }).session('s')
      let length = 6
      for (const { window, more } of calls) {
        length = Math.min(source.length, length + more)
        const messages = source.slice(0, length)
        const before = session.state().checkpoints
        const made = await session.beforeModelCall(messages, { model: `${window}` }).catch((error: unknown) => {
          if (!InsufficientBudgetError.isInstance(error)) throw error
        })
        if (made === undefined) continue
        const { tokens, outcome, checkpoint } = made.report
        const budget = tokens.budget as number
        expect(tokens.after).toBeLessThanOrEqual(budget)
        const used = session.state().checkpoints.find(({ id }) => id === checkpoint)
        // Nothing made for less than half of it, unless nothing else would fit.
        if (used?.usable !== undefined && used.usable * 2 < budget) expect(before.some(({ id }) => id === checkpoint)).toBe(true)
        if (checkpoint === undefined) seen.whole++
        if (outcome === 'summarized') seen.compacted++
        if (checkpoint === undefined && before.length > 0) {
          seen.again++
          expect(made.messages).toEqual(messages)
        }
      }
    }),
    { seed, numRuns },
  )
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20)
})
