import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// What a turn costs is counted, not timed: characters that the estimator is given.

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})

const instructions = 'You look. '.repeat(500)
const output = (at: number): string => Array.from({ length: 40 }, (_, line) => `Part ${at}, line ${line}: all is well in the shard.`).join('\n')

/** A run of so many steps, through the Runner: characters that were counted, and those that there were. */
async function worked(steps: number, useResponses: boolean) {
  const provider = await strictProvider({
    window: 1_000_000,
    model: (prompt) => {
      const at = prompt.filter(({ isResult }) => isResult === true).length
      return at < steps ? { text: '', calls: [{ id: `c_${at}`, tool: 'look', input: JSON.stringify({ at }) }] } : { text: 'Done.', calls: [] }
    },
  })
  open.push(provider)
  let counted = 0
  const estimator = {
    name: 'counting',
    count(text: string): number {
      counted += text.length
      return Math.ceil(text.length / 4)
    },
  }
  const inner = new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: provider.url, maxRetries: 0 }) as never, useResponses })
  const modelProvider = withCompaction(inner, { limits: { contextWindow: 1_000_000, maxOutput: 1_000 }, estimator })
  const look = tool({ name: 'look', description: 'Looks.', parameters: z.object({ at: z.number() }), execute: async ({ at }) => output(at) })
  const agent = new Agent({ name: 'reader', instructions, model: 'strict', tools: [look] })
  const result = await new Runner({ modelProvider }).run(agent, 'Look at all parts.', { maxTurns: steps + 1 })
  expect(result.finalOutput).toBe('Done.')
  expect(provider.requests).toHaveLength(steps + 1)
  return { counted, characters: instructions.length + JSON.stringify(result.history).length }
}

it.each([false, true])('a turn counts what is new alone, with Responses: %s', async (useResponses) => {
  for (const steps of [10, 40]) {
    const { counted, characters } = await worked(steps, useResponses)
    expect(counted).toBeGreaterThan(characters * 0.5)
    expect(counted).toBeLessThan(characters * 1.1)
  }
})
