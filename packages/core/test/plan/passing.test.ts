import { assistant, call, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { createCompactor, type Message, neutralCodec } from '../../src/index.ts'
import { decideTrigger } from '../../src/plan/trigger.ts'
import { balanced } from '../../src/policy/presets/balanced.ts'

const lines = (at: number): string => Array.from({ length: 40 }, (_, line) => `row ${at * 100 + line}: value ${at * 7919 + line}`).join('\n')
const history = (turns: number): readonly Message[] =>
  Array.from({ length: turns }, (_, at) => [
    user(`Read part ${at}.`),
    call('read', `c${at}`, { at }),
    result(`c${at}`, lines(at)),
    assistant(`Part ${at}.`),
  ]).flat()

/** What one call comes to beside 3,000 tokens of look-ups, of which so many go with a compaction. */
const prepared = (turns: number, passing: number | undefined) =>
  createCompactor({ codec: neutralCodec, limits: { contextWindow: 12_000, maxOutput: 500 } })
    .session('s')
    .beforeModelCall([...history(turns), user('And now?')], { overhead: { memory: 3_000, ...(passing !== undefined && { passing }) } })

describe('what goes with the next compaction', () => {
  it('counts for the trigger', async () => {
    const [stays, goes] = [await prepared(20, undefined), await prepared(20, 3_000)]
    expect([stays.report.outcome, goes.report.outcome]).toEqual(['summarized', 'summarized'])
    expect((await prepared(16, 3_000)).report.outcome).toBe('unchanged')
  })
  it('needs no room behind it: more of the history stays, and the request is as large as it was meant to be', async () => {
    const [stays, goes] = [(await prepared(20, undefined)).report, (await prepared(20, 3_000)).report]
    expect([goes.regions.before.memory, goes.regions.after.memory, stays.regions.after.memory]).toEqual([3_000, 0, 3_000])
    expect(goes.tokens.after).toBeLessThanOrEqual(stays.tokens.after + 100)
    expect(goes.tokens.after).toBeGreaterThan(stays.tokens.after - 1_000)
  })
  it.each([1, 2, 4, 6, 8, 12, 16, 24])('never ends a call that would have gone on: %i turns', async (turns) => {
    const { report } = await prepared(turns, 3_000)
    expect(report.tokens.after).toBeLessThanOrEqual(11_500)
  })
})

describe('when it comes', () => {
  const usable = 10_000
  const actionAt = (used: number, passing: number, hard = 0.8, sizeAfter?: number) =>
    decideTrigger({ ...balanced.trigger, hard: { fraction: hard } }, { used, usable, passing, ...(sizeAfter !== undefined && { sizeAfter }) }).action
  it('comes with what the history itself reached', () => {
    expect([actionAt(7_999, 0), actionAt(8_000, 0)]).toEqual(['none', 'compact'])
    expect([actionAt(8_199, 200), actionAt(8_200, 200)]).toEqual(['none', 'compact'])
    expect([actionAt(9_199, 200, 0.8, 5_500), actionAt(9_200, 200, 0.8, 5_500)]).toEqual(['none', 'compact'])
  })
  it('waits for no more than a twentieth of the budget', () => {
    expect([actionAt(8_499, 3_000), actionAt(8_500, 3_000)]).toEqual(['none', 'compact'])
  })
  it('never waits beyond 95 % of the budget, nor beyond a level that is above that', () => {
    expect([actionAt(9_499, 3_000, 0.93), actionAt(9_500, 3_000, 0.93)]).toEqual(['none', 'compact'])
    expect([actionAt(9_899, 3_000, 0.99), actionAt(9_900, 3_000, 0.99)]).toEqual(['none', 'compact'])
    expect([actionAt(10_000, 3_000, 1), actionAt(10_001, 3_000, 1)]).toEqual(['none', 'compact'])
  })
})
