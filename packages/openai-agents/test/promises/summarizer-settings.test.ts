import { Agent, type AgentInputItem, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled } from '@openai/agents'
import { modelSummarizer, withCompaction } from '@precis/openai-agents'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'

setTracingDisabled(true)
let open: StrictProvider | undefined
afterEach(() => open?.close())

const dialogue: AgentInputItem[] = Array.from(
  { length: 31 },
  (_, at): AgentInputItem =>
    at % 2 === 0
      ? { role: 'user', content: `Question ${at}: ${'what is it '.repeat(150)}` }
      : { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: `Answer ${at}: ${'it is this '.repeat(150)}` }] },
)

describe('settings of the summarizer are on the wire', () => {
  it.each([
    ['Chat Completions', OpenAIChatCompletionsModel, { temperature: 0, seed: 7 }],
    ['Responses', OpenAIResponsesModel, { temperature: 0 }],
  ] as const)('temperature and seed: %s', async (_, Model, expected) => {
    open = await strictProvider({ window: 12_000, model: () => ({ text: 'ok', calls: [] }) })
    const client = new OpenAI({ apiKey: 'none', baseURL: open.url, maxRetries: 0 }) as never
    const { seed, ...known } = { seed: undefined, ...expected }
    const modelSettings = { ...known, ...(seed !== undefined && { providerData: { seed } }), maxTokens: 1 }
    const summarizer = modelSummarizer({ model: new Model(client, 'small'), modelSettings })
    const model = withCompaction(new Model(client, 'strict'), { limits: { contextWindow: 12_000, maxOutput: 500 }, summarizer })
    await run(new Agent({ name: 'a', model: model as never }), dialogue)
    const asked = open.requests.map(({ settings }) => settings).filter((body) => body['model'] === 'small')
    expect(asked.length).toBeGreaterThan(0)
    for (const body of asked) {
      expect(body).toMatchObject(expected)
      expect(Number(body['max_tokens'] ?? body['max_output_tokens'])).toBeGreaterThan(1) // the length is ours
    }
    const own = open.requests.map(({ settings }) => settings).filter((body) => body['model'] === 'strict')
    for (const body of own) expect(body).not.toHaveProperty('seed')
  })
})
