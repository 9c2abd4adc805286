import { Agent, type AgentInputItem, MemorySession, run, tool } from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compactionFilter } from '../../src/index.ts'
import { limits, plain, type Reply, said, scripted, steps, user, words } from './setup.ts'

describe('callModelInputFilter: the session afterwards equals the session of a run without it', () => {
  const reader = tool({ name: 'read', description: 'Reads.', parameters: z.object({ path: z.string() }), execute: async ({ path }) => `${path} ${words(300)}` })
  const calls = Array.from({ length: 16 }, (_, at): Reply => ({ calls: [[`c${at}`, 'read', { path: `f${at}` }]] }))
  const history = (): AgentInputItem[] =>
    [user('the first request'), ...steps(12), said('done'), user('the second request'), said('also done')] as unknown as AgentInputItem[]
  const session = (items: AgentInputItem[]) => new MemorySession({ initialItems: items })
  it.each([
    ['a history that is dropped', history(), 'what now?'],
    ['an empty session and a long run', [], 'read all'],
    ['a long run after a history', history(), 'read all again'],
  ])('%s', async (_, items, input) => {
    const stored = async (filtered: boolean, stream: boolean) => {
      const { model, inputs } = scripted(...calls, 'read all of it')
      const agent = new Agent({ name: 'A', model, tools: [reader] })
      const own = session(structuredClone(items))
      const callModelInputFilter = compactionFilter({ limits })
      const options = { session: own, maxTurns: 50, ...(filtered && { callModelInputFilter }) }
      if (stream) await (await run(agent, input, { ...options, stream: true })).completed
      else await run(agent, input, options)
      if (filtered)
        expect(
          Math.min(
            ...inputs()
              .slice(-4)
              .map((one) => one.length),
          ),
        ).toBeLessThan(34)
      return plain(await own.getItems())
    }
    const bare = await stored(false, false)
    expect(await stored(true, false)).toBe(bare)
    expect(await stored(true, true)).toBe(await stored(false, true))
  })
  it('the clone that is rewritten is never the run’s own request', async () => {
    const { model, inputs } = scripted(...calls, 'ok')
    await run(new Agent({ name: 'A', model, tools: [reader] }), 'THE REQUEST', { maxTurns: 50, callModelInputFilter: compactionFilter({ limits }) })
    expect(inputs().every((input) => JSON.stringify(input).includes('THE REQUEST'))).toBe(true)
  })
  it('a server that keeps the conversation sends only what is new: results whose calls are there go through', async () => {
    const { model, inputs } = scripted(...calls.slice(0, 3), 'ok')
    const agent = new Agent({ name: 'A', model, tools: [reader] })
    await run(agent, 'go', { previousResponseId: 'resp_0', callModelInputFilter: compactionFilter({ limits }) })
    expect(
      inputs()
        .slice(1)
        .map((input) => input.map((item) => item.type)),
    ).toEqual(Array(3).fill(['function_call_result']))
  })
  it('the summary is written once: later turns use it, though the SDK brings clones of the whole history each time', async () => {
    const outcomes: string[] = []
    const { model } = scripted('ok')
    const callModelInputFilter = compactionFilter({ limits, session: 's', onReport: (report) => outcomes.push(report.outcome) })
    const own = session(history())
    for (const text of ['a', 'b', 'c']) await run(new Agent({ name: 'A', model }), text, { session: own, callModelInputFilter })
    expect(outcomes).toEqual(['summarized', 'projected', 'projected'])
  })
})
