import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { contextBudgetExceeded, recallTool, type WithCompactionOptions, withCompaction } from '@precis/ai-sdk'
import type { CompactionReport } from '@precis/core'
import { type Declared, type ModelReply, type PromptEntry, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, type LanguageModel, type ModelMessage, Output, streamText, type ToolSet, tool } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test'
import { MockLanguageModelV2 } from 'ai-v5/test'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { questionOf, vaultScenario, vaults, vaultText } from '../vaults.ts'

type Model = Exclude<LanguageModel, string>
const open: StrictProvider[] = []
afterEach(async () => {
  delete process.env['PRECIS_RECALL']
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const name = 'precis_recall'
const tools: ToolSet = {
  read_file: tool({ description: 'Reads a file.', inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => vaultText(path) }),
}
const limits = { contextWindow: 12_000, maxOutput: 500 }
const wires = {
  chat: ({ url }: StrictProvider) => createOpenAICompatible({ baseURL: url, apiKey: 'none', name: 'strict', includeUsage: true })('strict'),
  responses: ({ url }: StrictProvider) => createOpenAI({ baseURL: url, apiKey: 'none' }).responses('strict'),
  anthropic: ({ url }: StrictProvider) => createAnthropic({ baseURL: url, apiKey: 'none' })('strict'),
  google: ({ url }: StrictProvider) => createGoogleGenerativeAI({ baseURL: url, apiKey: 'none' })('strict'),
} as const
type WireName = keyof typeof wires
const names = Object.keys(wires) as WireName[]
const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } }

const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, model: recallModel(vaultScenario, { looksUp: name, thinks: true }), ...more })
  open.push(provider)
  return provider
}
/** A history of all vaults, long enough that most of it leaves. */
const history: readonly ModelMessage[] = [
  { role: 'user', content: 'Read the file of each vault.' },
  ...vaults.flatMap(({ path }, at): ModelMessage[] => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `step_${at}`, toolName: 'read_file', input: { path } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `step_${at}`, toolName: 'read_file', output: { type: 'text', value: vaultText(path) } }] },
  ]),
  { role: 'assistant', content: 'All vaults are read.' },
]
const [vault] = vaults as [(typeof vaults)[number]]
const asked = (of = vault): ModelMessage[] => [...history, { role: 'user', content: questionOf(of) }]
const wrap = (wire: WireName, provider: StrictProvider, options: WithCompactionOptions = {}): Model =>
  withCompaction(wires[wire](provider) as never, { limits, ...options }) as Model
const ask = (model: Model, messages: readonly ModelMessage[] = asked(), more: object = {}) =>
  generateText({
    model,
    messages: [...messages],
    tools,
    stopWhen: isStepCount(8),
    maxRetries: 0,
    maxOutputTokens: 500,
    providerOptions: thinking,
    ...more,
  } as Parameters<typeof generateText>[0])
const refusals = ({ requests }: StrictProvider) => requests.flatMap(({ status, violations }) => (status === 200 ? [] : [violations[0]?.message ?? 'overflow']))
const offered = ({ requests }: StrictProvider) => requests.map(({ declared }) => declared.tools.includes(name))
/** Replies by what was asked of the provider so far. */
const scripted = (...replies: readonly ((prompt: readonly PromptEntry[], declared: Declared) => Partial<ModelReply>)[]) => {
  let at = 0
  return (prompt: readonly PromptEntry[], declared: Declared): ModelReply => ({
    text: '',
    calls: [],
    thinking: `Thought ${at}.`,
    ...replies[Math.min(at++, replies.length - 1)]?.(prompt, declared),
  })
}
let ids = 0
const look = (input: object = { query: questionOf(vault) }) => ({ id: `look_${++ids}`, tool: name, input: JSON.stringify(input) })
const read = () => ({ id: `read_${++ids}`, tool: 'read_file', input: JSON.stringify({ path: 'src/other.ts' }) })

describe.each(names)('recall over %s', (wire) => {
  it('another process for every turn: nothing of a hidden round is refused', async () => {
    const provider = await start()
    const chat = [...history]
    for (const one of vaults) {
      chat.push({ role: 'user', content: questionOf(one) })
      const result = await ask(wrap(wire, provider), chat)
      expect(result.text).toContain(one.code)
      expect(result.steps).toHaveLength(1)
      chat.push(...result.responseMessages)
    }
    expect(refusals(provider)).toEqual([])
  })
  it.each(['generate', 'stream'] as const)('a conversation that goes on without us is as valid: %s', async (mode) => {
    const provider = await start({ window: 200_000 })
    const model = wrap(wire, provider)
    const options = { model, messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<typeof streamText>[0]
    const streamed = mode === 'stream' ? streamText(options) : undefined
    const said = streamed === undefined ? (await ask(model)).responseMessages : await streamed.responseMessages
    expect(provider.requests).toHaveLength(2)
    await ask(wires[wire](provider), [...asked(), ...said, { role: 'user', content: questionOf(vaults[1] ?? vault) }])
    expect(refusals(provider)).toEqual([])
  })
  it('a look-up beside a call of the agent: that is returned, and ours is answered at its place', async () => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Both at once.', calls: [look(), read(), look({ message: 2 })] }),
        (prompt) => ({
          text: prompt.flatMap(({ text }) => /opens with code (\w+-\d+)/.exec(text.replaceAll('\\n', '\n'))?.[1] ?? []).includes(vault.code) ? 'found' : 'lost',
        }),
      ),
    })
    const result = await ask(wrap(wire, provider))
    expect(refusals(provider)).toEqual([])
    expect(result.text).toBe('found')
    expect(result.steps.map((step) => step.toolCalls.map(({ toolName }) => toolName))).toEqual([['read_file'], []])
    expect(JSON.stringify(result.responseMessages)).not.toContain(name)
    const last = provider.requests[1]?.prompt ?? []
    expect(last.filter(({ isResult }) => isResult).length - last.flatMap(({ callIds }) => callIds).length).toBe(0)
    expect(last.slice(-3).every(({ isResult }) => isResult)).toBe(true)
  })
  it.each(['generate', 'stream'] as const)('at most two rounds are answered; then it goes on without: %s', async (mode) => {
    const provider = await start({ model: scripted((_, declared) => (declared.tools.includes(name) ? { calls: [look()] } : { text: 'Then without.' })) })
    const model = wrap(wire, provider)
    const text =
      mode === 'generate'
        ? (await ask(model)).text
        : await streamText({ model, messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<typeof streamText>[0]).text
    expect(text).toBe('Then without.')
    expect(refusals(provider)).toEqual([])
    expect(offered(provider)).toEqual([true, true, true, false])
    expect(provider.requests[2]?.prompt.at(-1)?.text).toContain('This was the last look-up of this step')
    expect(provider.requests[3]?.prompt.at(-1)?.text).toContain('No more look-ups')
  })
  it('a model that is never satisfied ends its step with what it said', async () => {
    const provider = await start({ model: scripted(() => ({ text: 'Hm. ', calls: [look()] })) })
    const result = await ask(wrap(wire, provider))
    expect(provider.requests).toHaveLength(4)
    expect(result.steps).toHaveLength(1)
    expect([result.finishReason, result.toolCalls]).toEqual(['stop', []])
    expect(result.text).toBe('Hm. Hm. Hm. Hm. ')
  })
  it.each(['generate', 'stream'] as const)('a provider that refuses our tool is asked without it, and not again: %s', async (mode) => {
    const provider = await start({ refusesTools: (all) => (all.includes(name) ? 'tools: this name is not allowed here' : undefined) })
    const model = wrap(wire, provider)
    const run = async () =>
      mode === 'generate'
        ? (await ask(model)).text
        : streamText({ model, messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<typeof streamText>[0]).text
    expect([await run(), await run()]).toEqual(['I do not know.', 'I do not know.'])
    expect(offered(provider)).toEqual([true, false, false])
  })
  it('a round stays where it was asked for until the next compaction: the prompt’s beginning is kept', async () => {
    const provider = await start()
    const reports: CompactionReport[] = []
    const model = wrap(wire, provider, { onReport: (report) => reports.push(report) })
    const chat = [...history]
    for (const one of vaults) {
      chat.push({ role: 'user', content: questionOf(one) })
      chat.push(...(await ask(model, chat)).responseMessages)
    }
    expect(refusals(provider)).toEqual([])
    const prompts = provider.requests.map(({ prompt }) => prompt.map(({ role, text }) => `${role}: ${text}`))
    const broken = prompts.slice(1).filter((prompt, at) => prompts[at]?.some((entry, index) => entry !== prompt[index])).length
    const compactions = reports.filter(({ outcome }) => outcome === 'summarized' || outcome === 'pruned').length
    expect(broken).toBeLessThan(compactions)
    expect(prompts.length).toBeGreaterThan(vaults.length * 1.5)
  })
})

it('conversations that begin alike keep each its own look-ups', async () => {
  const provider = await start()
  const model = wrap('chat', provider)
  const another = [
    ...history.slice(0, 5),
    { role: 'user' as const, content: 'I am another.' },
    ...history.slice(5),
    { role: 'user' as const, content: questionOf(vault) },
  ]
  const chats = [asked(), another]
  const answers = [await ask(model, chats[0]), await ask(model, chats[1])]
  expect(answers.map(({ text }) => text)).toEqual([vault.code, vault.code])
  const before = provider.requests.length
  for (const [at, { responseMessages }] of answers.entries()) {
    await ask(model, [...(chats[at] ?? []), ...responseMessages, { role: 'user', content: 'Thank you.' }])
    expect(provider.requests.at(-1)?.prompt.flatMap(({ callIds }) => callIds.filter((id) => id.startsWith('look_')))).toHaveLength(1)
  }
  expect(provider.requests.length - before).toBe(2)
})

describe('offered', () => {
  it('from the first compaction on, and from then on in every call', async () => {
    const provider = await start({ model: recallModel(vaultScenario) })
    await ask(wrap('chat', provider), history.slice(0, 1), { stopWhen: isStepCount(40) })
    const seen = offered(provider)
    const from = seen.indexOf(true)
    expect(from).toBeGreaterThan(2)
    expect(seen.slice(from).every(Boolean)).toBe(true)
  })
  it.each<readonly [string, object, WithCompactionOptions]>([
    ['a call without tools', { tools: undefined }, {}],
    ['recall: "off"', {}, { recall: 'off' }],
    ['recall: "tool"', {}, { recall: 'tool' }],
    ['a conversation that the provider keeps', { providerOptions: { openai: { previousResponseId: 'resp_1' } } }, {}],
  ])('not in %s', async (_, more, options) => {
    const provider = await start()
    await ask(wrap('chat', provider, options), undefined, more)
    expect(new Set(offered(provider))).toEqual(new Set([false])) // and once more where it was refused for its size
  })
  it('not with PRECIS_RECALL=off', async () => {
    process.env['PRECIS_RECALL'] = 'off'
    const provider = await start()
    await ask(wrap('chat', provider))
    expect(offered(provider)).toEqual([false])
  })
  it('also where a choice forbids or names another: the list stays', async () => {
    const provider = await start({ model: () => ({ text: 'ok', calls: [] }) })
    await ask(wrap('chat', provider), undefined, { toolChoice: 'none' })
    expect(provider.requests[0]?.declared).toEqual({ tools: ['read_file', name], toolChoice: 'none' })
  })
  it('a tool of the host with the same name is the host’s', async () => {
    const provider = await start()
    const own = {
      ...tools,
      [name]: tool({ description: 'mine', inputSchema: z.object({ query: z.string() }), execute: async () => `opens with code ${'MINE-1'}` }),
    }
    const result = await ask(wrap('chat', provider), undefined, { tools: own })
    expect(provider.requests.map(({ declared }) => declared.tools)).toEqual([
      ['read_file', name],
      ['read_file', name],
    ])
    expect(result.steps[0]?.toolCalls[0]?.toolName).toBe(name)
  })
  it('recall: "tool" is answered by the agent’s own loop, from the same history', async () => {
    const provider = await start()
    const model = wrap('chat', provider, { recall: 'tool' })
    const result = await ask(model, undefined, { tools: { ...tools, ...recallTool(model) } })
    expect(result.text).toBe(vault.code)
    expect(result.steps.map((step) => step.toolCalls.map(({ toolName }) => toolName))).toEqual([[name], []])
  })
})

describe('what the provider sees, and the framework', () => {
  it('an object is what the model says last', async () => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Let me see.', calls: [look()] }),
        () => ({ text: '{"code":"x"}' }),
      ),
    })
    const output = Output.object({ schema: z.object({ code: z.string() }) })
    expect((await ask(wrap('responses', provider), undefined, { output })).output).toEqual({ code: 'x' })
  })
  it.each<readonly [string, object]>([
    ['a part of nothing', { role: 'assistant', content: [null] }],
    ['marks that are none', { role: 'assistant', content: [{ type: 'text', text: 'x', providerOptions: { precis: { round: 'one' } } }] }],
    ['options of nothing', { role: 'assistant', content: [{ type: 'text', text: 'x', providerOptions: null }] }],
  ])('a prompt with %s is the provider’s to judge', async (_, message) => {
    const seen: unknown[] = []
    const inner = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        seen.push(prompt)
        return { content: [], finishReason: { unified: 'stop', raw: 'stop' }, usage: {}, warnings: [] } as never
      },
    })
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }, message] as never
    await withCompaction(inner, { limits }).doGenerate({ prompt, providerOptions: { precis: null } as never })
    expect(seen).toEqual([prompt])
  })
  it('a session named by a call is taken out of its options', async () => {
    const provider = await start({ model: () => ({ text: 'ok', calls: [] }) })
    const seen: unknown[] = []
    const inner = wires.chat(provider)
    const spy = new MockLanguageModelV4({
      doGenerate: async (options) => {
        seen.push(options.providerOptions)
        return (await inner.doGenerate(options as never)) as never
      },
    })
    await generateText({ model: withCompaction(spy, { limits }), prompt: 'hi', providerOptions: { precis: { session: 'a' }, other: { x: 1 } } })
    expect(seen).toEqual([{ other: { x: 1 } }])
  })
  it('the newest prompt, not the bill, says when a run grew too large', async () => {
    const provider = await start()
    const { steps } = await ask(wrap('chat', provider))
    const inputs = provider.requests.map(({ inputTokens }) => inputTokens)
    expect(inputs).toHaveLength(2)
    expect(steps[0]?.usage.inputTokens).toBe((inputs[0] ?? 0) + (inputs[1] ?? 0))
    expect(contextBudgetExceeded(inputs[1] ?? 0)({ steps })).toBe(false)
    expect(contextBudgetExceeded((inputs[1] ?? 0) - 1)({ steps })).toBe(true)
  })
  it('a stream flows: words before a look-up pass at once, and no id is used twice', async () => {
    const provider = await start({
      model: scripted(
        () => ({ text: 'Let me see. ', calls: [look()] }),
        () => ({ text: 'There it is.' }),
      ),
    })
    const parts: { type: string; id?: string }[] = []
    const result = streamText({ model: wrap('anthropic', provider), messages: asked(), tools, maxRetries: 0, providerOptions: thinking } as Parameters<
      typeof streamText
    >[0])
    for await (const part of result.stream) parts.push(part as { type: string; id?: string })
    const kinds = parts.map(({ type }) => type)
    expect(kinds.filter((type) => type.startsWith('tool'))).toEqual([])
    expect(kinds.filter((type) => type === 'finish-step' || type === 'finish')).toHaveLength(2)
    const begun = parts.filter(({ type }) => type === 'text-start' || type === 'reasoning-start').map(({ type, id }) => `${type} ${id}`)
    expect(new Set(begun).size).toBe(begun.length)
    expect(begun).toHaveLength(4)
    expect(await result.text).toBe('Let me see. There it is.')
  })
  it.each(['generate', 'stream'] as const)('an error in a later round is the provider’s own: %s', async (mode) => {
    const provider = await start({ hiccups: { 1: 503 } })
    const model = wrap('chat', provider)
    if (mode === 'generate') return expect(ask(model)).rejects.toMatchObject({ statusCode: 503 })
    const errors: unknown[] = []
    const result = streamText({ model, messages: asked(), tools, maxRetries: 0, onError: ({ error }) => void errors.push(error) } as Parameters<
      typeof streamText
    >[0])
    await result.consumeStream()
    expect(errors).toMatchObject([{ statusCode: 503 }])
  })
  it('no round is begun after half of a deadline that the call states', async () => {
    const slow = recallModel(vaultScenario, { looksUp: name })
    const provider = await start({
      model: (prompt, declared) => {
        const until = performance.now() + 60
        while (performance.now() < until);
        return slow(prompt, declared)
      },
    })
    await ask(wrap('chat', provider), undefined, { providerOptions: { precis: { deadline: 100 } } })
    expect(offered(provider)).toEqual([true, false])
    expect(provider.requests[1]?.prompt.at(-1)?.text).toContain('No more look-ups')
  })
  it.each([
    ['v2', MockLanguageModelV2],
    ['v3', MockLanguageModelV3],
    ['v4', MockLanguageModelV4],
  ])('a model of %s stays one', (version, Mock) => {
    const inner = new Mock({ provider: 'p', modelId: 'm', supportedUrls: { 'image/*': [/^https:/] } })
    const model = withCompaction(inner)
    expect([model.specificationVersion, model.provider, model.modelId]).toEqual([version, 'p', 'm'])
    expect(model.supportedUrls).toEqual(inner.supportedUrls)
  })
  it('keep-alives and parts of later versions pass in every round', async () => {
    let calls = 0
    const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: { total: 9 }, outputTokens: { total: 1 } } }
    const inner = new MockLanguageModelV4({
      doStream: async () => {
        const said = [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'done' },
          { type: 'text-end', id: '1' },
        ]
        const looked = [{ type: 'tool-call', toolCallId: 'l', toolName: name, input: '{"query":"vault"}' }]
        const parts = [{ type: 'stream-start', warnings: [] }, { type: 'ping' }, ...(++calls === 1 ? looked : said), { type: 'queue-position', at: 1 }, finish]
        return { stream: convertArrayToReadableStream(parts as never[]) }
      },
    })
    const { stream } = await withCompaction(inner, { limits }).doStream({
      prompt: history.map((message) =>
        typeof message.content === 'string' ? { ...message, content: [{ type: 'text', text: message.content }] } : message,
      ) as never,
      tools: [{ type: 'function', name: 'read_file', inputSchema: {} }],
    })
    const seen: string[] = []
    for await (const part of stream as unknown as AsyncIterable<{ type: string }>) seen.push(part.type)
    expect(seen).toEqual(['stream-start', 'ping', 'queue-position', 'ping', 'text-start', 'text-delta', 'text-end', 'queue-position', 'finish'])
  })
  it('a name is the SDK’s own provider’s, or refused with the line to write', () => {
    expect(() => withCompaction('openai/gpt-5.2')).toThrow('withCompaction(gateway("openai/gpt-5.2"))')
    expect(() => withCompaction({} as never)).toThrow(/model is .*expected a model object/)
    expect(() => withCompaction(new MockLanguageModelV4(), { recall: 'yes' as never })).toThrow(/recall is "yes"; expected "on", "tool" or "off"/)
  })
})
