import {
  Agent,
  type AgentInputItem,
  MemorySession,
  OpenAIChatCompletionsModel,
  OpenAIProvider,
  OpenAIResponsesModel,
  Runner,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { type CompactionReport, memoryStorage } from '@precis/core'
import { createRandom, recallModel, type Scenario, type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compactionFilter, compactionSession, modelSummarizer, withCompaction } from '../src/index.ts'

setTracingDisabled(true)
const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
const steps = 26
let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

function fileText(path: string): string {
  const random = createRandom([...path].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0)
  return [
    `// ${path}`,
    ...Array.from({ length: 60 }, () => `export const value${random.between(100, 999)} = load('alpha-${random.between(1_000, 9_999)}')`),
  ].join('\n')
}
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) => fileText(path),
})
const scenario: Scenario = {
  steps: Array.from({ length: steps }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `src/module-${at}.ts` }) })),
  questions: [{ asks: 'which ticket', pattern: /(PRE-\d{3})/ }],
  final: 'All modules are read.',
}
const request = 'Read all modules one by one. This is for ticket PRE-205.'
const modelSettings = { maxTokens: 500 }

const open = async () => {
  provider = await strictProvider({ window, model: recallModel(scenario), maxOutput: 500 })
  return new OpenAI({ baseURL: provider.url, apiKey: 'none', maxRetries: 0 })
}
const modelOf = async () => new OpenAIChatCompletionsModel((await open()) as never, 'strict')
const refused = (): readonly unknown[] => provider?.requests.filter((one) => one.status !== 200) ?? []

describe('an agent of the OpenAI Agents SDK', () => {
  it('dies bare', async () => {
    const agent = new Agent({ name: 'reader', model: await modelOf(), tools: [readFile], modelSettings })
    await expect(run(agent, request, { maxTurns: 100 })).rejects.toThrow(/maximum context length/)
  })
  it('finishes with a wrapped model; the result holds the whole history', async () => {
    const reports: CompactionReport[] = []
    const model = withCompaction(await modelOf(), { limits, onReport: (report) => reports.push(report) })
    const agent = new Agent({ name: 'reader', model, tools: [readFile], modelSettings })
    const result = await run(agent, request, { maxTurns: 100 })
    expect(result.finalOutput).toBe(scenario.final)
    expect(refused()).toEqual([])
    expect(result.history).toHaveLength(2 + 2 * steps)
    expect(result.history.filter((item) => item.type === 'function_call_result').every((item) => JSON.stringify(item).length > 1_000)).toBe(true)
    expect(reports.filter((report) => report.outcome === 'summarized').length).toBeGreaterThan(1)
    const next = await run(agent, [...result.history, { role: 'user', content: 'For which ticket was it, which ticket?' }], { maxTurns: 100 })
    expect(next.finalOutput).toBe('PRE-205')
  })
  it('streams, and recovers from a refusal before anything was said', async () => {
    const reasons: string[] = []
    const model = withCompaction(await modelOf(), { onReport: (report) => reasons.push(report.plan.decision.reason) })
    const agent = new Agent({ name: 'reader', model, tools: [readFile], modelSettings })
    const result = await run(agent, request, { maxTurns: 100, stream: true })
    for await (const _ of result) {
      // read to the end
    }
    await result.completed
    expect(result.finalOutput).toBe(scenario.final)
    expect(reasons).toContain('overflow')
    expect(refused()).toHaveLength(1)
  })
  it('reaches agents that are used as tools, through a wrapped provider', async () => {
    const client = await open()
    const reports: CompactionReport[] = []
    const wrapped = withCompaction(new OpenAIProvider({ openAIClient: client as never, useResponses: false }), {
      limits,
      onReport: (report) => reports.push(report),
    })
    const runner = new Runner({ modelProvider: wrapped, tracingDisabled: true })
    const agent = new Agent({ name: 'reader', model: 'strict', tools: [readFile], modelSettings })
    const result = await runner.run(agent, request, { maxTurns: 100 })
    expect(result.finalOutput).toBe(scenario.final)
    expect(reports.some((report) => report.outcome === 'summarized')).toBe(true)
  })
  it('a failing summarizer costs nothing', async () => {
    const away = { getResponse: async () => Promise.reject(new Error('503 upstream')) }
    const model = withCompaction(await modelOf(), { limits, summarizer: modelSummarizer({ model: away }) })
    const result = await run(new Agent({ name: 'reader', model, tools: [readFile], modelSettings }), request, { maxTurns: 100 })
    expect(result.finalOutput).toBe(scenario.final)
    expect(JSON.stringify(result.history)).not.toContain('503 upstream')
  })
  it('what summaries cost is part of the run’s usage', async () => {
    let calls = 0
    const summary = {
      getResponse: async (asked: { input: string }) => {
        calls++
        const text = [...asked.input.matchAll(/^## .*$/gm)].map(([heading]) => `${heading}\n- work goes on`).join('\n')
        return { usage: { inputTokens: 700, outputTokens: 70 }, output: [{ type: 'message', content: [{ type: 'output_text', text }] }] }
      },
    }
    for (const stream of [false, true]) {
      calls = 0
      const reports: CompactionReport[] = []
      // Too small for the span at once: it is written in several calls.
      const summarizer = modelSummarizer({ model: summary as never, window: 2_500 })
      const model = withCompaction(await modelOf(), { limits, summarizer, storage: memoryStorage(), onReport: (report) => reports.push(report) })
      const agent = new Agent({ name: 'reader', model, tools: [readFile], modelSettings })
      const options = { maxTurns: 100 }
      const result = stream ? await run(agent, request, { ...options, stream: true }) : await run(agent, request, options)
      if ('completed' in result) await result.completed
      const billed = provider?.requests.reduce((sum, one) => sum + one.inputTokens, 0) ?? 0
      const spent = reports.reduce((sum, report) => sum + report.spent.prompt, 0)
      expect(spent).toBeGreaterThanOrEqual(700)
      expect(result.runContext.usage.inputTokens).toBe(billed + spent)
      expect(calls).toBeGreaterThan(reports.filter((report) => report.spent.calls > 0).length)
      expect(result.runContext.usage.requests).toBe((provider?.requests.length ?? 0) + calls)
      await provider?.close()
    }
  })
  it('leaves conversations of the server alone, and says so once', async () => {
    const warnings: string[] = []
    const seen: unknown[] = []
    const inner = { getResponse: async (asked: unknown) => void seen.push(asked), getStreamedResponse: async function* () {} }
    const model = withCompaction(inner, { limits, onWarning: (warning) => warnings.push(warning) })
    const asked = { input: 'delta', previousResponseId: 'resp_1', modelSettings: {}, tools: [], handoffs: [], outputType: 'text' }
    await model.getResponse(asked as never)
    await model.getResponse(asked as never)
    expect(seen).toEqual([asked, asked])
    expect(warnings).toHaveLength(1)
  })
})

describe.each([true, false])('over Responses, store %s', (store) => {
  it('finishes, in whole answers and in streams; server-side chaining is left alone', async () => {
    const client = await open()
    const model = withCompaction(new OpenAIResponsesModel(client as never, 'strict'), { limits })
    const agent = new Agent({ name: 'reader', model, tools: [readFile], modelSettings: { ...modelSettings, store } })
    const whole = await run(agent, request, { maxTurns: 100 })
    expect(whole.finalOutput).toBe(scenario.final)
    const streamed = await run(agent, request, { maxTurns: 100, stream: true })
    for await (const _ of streamed) {
      // read to the end
    }
    await streamed.completed
    expect(streamed.finalOutput).toBe(scenario.final)
    expect(provider?.requests.every((one) => one.shape === 'openai-responses')).toBe(true)
    expect(refused()).toEqual([])
  })
})

describe('the input filter', () => {
  it('keeps a run inside the window, and leaves the session as a run without it does', async () => {
    const stored = async (filtered: boolean): Promise<readonly AgentInputItem[]> => {
      provider = await strictProvider({ window: filtered ? window : 200_000, model: recallModel(scenario), maxOutput: 500 })
      const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL: provider.url, apiKey: 'none', maxRetries: 0 }) as never, 'strict')
      const session = new MemorySession()
      const agent = new Agent({ name: 'reader', model, tools: [readFile], modelSettings })
      const callModelInputFilter = compactionFilter({ limits: { contextWindow: 11_000, maxOutput: 500 } })
      for (const input of [request, 'For which ticket was it, which ticket?']) {
        const result = await run(agent, input, { maxTurns: 100, session, ...(filtered && { callModelInputFilter }) })
        expect(result.finalOutput).toBe(input === request ? scenario.final : 'PRE-205')
      }
      expect(refused()).toEqual([])
      await provider.close()
      return session.getItems()
    }
    const strip = (items: readonly AgentInputItem[]): string => JSON.stringify(items.map((item) => ({ ...item, id: undefined, providerData: undefined })))
    expect(strip(await stored(true))).toBe(strip(await stored(false)))
  })
})

describe('the session view', () => {
  it('is compacted between runs, while the store keeps everything', async () => {
    const model = await modelOf()
    const store = new MemorySession()
    const reports: CompactionReport[] = []
    const session = compactionSession(store, { limits: { contextWindow: 6_000, maxOutput: 500 }, onReport: (report) => reports.push(report) })
    const agent = new Agent({
      name: 'talker',
      model: new OpenAIChatCompletionsModel(new OpenAI({ baseURL: provider?.url ?? '', apiKey: 'none' }) as never, 'strict'),
      modelSettings,
    })
    expect(model).toBeDefined()
    for (let turn = 0; turn < 14; turn++) await run(agent, `Turn ${turn}: which ticket is PRE-205? ${'please '.repeat(400)}`, { session })
    expect(await store.getItems()).toHaveLength(28)
    expect((await session.getItems()).length).toBeLessThan(28)
    expect(reports.some((report) => report.outcome === 'summarized')).toBe(true)
    expect(await session.getSessionId()).toBe(await store.getSessionId())
    expect(refused()).toEqual([])
  })
  it('a storage that fails is a warning, never a lost answer', async () => {
    const warnings: string[] = []
    const broken = {
      getSessionId: async () => 's',
      getItems: async () => Promise.reject(new Error('store away')),
      addItems: async () => {},
      popItem: async () => undefined,
      clearSession: async () => {},
    }
    const session = compactionSession(broken, { limits, onWarning: (warning) => warnings.push(warning) })
    expect(await session.runCompaction()).toBeNull()
    expect(warnings).toEqual(['The session was not compacted: store away'])
  })
})
