import { Agent, handoff, MemorySession, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, run, tool } from '@openai/agents'
import { InvalidConfigurationError } from '@precis/core'
import { type ModelReply, recallModel, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { withCompaction } from '../../src/index.ts'
import { closeAll, closing, limits, scripted, steps, user, words } from './setup.ts'

afterEach(closeAll)

describe('a wrapped model', () => {
  it('two conversations at once through one agent have a memory each', async () => {
    const reader = tool({ name: 'read', description: 'Reads.', parameters: z.object({}), execute: async () => words(300) })
    const provider = await strictProvider({
      window: 100_000,
      model: recallModel({ steps: Array.from({ length: 20 }, () => ({ tool: 'read', input: () => ({}) })), questions: [], final: 'done' }),
    })
    closing.push(provider.close)
    const inner = new OpenAIChatCompletionsModel(new OpenAI({ baseURL: provider.url, apiKey: 'none' }) as never, 'strict')
    const agent = new Agent({ name: 'A', model: withCompaction(inner, { limits }), tools: [reader] })
    await Promise.all(['This is ALPHA.', 'This is BETA.'].map((text) => run(agent, text, { maxTurns: 50 })))
    const mixed = provider.requests.filter((request) => /ALPHA/.test(JSON.stringify(request.prompt)) === /BETA/.test(JSON.stringify(request.prompt)))
    expect([mixed.length, provider.requests.flatMap((request) => request.violations)]).toEqual([0, []])
    expect(Math.max(...provider.requests.map((request) => request.inputTokens))).toBeLessThan(7_000)
  })
  it('after a handoff the other agent’s own window counts', async () => {
    const items = [user('go'), ...steps(14), user('hand over')]
    const second = scripted('I am B.')
    const small = new Agent({ name: 'B', model: withCompaction(second.model, { limits }) })
    const first = scripted({ calls: [['h', 'transfer_to_B', {}]] })
    const big = new Agent({
      name: 'A',
      model: withCompaction(first.model, { limits: { contextWindow: 100_000, maxInput: 90_000 } }),
      handoffs: [handoff(small)],
    })
    const done = await run(big, items as never)
    expect(done.finalOutput).toBe('I am B.')
    expect(first.inputs()[0]).toHaveLength(44)
    expect(second.inputs()[0]?.length).toBeLessThan(44)
    expect(done.history.length).toBeGreaterThan(44)
  })
  it('reaches agents that are used as tools through a provider, which the filter does not', async () => {
    const inner = scripted({ calls: [['t', 'ask_b', { input: words(20) }]] }, 'inner answer', 'outer answer')
    const reports: string[] = []
    const provider = withCompaction({ getModel: () => inner.model }, { limits, onReport: (report) => reports.push(report.outcome) })
    const b = new Agent({ name: 'B' })
    const a = new Agent({ name: 'A', tools: [b.asTool({ toolName: 'ask_b', toolDescription: 'Asks B.' })] })
    const done = await new Runner({ modelProvider: provider as never, tracingDisabled: true }).run(a, 'go')
    expect(done.finalOutput).toBe('outer answer')
    expect(reports).toHaveLength(3)
  })
  it('keeps what the SDK looks for: class name, retry advice, the other members', () => {
    class SpecialChatCompletionsModel {
      readonly advice = 'later'
      getResponse() {}
      getStreamedResponse() {}
      getRetryAdvice() {
        return this.advice
      }
    }
    const wrapped = withCompaction(new SpecialChatCompletionsModel(), { limits })
    expect([wrapped.constructor.name, wrapped.getRetryAdvice(), 'getRetryAdvice' in wrapped]).toEqual(['SpecialChatCompletionsModel', 'later', true])
  })
  it.each([42, null])('is known by a text, not by %j', (id) => {
    const { model } = scripted('ok')
    expect(() => withCompaction(model, { session: id as never })).toThrow(InvalidConfigurationError)
    expect(() => withCompaction(model).for(id as never)).toThrow(InvalidConfigurationError)
  })
  it('leaves a conversation alone that the provider compacts itself, and warns once, whatever becomes of the warning', async () => {
    const warnings: string[] = []
    const { model, requests } = scripted('ok')
    const onWarning = async (warning: string): Promise<void> => {
      warnings.push(warning)
      throw new Error('the logger is down')
    }
    const wrapped = withCompaction(model, { limits, onWarning })
    const request = {
      input: Array.from({ length: 30 }, (_, at) => ({ type: 'message', role: 'user', content: `${at} ${'word '.repeat(400)}` })),
      modelSettings: { contextManagement: [{ type: 'compaction', compactThreshold: 9 }] },
      tools: [],
      handoffs: [],
      outputType: 'text',
    }
    await wrapped.getResponse(request as never)
    await wrapped.getResponse(request as never)
    expect(warnings).toHaveLength(1)
    expect(requests.map(({ input }) => input.length)).toEqual([30, 30])
  })
  it.each([
    ['Responses', OpenAIResponsesModel, true],
    ['Chat Completions', OpenAIChatCompletionsModel, false],
  ] as const)('%s: the provider’s own compaction counts where it is asked for', async (_, Wire, isAsked) => {
    const provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
    closing.push(provider.close)
    const model = withCompaction(new Wire(new OpenAI({ baseURL: provider.url, apiKey: 'none' }) as never, 'strict'), {
      limits: { contextWindow: 8_000, maxOutput: 500 },
    })
    const agent = new Agent({ name: 'A', model, modelSettings: { contextManagement: [{ type: 'compaction', compactThreshold: 6_000 }] } })
    await run(
      agent,
      Array.from({ length: 41 }, (_, at) => ({ type: 'message' as const, role: 'user' as const, content: `${at} ${words(250)}` })),
    )
    expect((provider.requests[0]?.inputTokens ?? 0) > 8_000).toBe(isAsked)
  })
  it('over Responses with the server’s memory: a compacted history is sent whole, no reference is left hanging', async () => {
    const reply = (text: string): ModelReply => ({ text, calls: [] })
    const provider = await strictProvider({ window: 6_500, maxOutput: 200, model: () => reply(words(150)) })
    closing.push(provider.close)
    const model = withCompaction(new OpenAIResponsesModel(new OpenAI({ baseURL: provider.url, apiKey: 'none' }) as never, 'strict'), { limits })
    const agent = new Agent({ name: 'A', model, modelSettings: { maxTokens: 200, store: true } })
    const session = new MemorySession()
    for (let turn = 0; turn < 20; turn++) await run(agent, `Turn ${turn}: ${words(250)}`, { session })
    expect(provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })
})
