import { Agent, OpenAIChatCompletionsModel, OpenAIProvider, OpenAIResponsesModel } from '@openai/agents'
import type { CompactionReport } from '@precis/core'
import { withCompaction } from '@precis/openai-agents'
import { afterEach, describe, expect, it } from 'vitest'
import { clientOf, close, limits, ok, runnerOf, start } from './setup.ts'

afterEach(close)

describe('limits are looked up by the name of the model', () => {
  it.each([true, false])('that an agent names; responses: %s', async (useResponses) => {
    const provider = await start({ model: ok })
    const names: string[] = []
    const models = withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider), useResponses }), {
      limits: (name) => {
        names.push(name)
        return limits
      },
    })
    await runnerOf(models).run(new Agent({ name: 'a', model: 'gpt-4o' }), 'hi')
    expect(new Set(names)).toEqual(new Set(['gpt-4o']))
  })
  it.each([
    ['Responses', OpenAIResponsesModel, false, 1],
    ['Chat Completions', OpenAIChatCompletionsModel, false, 2],
    ['Responses', OpenAIResponsesModel, true, 1],
    ['Chat Completions', OpenAIChatCompletionsModel, true, 2],
  ] as const)('that a model of %s has; where it keeps it to itself, from its first reply on; streamed: %s', async (_, Model, stream, call) => {
    const provider = await start({ model: ok })
    const windows: (number | null)[] = []
    const seen: string[] = []
    const model = withCompaction(new Model(clientOf(provider), 'strict'), {
      limits: (name) => {
        seen.push(name)
        return name === 'strict' ? { contextWindow: 7_000 } : undefined
      },
      onReport: ({ tokens }) => windows.push(tokens.budget),
    })
    const agent = new Agent({ name: 'a', model })
    for (let time = 0; time < 2; time++)
      if (stream) await (await runnerOf({}).run(agent, 'hi', { stream: true })).completed
      else await runnerOf({}).run(agent, 'hi')
    expect([...new Set(seen)].filter((name) => name !== '')).toEqual(['strict'])
    expect(windows.findIndex((window) => window !== null) + 1).toBe(call)
  })
  it('and known without being given', async () => {
    const provider = await start({ model: ok })
    const reports: CompactionReport[] = []
    const models = withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider) }), { onReport: (report) => reports.push(report) })
    for (const model of ['gpt-4o', 'nobody-knows-me']) await runnerOf(models).run(new Agent({ name: 'a', model }), 'hi')
    expect(reports.map(({ tokens }) => (tokens.budget ?? 0) > 100_000 && (tokens.budget ?? 0) <= 128_000)).toEqual([true, false])
    expect(reports[1]?.tokens.budget).toBeNull()
  })
})
