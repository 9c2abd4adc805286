import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { recallModel, type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compactionFilter, compactionSession, withCompaction } from '../src/index.ts'
import { questionOf, vaultScenario, vaults, vaultText } from './vaults.ts'

const window = 12_000
const limits = { contextWindow: 11_000, maxOutput: 500 }
const scenario = {
  steps: Array.from({ length: 20 }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `src/module-${at}.ts` }) })),
  questions: [{ asks: 'which ticket', pattern: /(PRE-\d{3})/ }],
  final: 'All modules are read.',
}
let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

/** Both ends of the range of peers. */
const versions = {
  '0.18': () => import('agents-v18') as unknown as Promise<typeof import('@openai/agents')>,
  '0.20': () => import('@openai/agents'),
}

describe.each(Object.keys(versions) as (keyof typeof versions)[])('OpenAI Agents SDK %s', (version) => {
  const setUp = async () => {
    const sdk = await versions[version]()
    sdk.setTracingDisabled(true)
    provider = await strictProvider({ window, model: recallModel(scenario), maxOutput: 500 })
    const model = new sdk.OpenAIChatCompletionsModel(new OpenAI({ baseURL: provider.url, apiKey: 'none', maxRetries: 0 }) as never, 'strict')
    const tools = [
      sdk.tool({
        name: 'read_file',
        description: 'Reads a file.',
        parameters: z.object({ path: z.string() }),
        execute: async ({ path }) => `// ${path}\n${`export const value = load('${path}')\n`.repeat(90)}`,
      }),
    ]
    return { sdk, model, tools }
  }
  it('a wrapped model, and a session between two runs', async () => {
    const { sdk, model, tools } = await setUp()
    const agent = new sdk.Agent({ name: 'reader', model: withCompaction(model, { limits }), tools, modelSettings: { maxTokens: 500 } })
    const session = compactionSession(new sdk.MemorySession(), { limits })
    const first = await sdk.run(agent, 'Read all modules. The ticket is PRE-205.', { maxTurns: 100, session })
    expect(first.finalOutput).toBe(scenario.final)
    expect((await sdk.run(agent, 'For which ticket was it, which ticket?', { maxTurns: 100, session })).finalOutput).toBe('PRE-205')
    expect(provider?.requests.filter((request) => request.status !== 200)).toEqual([])
  })
  it('a model of another kind, through aisdk()', async () => {
    const { sdk, tools } = await setUp()
    const { aisdk } = await import('@openai/agents-extensions/ai-sdk')
    const inner = aisdk(createOpenAICompatible({ name: 'strict', baseURL: provider?.url ?? '', apiKey: 'none', includeUsage: true })('strict') as never)
    const model = withCompaction(inner, { limits }) as never
    const session = compactionSession(new sdk.MemorySession(), { limits })
    const agent = new sdk.Agent({ name: 'reader', model, tools, modelSettings: { maxTokens: 500 } })
    const result = await sdk.run(agent, 'Read all modules. The ticket is PRE-205.', { maxTurns: 100, session })
    expect(result.finalOutput).toBe(scenario.final)
    const streamed = await sdk.run(agent, 'For which ticket was it, which ticket?', { maxTurns: 100, session, stream: true })
    await streamed.completed
    expect(streamed.finalOutput).toBe('PRE-205')
    expect(provider?.requests.filter((request) => request.status !== 200)).toEqual([])
  })
  it.each(['chat whole', 'chat streamed', 'responses whole', 'responses streamed'])('what left the context is looked up unseen: %s', async (how) => {
    const sdk = await versions[version]()
    sdk.setTracingDisabled(true)
    const [vault] = vaults as [(typeof vaults)[number]]
    provider = await strictProvider({ window, model: recallModel(vaultScenario, { looksUp: 'precis_recall', thinks: true }), maxOutput: 500 })
    const openAIClient = new OpenAI({ baseURL: provider.url, apiKey: 'none', maxRetries: 0 }) as never
    const models = withCompaction(new sdk.OpenAIProvider({ openAIClient, useResponses: how.startsWith('responses') }), { limits })
    const read = sdk.tool({
      name: 'read_file',
      description: 'Reads a file.',
      parameters: z.object({ path: z.string() }),
      execute: async ({ path }) => vaultText(path),
    })
    const agent = new sdk.Agent({ name: 'reader', model: 'strict', tools: [read], modelSettings: { maxTokens: 500 } })
    const runner = new sdk.Runner({ modelProvider: models })
    const first = await runner.run(agent, 'Read the file of each vault.', { maxTurns: 100 })
    const input = [...first.history, { role: 'user' as const, content: questionOf(vault) }]
    const before = provider.requests.length
    const stream = how.endsWith('streamed')
    const second = stream ? await runner.run(agent, input, { maxTurns: 100, stream: true }) : await runner.run(agent, input, { maxTurns: 100 })
    if ('completed' in second) await second.completed
    expect(second.finalOutput).toBe(vault.code)
    expect([provider.requests.length - before, second.rawResponses.length]).toEqual([2, 1])
    expect(provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })
  it('the input filter', async () => {
    const { sdk, model, tools } = await setUp()
    const agent = new sdk.Agent({ name: 'reader', model, tools, modelSettings: { maxTokens: 500 } })
    const result = await sdk.run(agent, 'Read all modules. The ticket is PRE-205.', { maxTurns: 100, callModelInputFilter: compactionFilter({ limits }) })
    expect(result.finalOutput).toBe(scenario.final)
    expect(result.history).toHaveLength(42)
    expect(provider?.requests.filter((request) => request.status !== 200)).toEqual([])
  })
})
