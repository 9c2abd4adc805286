import { Agent, MemorySession, RunState, run, tool } from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compactionFilter, compactionSession, withCompaction } from '../../src/index.ts'
import { limits, said, scripted, steps, user } from './setup.ts'

describe('people in the loop', () => {
  it.each(['session', 'model', 'filter'] as const)(
    '%s: interrupted, stored as text, resumed elsewhere: the pending call is answered, nothing is lost',
    async (seam) => {
      const deleted: string[] = []
      const remove = tool({
        name: 'remove',
        description: 'Deletes.',
        parameters: z.object({ path: z.string() }),
        needsApproval: true,
        execute: async ({ path }) => `deleted ${deleted.push(path)}`,
      })
      const store = new MemorySession({ initialItems: [user('the goal is PRE-205'), ...steps(14), said('done')] as never })
      const { model: inner, inputs } = scripted({ calls: [['d1', 'remove', { path: 'a' }]], usage: 5_900 }, 'It is gone.')
      const built = () => {
        const model = seam === 'model' ? withCompaction(inner, { limits }) : inner
        const session = seam === 'session' ? compactionSession(store, { limits }) : store
        const options = { session, ...(seam === 'filter' && { callModelInputFilter: compactionFilter({ limits, session: 'one' }) }) }
        return { agent: new Agent({ name: 'A', model, tools: [remove] }), options }
      }
      const first = built()
      const interrupted = await run(first.agent, 'delete it', first.options)
      expect(interrupted.interruptions).toHaveLength(1)
      const text = interrupted.state.toString()
      const second = built()
      const state = await RunState.fromString(second.agent, text)
      state.approve(state.getInterruptions()[0] as never)
      const resumed = await run(second.agent, state as never, second.options)
      expect([resumed.finalOutput, deleted]).toEqual(['It is gone.', ['a']])
      const stored = await store.getItems()
      expect(stored.filter((item) => item.type === 'function_call').length).toBe(15)
      expect(stored.filter((item) => item.type === 'function_call_result').length).toBe(15)
      for (const input of inputs()) {
        const results = input.filter((item) => item.type === 'function_call_result').map((item) => item.callId)
        const asked = input.filter((item) => item.type === 'function_call').map((item) => item.callId)
        expect(asked).toEqual(results)
      }
    },
  )
})
