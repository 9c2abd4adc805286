import { mergePolicy } from '@precis/core'
import { fakeSummarizer, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { fileText, sessionWith } from '../../../systems/setup.ts'
import { balanced, full, limits } from './setup.ts'

describe('costs', () => {
  const prices = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 }
  it('the report says what a rewrite costs and saves', async () => {
    const session = sessionWith(mergePolicy(balanced, { cost: { prices } }), { limits, summarizer: fakeSummarizer() })
    await session.beforeModelCall(full.slice(0, 6))
    const { report } = await session.beforeModelCall(full)
    expect(report.cost?.without).toBeGreaterThan(0)
    expect(report.cost?.summary).toBeGreaterThan(0)
    expect(report.cost?.with).toBeGreaterThan(report.cost?.without ?? 0) // a warm prefix is lost
    expect(report.cost?.paysBackAfter).toBeGreaterThan(0)
  })
  it('a warm prefix is not rewritten for a small gain; a cold one is', async () => {
    const prune = { maintain: ['aged' as const], age: { protect: { tokens: 1_000 }, minimum: { tokens: 0 }, steps: 1, userTurns: 0 } }
    const source = history(
      user('go'),
      ...Array.from({ length: 4 }, (_, at) => step('read', `r${at}`, { path: `${at}` }, fileText(`f${at}`, 40))).flat(),
      user('on'),
    )
    const run = async (payback: number, pause: number) => {
      let now = 0
      const clock = { now: () => (now += 1), id: () => `id-${now}` }
      const policy = mergePolicy(balanced, { prune, cost: { prices, payback, warmGain: 0, cacheTtl: 1_000 } })
      const session = sessionWith(policy, { limits: { contextWindow: 200_000 }, clock })
      await session.beforeModelCall(source.slice(0, 1))
      now += pause
      return (await session.beforeModelCall(source)).report.plan.edits.length
    }
    expect(await run(1, 0)).toBe(0)
    expect(await run(1_000, 0)).toBeGreaterThan(0)
    expect(await run(1, 10_000)).toBeGreaterThan(0)
  })
})
