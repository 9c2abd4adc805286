import { Agent, OpenAIChatCompletionsModel, run, tool } from '@openai/agents'
import { createArchive, createToolOutputStore, memoryStorage } from '@precis/core'
import { strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AgentItem, cacheToolOutputs, compactionTools, sessionOf, withCompaction } from '../../src/index.ts'
import { closeAll, closing, limits, scripted, steps, user } from './setup.ts'

afterEach(closeAll)

describe('tools', () => {
  it('long outputs go to the store, and the model reads them with our tools', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    const log = Array.from({ length: 6_000 }, (_, at) => `${at}: ${at === 4_321 ? 'the blue heron landed' : 'all is well'}`).join('\n')
    const options = {
      limits: { contextWindow: 16_000, maxInput: 16_000 },
      outputs,
      policy: { prune: { view: { tokens: 600 } } },
      tools: { run: { shape: 'head-tail' as const } },
      session: 'one',
    }
    const provider = await strictProvider({
      window: 16_000,
      model: (prompt) => {
        const seen = prompt.map((entry) => entry.text).join('\n')
        const ref = /ref=(out-[0-9a-f]{16})/.exec(seen)?.[1]
        if (seen.includes('the blue heron landed')) return { text: 'found', calls: [] }
        return {
          text: '',
          calls: [
            ref === undefined
              ? { id: 'r', tool: 'run', input: '{}' }
              : { id: 'g', tool: 'tool_output_cache_grep', input: JSON.stringify({ ref_id: ref, pattern: 'heron' }) },
          ],
        }
      },
    })
    closing.push(provider.close)
    const model = withCompaction(new OpenAIChatCompletionsModel(new OpenAI({ baseURL: provider.url, apiKey: 'none' }) as never, 'strict'), options)
    const own = tool({ name: 'run', description: 'Runs.', parameters: z.object({}), execute: async () => log })
    const tools = cacheToolOutputs([own, ...compactionTools(sessionOf(model))], options)
    const done = await run(new Agent({ name: 'A', model, tools }), 'go')
    expect(done.finalOutput).toBe('found')
    expect(JSON.stringify(done.history).length).toBeLessThan(12_000)
    expect(provider.requests).toHaveLength(3)
    expect(() => cacheToolOutputs([own], { limits })).toThrow(/createToolOutputStore/)
  })
  it('`compact_context` and `recall_history` belong to the wrapped model’s own conversation', async () => {
    const archive = createArchive<AgentItem>(memoryStorage())
    const outcomes: string[] = []
    const { model: inner, inputs } = scripted(
      { calls: [['k', 'compact_context', { focus: 'the ticket' }]] },
      { calls: [['q', 'recall_history', { query: 'PRE-205' }]] },
      'done',
    )
    const model = withCompaction(inner, {
      limits: { contextWindow: 50_000, maxInput: 50_000 },
      archive,
      policy: { retain: { tokens: { tokens: 500 } } },
      session: 'one',
      onReport: (report) => outcomes.push(report.plan.decision.reason),
    })
    const agent = new Agent({ name: 'A', model, tools: compactionTools(sessionOf(model)) })
    const done = await run(agent, [user('The ticket is PRE-205.'), ...steps(20), user('go')] as never)
    expect(done.finalOutput).toBe('done')
    expect(outcomes[1]).toBe('agent')
    expect(inputs()[1]?.length).toBeLessThan(60)
    expect(JSON.stringify(inputs()[2]?.at(-1))).toContain('PRE-205')
    expect(() => sessionOf(inner)).toThrow(/withCompaction/)
  })
})
