import {
  Agent,
  type AgentInputItem,
  MemorySession,
  OpenAIChatCompletionsModel,
  OpenAIProvider,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
} from '@openai/agents'
import type { CompactionReport } from '@precis/core'
import { compactionSession, modelSummarizer, withCompaction } from '@precis/openai-agents'
import { createRandom, fakeSummarizer, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { readFileTool, vaultScenario } from '../vaults.ts'

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(async () => {
  setTracingDisabled(true)
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const limits = { contextWindow: 12_000, maxOutput: 500 }
const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, model: recallModel(vaultScenario), ...more })
  open.push(provider)
  return provider
}
const clientOf = ({ url }: StrictProvider, more: object = {}) => new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0, ...more }) as never
const words = (seed: number, count: number): string => {
  const random = createRandom(seed + 1)
  return Array.from({ length: count }, () => `word${random.between(100, 9_999)}`).join(' ')
}
/** A chat of so many words that it fills several small windows. */
const dialogue = (turns: number): AgentInputItem[] =>
  Array.from(
    { length: turns * 2 + 1 },
    (_, at): AgentInputItem =>
      at % 2 === 0
        ? { role: 'user', content: `Question ${at}: ${words(at, 150)}` }
        : { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: `Answer ${at}: ${words(at, 150)}` }] },
  )
const ok = () => ({ text: 'ok', calls: [] })
const runnerOf = (modelProvider: object) => new Runner({ modelProvider: modelProvider as never })

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
    ['Responses', OpenAIResponsesModel, 1],
    ['Chat Completions', OpenAIChatCompletionsModel, 2],
  ] as const)('that a model of %s has; where it keeps it to itself, from its first reply on', async (_, Model, call) => {
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
    await runnerOf({}).run(agent, 'hi')
    await (await runnerOf({}).run(agent, 'hi', { stream: true })).completed
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

it('a provider that makes a new model for each look-up pays for each summary once', async () => {
  const paid: number[] = []
  for (const renewed of [false, true]) {
    const provider = await start({ window: 100_000, model: ok })
    const one = new OpenAIChatCompletionsModel(clientOf(provider), 'strict')
    const inner = { getModel: async () => (renewed ? new OpenAIChatCompletionsModel(clientOf(provider), 'strict') : one) }
    const summarizer = fakeSummarizer()
    const models = withCompaction(inner, { limits: { contextWindow: 6_000, maxOutput: 500 }, summarizer })
    for (let turns = 0; turns < 20; turns++) await runnerOf(models).run(new Agent({ name: 'a', model: 'strict' }), dialogue(turns))
    paid.push(summarizer.requests.length)
  }
  expect(paid[0]).toBeGreaterThan(1)
  expect(paid[1]).toBe(paid[0])
})

describe('a response that fails in the stream', () => {
  /** A gateway that accepts every stream and says in it what is wrong. */
  const failing = (provider: StrictProvider, error: object) => ({
    fetch: async (url: string, init: { readonly body: string }) => {
      const response = await fetch(url, init)
      if (response.status !== 400) return response
      await response.arrayBuffer()
      const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
      const failed = { id: 'resp_x', object: 'response', status: 'failed', output: [], error, usage: null }
      const body = event('response.created', { response: { ...failed, status: 'in_progress', error: null } }) + event('response.failed', { response: failed })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
    baseURL: provider.url,
  })
  const run = async (error: object) => {
    const provider = await start()
    const models = withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider, failing(provider, error)), useResponses: true }))
    const agent = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500 } })
    const result = await runnerOf(models).run(agent, 'Read the file of each vault.', { maxTurns: 40, stream: true })
    await result.completed
    return result.finalOutput
  }
  it('for its size is sent again smaller', async () => {
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model. Please adjust your input and try again.' }
    expect(await run(error)).toBe(vaultScenario.final)
    expect(open[0]?.requests.some(({ status }) => status === 400)).toBe(true)
  })
  it('for anything else is the SDK’s own error', async () => {
    await expect(run({ code: 'server_error', message: 'The server had an error.' })).rejects.toThrow(/unsuccessful terminal state "response.failed"/)
    expect(open[0]?.requests.filter(({ status }) => status === 400)).toHaveLength(1)
  })
})

describe('a summarizer of the SDK’s own models', () => {
  const models = { chat: false, responses: true } as const
  /** What it is asked to write, or the same cut off by the length that was asked for. */
  const written = async (wire: keyof typeof models, cut: boolean) => {
    const provider = await start({
      window: 100_000,
      model: (prompt) => {
        const headings = [
          ...new Set(
            [
              ...prompt
                .map(({ text }) => text)
                .join('\n')
                .matchAll(/^## .*$/gm),
            ].map(([heading]) => heading),
          ),
        ]
        return { text: headings.map((heading) => `${heading}\n- the work goes on`).join('\n') || 'ok', calls: [] }
      },
    })
    const end = async (url: string, init: object): Promise<Response> => {
      const response = await fetch(url, init)
      const body = await response.text()
      const shown = body
        .replaceAll('"finish_reason":"stop"', '"finish_reason":"length"')
        .replaceAll('"status":"completed"', '"status":"incomplete"')
        .replaceAll('response.completed', 'response.incomplete')
      return new Response(cut ? shown : body, { status: response.status, headers: response.headers })
    }
    const model = await new OpenAIProvider({ openAIClient: clientOf(provider, { fetch: end }), useResponses: models[wire] }).getModel('strict')
    const reports: CompactionReport[] = []
    const options = { limits: { contextWindow: 6_000, maxOutput: 500 }, summarizer: modelSummarizer({ model, window: 100_000 }) }
    return { provider, reports, options: { ...options, onReport: (report: CompactionReport) => void reports.push(report) } }
  }
  it.each(['chat', 'responses'] as const)('writes between runs, outside of a trace: %s', async (wire) => {
    const { provider, reports, options } = await written(wire, false)
    setTracingDisabled(false)
    const store = new MemorySession()
    await store.addItems(dialogue(20))
    const paid = await compactionSession(store, options).runCompaction({ force: true })
    expect(provider.requests.length).toBeGreaterThan(0)
    expect(reports.at(-1)).toMatchObject({ outcome: 'summarized', warnings: [] })
    expect(paid?.usage.inputTokens).toBeGreaterThan(1_000)
  })
  it.each([
    ['chat', false],
    ['chat', true],
    ['responses', false],
    ['responses', true],
  ] as const)('that was cut off is not adopted: %s, within a run: %s', async (wire, within) => {
    const { provider, reports, options } = await written(wire, true)
    if (within) {
      const plain = await start({ window: 100_000, model: ok })
      const models = withCompaction(new OpenAIProvider({ openAIClient: clientOf(plain) }), options)
      await runnerOf(models).run(new Agent({ name: 'a', model: 'strict' }), dialogue(20))
    } else {
      setTracingDisabled(false)
      const store = new MemorySession()
      await store.addItems(dialogue(20))
      await compactionSession(store, options).runCompaction({ force: true })
    }
    expect(provider.requests.length).toBeGreaterThan(0)
    expect(JSON.stringify(reports)).toContain('cut-off')
    expect(JSON.stringify(reports)).not.toContain('the work goes on')
  })
})
