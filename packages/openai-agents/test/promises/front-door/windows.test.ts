import { Agent, type AgentInputItem, OpenAIChatCompletionsModel, OpenAIProvider } from '@openai/agents'
import { memoryStorage } from '@precis/core'
import { withCompaction } from '@precis/openai-agents'
import { fakeSummarizer } from '@precis/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { clientOf, close, dialogue, ok, runnerOf, start } from './setup.ts'

afterEach(close)

it('a provider that makes a new model for each look-up pays for each summary once', async () => {
  const paid: number[] = []
  for (const renewed of [false, true]) {
    const provider = await start({ window: 100_000, model: ok })
    const one = new OpenAIChatCompletionsModel(clientOf(provider), 'strict')
    const inner = { getModel: async () => (renewed ? new OpenAIChatCompletionsModel(clientOf(provider), 'strict') : one) }
    const summarizer = fakeSummarizer()
    const models = withCompaction(inner, { limits: { contextWindow: 6_000, maxOutput: 500 }, summarizer, storage: memoryStorage() })
    for (let turns = 0; turns < 20; turns++) await runnerOf(models).run(new Agent({ name: 'a', model: 'strict' }), dialogue(turns))
    paid.push(summarizer.requests.length)
  }
  expect(paid[0]).toBeGreaterThan(1)
  expect(paid[1]).toBe(paid[0])
})

it('a provider that is wrapped anew for each request, without a storage, pays for each summary once', async () => {
  const provider = await start({ window: 100_000, model: ok })
  const paid = async (renewed: boolean, session: string | undefined): Promise<number> => {
    const summarizer = fakeSummarizer()
    const options = { limits: { contextWindow: 6_000, maxOutput: 500 }, summarizer, session }
    const wrapped = () => withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider), useResponses: false }), options)
    const one = wrapped()
    // Each beginning of its own: what one has summarized is found by the next.
    const begun: AgentInputItem = { role: 'user', content: `${renewed} ${session}` }
    for (let turns = 0; turns < 20; turns++)
      await runnerOf(renewed ? wrapped() : one).run(new Agent({ name: 'a', model: 'strict' }), [begun, ...dialogue(turns)])
    return summarizer.requests.length
  }
  for (const session of [undefined, 'chat']) {
    const once = await paid(false, session)
    expect(once).toBeGreaterThan(1)
    expect(await paid(true, session)).toBeLessThanOrEqual(once + 1)
  }
})

describe('agents of one conversation with models of very different windows', () => {
  const windows: Readonly<Record<string, number>> = { small: 5_000, large: 24_000 }
  /** Tokens of each prompt by its model, and summaries that were paid for. */
  const converse = async (turns: number, modelOf: (turn: number) => string) => {
    const provider = await start({ window: 100_000, model: ok })
    const summarizer = fakeSummarizer()
    const prompts: { readonly model: string; readonly turns: number; readonly tokens: number }[] = []
    let turn = 0
    const models = withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider), useResponses: false }), {
      limits: (name) => ({ contextWindow: windows[name] as number, maxOutput: 500 }),
      summarizer,
      storage: memoryStorage(),
      onReport: ({ tokens }) => prompts.push({ model: modelOf(turn), turns: turn, tokens: tokens.after }),
    })
    for (; turn < turns; turn++) await runnerOf(models).run(new Agent({ name: modelOf(turn), model: modelOf(turn) }), dialogue(turn))
    return { prompts, paid: summarizer.requests.length }
  }
  const alternating = (turn: number): string => (turn % 2 === 0 ? 'large' : 'small')

  it('the large one still sees what was left out for the small one', async () => {
    const { prompts } = await converse(20, alternating)
    const whole = await converse(20, () => 'large')
    for (const { turns, tokens } of prompts.filter(({ model }) => model === 'large')) {
      expect(tokens).toBeGreaterThan((whole.prompts.find((one) => one.turns === turns)?.tokens ?? Infinity) * 0.95)
    }
    expect(whole.paid).toBe(0)
    expect(Math.max(...prompts.filter(({ model }) => model === 'small').map(({ tokens }) => tokens))).toBeLessThan(5_000)
  })
  it('each goes on with its own summary, and pays for no more of them than it would alone', async () => {
    const { prompts, paid } = await converse(60, alternating)
    const large = await converse(60, () => 'large')
    const small = await converse(60, () => 'small')
    expect(large.paid).toBeGreaterThan(0)
    expect(paid).toBeLessThanOrEqual(large.paid + small.paid)
    const least = Math.min(...prompts.filter(({ model, turns }) => model === 'large' && turns > 20).map(({ tokens }) => tokens))
    expect(least).toBeGreaterThan(Math.min(...large.prompts.filter(({ turns }) => turns > 20).map(({ tokens }) => tokens)) * 0.8)
  })
})
