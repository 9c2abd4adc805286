import { type AgentInputItem, tool } from '@openai/agents'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ask, close, look, name, refusals, scripted, start, wrap } from './setup.ts'

afterEach(close)

const words = (seed: number, count: number): string => Array.from({ length: count }, (_, at) => `word${(at * seed) % 89}`).join(' ')

/** Ten turns, more than a window holds, and a request that is part of the newest exchange, however often the agent works on. */
const said = (window: number): AgentInputItem[] =>
  [
    ...Array.from({ length: 10 }, (_, turn) => [
      { role: 'user', content: `Turn ${turn}: the code of gate ${turn} is K-${turn}. ${words(turn + 3, window / 25)}` },
      { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: `Noted ${turn}. ${words(turn + 5, window / 25)}` }] },
    ]).flat(),
    { role: 'user', content: `Go on. ${words(7, window / 40)}` },
  ] as AgentInputItem[]

const deploy = tool({ name: 'deploy', description: 'Deploys.', parameters: z.object({}), execute: async () => 'deployed' })

describe.each(['chat', 'responses'] as const)('look-ups that nothing is left to make room for, over %s', (wire) => {
  it.each([
    [4_000, 1, 10],
    [8_000, 1.3, 10],
  ])('a window of %i at %f tokens for one, %i look-ups beside each call: the run goes on without them', async (window, skew, lookUps) => {
    let steps = 0
    const works = () => ({
      calls: [{ id: `deploy_${steps}`, tool: 'deploy', input: '{}' }, ...Array.from({ length: lookUps }, (_, at) => look({ message: 1 + 2 * (at % 3) }))],
    })
    const provider = await start({
      window,
      skew,
      maxOutput: 256,
      model: scripted((_, declared) => (steps++ < 6 && declared.tools.includes(name) ? works() : { text: 'Done.' })),
    })
    const { text } = await ask(wrap(wire, provider, { limits: { contextWindow: window, maxOutput: 256 } }), {
      input: said(window),
      agent: { tools: [deploy], modelSettings: { maxTokens: 256 } },
    })
    expect(text).toBe('Done.')
    expect(refusals(provider).every((reason) => reason === 'overflow')).toBe(true)
  })
})
