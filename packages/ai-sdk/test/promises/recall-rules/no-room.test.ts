import { generateText, isStepCount, type ModelMessage, tool } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { close, look, name, names, refusals, scripted, start, wrap } from './setup.ts'

afterEach(close)

const words = (seed: number, count: number): string => Array.from({ length: count }, (_, at) => `word${(at * seed) % 89}`).join(' ')

/** Ten turns, more than a window holds, and a request that is part of the newest exchange, however often the agent works on. */
const said = (window: number): ModelMessage[] => [
  ...Array.from({ length: 10 }, (_, turn): ModelMessage[] => [
    { role: 'user', content: `Turn ${turn}: the code of gate ${turn} is K-${turn}. ${words(turn + 3, window / 25)}` },
    { role: 'assistant', content: `Noted ${turn}. ${words(turn + 5, window / 25)}` },
  ]).flat(),
  { role: 'user', content: `Go on. ${words(7, window / 40)}` },
]

const deploy = tool({ description: 'Deploys.', inputSchema: z.object({}), execute: async () => 'deployed' })

describe.each(names)('look-ups that nothing is left to make room for, over %s', (wire) => {
  it.each([
    [4_000, 1.3, 10],
    [8_000, 1.3, 3],
    [16_000, 1.3, 2],
  ])('a window of %i at %f tokens for one, %i look-ups beside each call: the run goes on without them', async (window, skew, lookUps) => {
    let steps = 0
    const works = () => ({
      calls: [{ id: `deploy_${steps}`, tool: 'deploy', input: '{}' }, ...Array.from({ length: lookUps }, (_, at) => look({ message: 1 + 2 * (at % 3) }))],
    })
    const provider = await start({
      window,
      skew,
      maxOutput: 256,
      model: scripted((_, declared) => (steps++ < 12 && declared.tools.includes(name) ? works() : { text: 'Done.' })),
    })
    const { text } = await generateText({
      model: wrap(wire, provider, { limits: { contextWindow: window, maxOutput: 256 } }),
      messages: said(window),
      tools: { deploy },
      stopWhen: isStepCount(14),
      maxRetries: 0,
      maxOutputTokens: 256,
    })
    expect(text).toBe('Done.')
    expect(refusals(provider).every((reason) => reason === 'overflow')).toBe(true)
  })
})
