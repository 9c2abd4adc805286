import {
  Agent,
  type AgentInputItem,
  getCurrentTrace,
  MemorySession,
  OpenAIChatCompletionsModel,
  OpenAIProvider,
  OpenAIResponsesModel,
  Runner,
  RunState,
  run,
  setDefaultModelProvider,
  setTraceProcessors,
  setTracingDisabled,
  tool,
  withCustomSpan,
} from '@openai/agents'
import type { CompactionReport } from '@precis/core'
import { agentsTrace, compactionSession, modelSummarizer, withCompaction } from '@precis/openai-agents'
import { createRandom, fakeSummarizer, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { questionOf, readFileTool, vaultScenario, vaults } from '../vaults.ts'

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
  const runWith = async (error: object) => {
    const provider = await start()
    const models = withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider, failing(provider, error)), useResponses: true }))
    const agent = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500 } })
    const result = await runnerOf(models).run(agent, 'Read the file of each vault.', { maxTurns: 40, stream: true })
    await result.completed
    return result.finalOutput
  }
  it('for its size is sent again smaller', async () => {
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model. Please adjust your input and try again.' }
    expect(await runWith(error)).toBe(vaultScenario.final)
    expect(open[0]?.requests.some(({ status }) => status === 400)).toBe(true)
  })
  it('for anything else is the SDK’s own error', async () => {
    await expect(runWith({ code: 'server_error', message: 'The server had an error.' })).rejects.toThrow(/unsuccessful terminal state "response.failed"/)
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

describe('plain runs', () => {
  const reader = (more: object = {}) => new Agent({ name: 'reader', model: 'large', tools: [readFileTool], modelSettings: { maxTokens: 500 }, ...more })
  const models = (provider: StrictProvider, more: object = {}) =>
    withCompaction(new OpenAIProvider({ openAIClient: clientOf(provider), useResponses: true }), { limits, ...more })
  it('the default provider of the SDK is all that is set', async () => {
    const provider = await start()
    setDefaultModelProvider(models(provider))
    const result = await run(reader(), 'Read the file of each vault.', { maxTurns: 40 })
    expect(result.finalOutput).toBe(vaultScenario.final)
    expect(provider.requests.every(({ status }) => status === 200)).toBe(true)
  })
  it('a handoff to a model with a smaller window', async () => {
    const provider = await start({
      window: 12_000,
      model: (prompt, declared) => {
        if (!declared.tools.includes('read_file')) return { text: 'I have it.', calls: [] }
        const read = recallModel(vaultScenario)(prompt)
        return read.calls.length === 0 && declared.tools.includes('transfer_to_small')
          ? { text: '', calls: [{ id: 'go', tool: 'transfer_to_small', input: '{}' }] }
          : read
      },
    })
    const small = reader({ name: 'small', model: 'small', tools: [] })
    const sizes = (name: string) => ({ contextWindow: name === 'small' ? 4_000 : 12_000, maxOutput: 500 })
    const result = await runnerOf(models(provider, { limits: sizes })).run(reader({ handoffs: [small] }), 'Read the file of each vault.', { maxTurns: 40 })
    expect(result.lastAgent?.name).toBe('small')
    expect(provider.requests.every(({ status }) => status === 200)).toBe(true)
    expect(provider.requests.at(-2)?.inputTokens).toBeGreaterThan(4_000)
    expect(provider.requests.at(-1)?.inputTokens).toBeLessThan(3_500)
  })
  it('a run that waits for an approval, is stored, and goes on in another process, with what it looked up', async () => {
    let asked = false
    const [vault] = vaults as [(typeof vaults)[number]]
    const provider = await start({
      model: (prompt) => {
        const all = prompt.map(({ text }) => text).join('\n')
        if (all.includes('It is done.')) return { text: 'All done.', calls: [] }
        if (asked || !all.includes('Now delete')) return recallModel(vaultScenario)(prompt)
        asked = true
        const look = { id: 'look_1', tool: 'precis_recall', input: JSON.stringify({ query: questionOf(vault) }) }
        return { text: '', thinking: 'Which one?', calls: [look, { id: 'delete_1', tool: 'delete_file', input: '{"path":"x"}' }] }
      },
    })
    const remove = tool({
      name: 'delete_file',
      description: 'Deletes.',
      parameters: z.object({ path: z.string() }),
      needsApproval: true,
      execute: async () => 'It is done.',
    })
    const agent = reader({ tools: [readFileTool, remove] })
    const first = await runnerOf(models(provider)).run(agent, 'Read the file of each vault.', { maxTurns: 40 })
    const waiting = await runnerOf(models(provider)).run(agent, [...first.history, { role: 'user', content: 'Now delete it.' }], { maxTurns: 40 })
    expect(waiting.interruptions).toHaveLength(1)
    expect(waiting.state.toString()).not.toContain('precis_recall')
    const state = await RunState.fromString(agent, waiting.state.toString())
    for (const item of state.getInterruptions()) state.approve(item)
    const result = await runnerOf(models(provider)).run(agent, state)
    expect(result.finalOutput).toBe('All done.')
    expect(provider.requests.every(({ status }) => status === 200)).toBe(true)
  })
  it('each round is a span of the SDK’s own, and a look-up one of ours between them', async () => {
    const spans: { type: string; name?: string }[] = []
    const processor = {
      onTraceStart: async () => {},
      onTraceEnd: async () => {},
      onSpanStart: async () => {},
      onSpanEnd: async ({ spanData }: { spanData: { type: string; name?: string } }) => void spans.push(spanData),
      shutdown: async () => {},
      forceFlush: async () => {},
    }
    setTracingDisabled(false)
    setTraceProcessors([processor as never])
    const provider = await start({ model: recallModel(vaultScenario, { looksUp: 'precis_recall' }) })
    const [vault] = vaults as [(typeof vaults)[number]]
    const wrapped = models(provider, { trace: agentsTrace({ getCurrentTrace, withCustomSpan }) })
    const first = await new Runner({ modelProvider: wrapped }).run(reader(), 'Read the file of each vault.', { maxTurns: 40 })
    for (const stream of [false, true]) {
      const before = [spans.length, provider.requests.length] as const
      const input: AgentInputItem[] = [...first.history, { role: 'user', content: questionOf(vault) }]
      const runner = new Runner({ modelProvider: wrapped })
      const result = stream ? await runner.run(reader(), input, { stream }) : await runner.run(reader(), input)
      if ('completed' in result) await result.completed
      expect(result.finalOutput).toBe(vault.code)
      const own = spans.slice(before[0])
      expect(own.filter(({ type }) => type === 'response')).toHaveLength(provider.requests.length - before[1])
      expect(own.some((span) => span.type === 'custom' && JSON.stringify(span).includes('recall'))).toBe(true)
    }
  })
})
