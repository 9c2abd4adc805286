import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled, tool, Usage } from '@openai/agents'
import { aisdk } from '@openai/agents-extensions/ai-sdk'
import type { CompactionReport } from '@precis/core'
import { recallTool, type WithCompactionOptions, withCompaction } from '@precis/openai-agents'
import { type Declared, type ModelReply, type PromptEntry, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { questionOf, readFileTool, vaultScenario, vaults, vaultText } from '../vaults.ts'

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const name = 'precis_recall'
const limits = { contextWindow: 12_000, maxOutput: 500 }
const [vault] = vaults as [(typeof vaults)[number]]

const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, model: recallModel(vaultScenario, { looksUp: name, thinks: true }), ...more })
  open.push(provider)
  return provider
}
/** A history of all vaults, long enough that most of it leaves. */
const history = [
  { role: 'user', content: 'Read the file of each vault.' },
  ...vaults.flatMap(({ path }, at) => [
    { type: 'function_call', callId: `step_${at}`, name: 'read_file', arguments: JSON.stringify({ path }), status: 'completed' },
    { type: 'function_call_result', callId: `step_${at}`, name: 'read_file', status: 'completed', output: { type: 'text', text: vaultText(path) } },
  ]),
  { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'All vaults are read.' }] },
] as AgentInputItem[]
const asked = (of = vault): AgentInputItem[] => [...history, { role: 'user', content: questionOf(of) }]

const wires = { chat: false, responses: true } as const
type WireName = keyof typeof wires
const providerFor = (wire: WireName, { url }: StrictProvider) =>
  new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 }) as never, useResponses: wires[wire] })
const wrap = (wire: WireName, provider: StrictProvider, options: WithCompactionOptions = {}) =>
  withCompaction(providerFor(wire, provider), { limits, ...options })

interface Asked {
  readonly stream?: boolean
  readonly input?: AgentInputItem[]
  readonly agent?: object
  readonly options?: object
}
const ask = async (modelProvider: object, { stream = false, input = asked(), agent = {}, options = {} }: Asked = {}) => {
  const reader = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500 }, ...agent })
  const runner = new Runner({ modelProvider: modelProvider as never })
  const result = stream
    ? await runner.run(reader, input, { maxTurns: 8, ...options, stream: true })
    : await runner.run(reader, input, { maxTurns: 8, ...options })
  const events: { type: string; data?: { type: string; event?: object } }[] = []
  if ('completed' in result) {
    for await (const event of result) events.push(event as never)
    await result.completed
  }
  return { result, events, text: result.finalOutput as unknown, turns: result.rawResponses.length, history: result.history }
}
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
const finds = (prompt: readonly PromptEntry[]) => ({ text: prompt.some(({ text }) => text.includes(`opens with code ${vault.code}`)) ? 'found' : 'lost' })

describe.each(['chat', 'responses'] as const)('recall over %s', (wire) => {
  describe.each([false, true])('streamed: %s', (stream) => {
    it('a conversation that goes on without us is as valid', async () => {
      const provider = await start({
        window: 200_000,
        model: scripted(
          () => ({ text: 'Let me see.', calls: [look()] }),
          () => ({ calls: [look()] }),
          () => ({ text: 'There it is.' }),
        ),
      })
      const { history: said, turns } = await ask(wrap(wire, provider), { stream })
      expect([provider.requests.length, turns]).toEqual([3, 1])
      const words = said.flatMap((item) => ('content' in item && item.type === 'message' ? [JSON.stringify(item.content)] : []))
      expect(words.slice(-2)).toEqual([expect.stringContaining('Let me see.'), expect.stringContaining('There it is.')])
      await ask(providerFor(wire, provider), { stream, input: [...said, { role: 'user', content: 'And now?' }] })
      expect(refusals(provider)).toEqual([])
    })
    it('a look-up beside a call of the agent: that is returned, and ours is answered at its place', async () => {
      const provider = await start({ model: scripted(() => ({ text: 'Both at once.', calls: [look(), read(), look({ message: 2 })] }), finds) })
      const { text, turns, history: said, events, result } = await ask(wrap(wire, provider), { stream })
      expect(refusals(provider)).toEqual([])
      expect([text, turns]).toEqual(['found', 2])
      expect(JSON.stringify([said, result.rawResponses]).includes(name)).toBe(false)
      expect(JSON.stringify(events.filter(({ data }) => data?.event !== undefined))).not.toContain(name)
      const newest = provider.requests[1]?.prompt ?? []
      expect(newest.filter(({ isResult }) => isResult).length).toBe(newest.flatMap(({ callIds }) => callIds).length)
      expect(newest.slice(-3).every(({ isResult }) => isResult)).toBe(true)
      expect(
        newest
          .flatMap(({ callIds }) => callIds)
          .slice(-3)
          .map((id) => id.split('_')[0]),
      ).toEqual(['look', 'read', 'look'])
      // Another process has nothing of it, and is as valid.
      await ask(wrap(wire, provider), { stream, input: [...said, { role: 'user', content: 'And now?' }] })
      await ask(providerFor(wire, await start({ window: 200_000 })), { stream, input: [...said, { role: 'user', content: 'And now?' }] })
      expect(open.flatMap(refusals)).toEqual([])
    })
    it('at most two rounds are answered; then it goes on without', async () => {
      const provider = await start({ model: scripted((_, declared) => (declared.tools.includes(name) ? { calls: [look()] } : { text: 'Then without.' })) })
      const { text, turns } = await ask(wrap(wire, provider), { stream })
      expect([text, turns]).toEqual(['Then without.', 1])
      expect(refusals(provider)).toEqual([])
      expect(offered(provider)).toEqual([true, true, true, false])
      expect(provider.requests[2]?.prompt.at(-1)?.text).toContain('This was the last look-up of this step')
      expect(provider.requests[3]?.prompt.at(-1)?.text).toContain('No more look-ups')
    })
    it.each(['Hm. ', ''])('a model that is never satisfied ends its step with what it said: "%s"', async (said) => {
      const provider = await start({ model: scripted(() => ({ text: said, calls: [look()] })) })
      const { text, turns } = await ask(wrap(wire, provider), { stream })
      expect(provider.requests).toHaveLength(4)
      // Which texts of a reply are its final output is the SDK's matter.
      expect([said, said.repeat(4)]).toContain(text)
      expect(turns).toBe(1)
    })
    it('a provider that refuses our tool is asked without it, and not again', async () => {
      const provider = await start({ refusesTools: (all) => (all.includes(name) ? 'tools: this name is not allowed here' : undefined) })
      const model = wrap(wire, provider)
      expect([(await ask(model, { stream })).text, (await ask(model, { stream })).text]).toEqual(['I do not know.', 'I do not know.'])
      expect(offered(provider)).toEqual([true, false, false])
    })
    it('an object is what the model says last', async () => {
      const provider = await start({
        model: scripted(
          () => ({ text: 'Let me see.', calls: [look()] }),
          () => ({ text: '{"code":"x"}' }),
        ),
      })
      const model = wrap(wire, provider)
      const { text, history: said } = await ask(model, { stream, agent: { outputType: z.object({ code: z.string() }) } })
      expect(text).toEqual({ code: 'x' })
      await ask(model, { stream, input: [...said, { role: 'user', content: 'And now?' }] })
      expect(refusals(provider)).toEqual([])
    })
    it('an error in a later round is the provider’s own', async () => {
      const provider = await start({ hiccups: { 1: 503 } })
      await expect(ask(wrap(wire, provider), { stream })).rejects.toMatchObject({ status: 503 })
    })
  })
  it('a round stays where it was asked for until the next compaction: the prompt’s beginning is kept', async () => {
    const provider = await start()
    const reports: CompactionReport[] = []
    const model = wrap(wire, provider, { onReport: (report) => reports.push(report) })
    let chat = history
    for (const one of vaults) chat = (await ask(model, { input: [...chat, { role: 'user', content: questionOf(one) }] })).history
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
  const models = wrap('chat', provider)
  const other = (text: string): AgentInputItem[] => [...history.slice(0, 20), { role: 'user', content: text }, ...history.slice(20)]
  const first = await ask(models)
  const second = await ask(models, { input: [...other('I am another.'), { role: 'user', content: questionOf(vault) }] })
  expect([first.text, second.text]).toEqual([vault.code, vault.code])
  const looks = () => (provider.requests.at(-1)?.prompt ?? []).flatMap(({ callIds }) => callIds.filter((id) => id.startsWith('look_')))
  const before = provider.requests.length
  for (const { history: said } of [first, second]) {
    await ask(models, { input: [...said, { role: 'user', content: 'Thank you.' }] })
    expect(looks()).toHaveLength(1)
  }
  expect(provider.requests.length - before).toBe(2)
})

describe('offered', () => {
  it('from the first compaction on, and from then on in every call', async () => {
    const provider = await start({ model: recallModel(vaultScenario) })
    await ask(wrap('chat', provider), { input: history.slice(0, 1), options: { maxTurns: 40 } })
    const seen = offered(provider)
    const from = seen.indexOf(true)
    expect(from).toBeGreaterThan(2)
    expect(seen.slice(from).every(Boolean)).toBe(true)
  })
  it.each<readonly [string, Asked, WithCompactionOptions]>([
    ['a call without tools', { agent: { tools: [] } }, {}],
    ['recall: "off"', {}, { recall: 'off' }],
    ['recall: "tool"', {}, { recall: 'tool' }],
    ['a stored prompt', { agent: { prompt: { promptId: 'pmpt_1' } } }, {}],
    ['settings that name a conversation of the provider’s', { agent: { modelSettings: { providerData: { conversation: 'conv_1' } } } }, {}],
  ])('not in %s', async (_, more, options) => {
    const provider = await start({ model: () => ({ text: 'ok', calls: [] }) })
    await ask(wrap('responses', provider, options), more)
    expect(new Set(offered(provider))).toEqual(new Set([false])) // and once more where it was refused for its size
  })
  it.each([{ previousResponseId: 'resp_1' }, { conversationId: 'conv_1' }])('not where the server keeps the conversation: %s', async (options) => {
    const seen: { tools: unknown[] }[] = []
    const inner = {
      getResponse: async (request: never) => {
        seen.push(request)
        return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'ok' }] }] }
      },
      getStreamedResponse: async function* () {},
    }
    await ask({ getModel: () => withCompaction(inner, { limits }) }, { options })
    expect(seen[0]?.tools).toHaveLength(1)
  })
  it('not with PRECIS_RECALL=off', async () => {
    vi.stubEnv('PRECIS_RECALL', 'off')
    const provider = await start()
    await ask(wrap('chat', provider))
    expect(offered(provider)).toEqual([false])
  })
  it('also where a choice forbids a call: the list stays', async () => {
    const provider = await start({ model: () => ({ text: 'ok', calls: [] }) })
    await ask(wrap('chat', provider), { agent: { modelSettings: { toolChoice: 'none' } } })
    expect(provider.requests[0]?.declared).toEqual({ tools: ['read_file', name], toolChoice: 'none' })
  })
  it('to an agent that has handoffs alone', async () => {
    const provider = await start()
    const other = new Agent({ name: 'other', model: 'strict' })
    expect((await ask(wrap('chat', provider), { agent: { tools: [], handoffs: [other] } })).text).toBe(vault.code)
  })
  it('a tool of the host with the same name is the host’s', async () => {
    const provider = await start()
    const own = tool({
      name,
      description: 'mine',
      parameters: z.object({ query: z.string() }),
      execute: async () => `vault of ${vault.place} opens with code MINE-1`,
    })
    const { text, turns } = await ask(wrap('chat', provider), { agent: { tools: [readFileTool, own] } })
    expect(provider.requests.map(({ declared }) => declared.tools.length)).toEqual([2, 2])
    expect([text, turns]).toEqual(['MINE-1', 2])
  })
  it.each([false, true])('recall: "tool" is answered by the agent’s own loop, from the same history; streamed: %s', async (stream) => {
    const provider = await start()
    const models = wrap('chat', provider, { recall: 'tool' })
    const { text, turns, history: said } = await ask(models, { stream, agent: { tools: [readFileTool, recallTool(models)] } })
    expect([text, turns]).toEqual([vault.code, 2])
    expect(JSON.stringify(said)).toContain(name)
  })
})

describe('what the framework sees', () => {
  it.each(['chat', 'responses'] as const)(
    'over %s a stream flows: words before a look-up pass at once, nothing of it is in raw events, and no number comes twice',
    async (wire) => {
      const provider = await start({
        model: scripted(
          () => ({ text: 'Let me see. ', calls: [look()] }),
          () => ({ text: 'There it is.' }),
        ),
      })
      const { events, text } = await ask(wrap(wire, provider), { stream: true })
      expect(text).toMatch(/There it is\.$/)
      const data = events.flatMap((event) => (event.data === undefined ? [] : [event.data]))
      expect(
        data
          .filter(({ type }) => type === 'output_text_delta')
          .map((one) => (one as { delta?: string }).delta)
          .join(''),
      ).toBe('Let me see. There it is.')
      expect(data.filter(({ type }) => type === 'response_started')).toHaveLength(1)
      expect(data.filter(({ type }) => type === 'response_done')).toHaveLength(1)
      const raw = data.flatMap(({ event }) => (event === undefined ? [] : [event])) as {
        type?: string
        sequence_number?: number
        output_index?: number
        item?: object
      }[]
      expect(JSON.stringify(raw)).not.toMatch(/precis_recall|"function_call|"tool_calls"/)
      const numbers = raw.flatMap(({ sequence_number: number }) => number ?? [])
      expect(numbers).toEqual([...numbers].toSorted((a, b) => a - b))
      expect(new Set(numbers).size).toBe(numbers.length)
      const begun = raw.flatMap(({ type, output_index: index }) => (type === 'response.output_item.added' ? [index] : []))
      expect(new Set(begun).size).toBe(begun.length)
    },
  )
  it('no round is begun after half of the time that the agent gives a call', async () => {
    const slow = recallModel(vaultScenario, { looksUp: name })
    const provider = await start({
      model: (prompt, declared) => {
        const until = performance.now() + 600
        while (performance.now() < until);
        return slow(prompt, declared)
      },
    })
    await ask(wrap('chat', provider), { agent: { modelSettings: { timeoutMs: 5_000 } } })
    const patient = offered(provider).length
    const hasty = await start({
      model: (prompt, declared) => {
        const until = performance.now() + 600
        while (performance.now() < until);
        return slow(prompt, declared)
      },
    })
    await ask(wrap('chat', hasty), { agent: { modelSettings: { timeoutMs: 1_150 } } }).catch(() => undefined)
    expect([patient, hasty.requests.at(-1)?.prompt.at(-1)?.text]).toEqual([2, expect.stringContaining('No more look-ups')])
  })
  it.each([false, true])('a model of another kind, through aisdk(); streamed: %s', async (stream) => {
    const provider = await start({ model: scripted(() => ({ text: 'Hm. ', calls: [look()] }), finds) })
    const inner = aisdk(createOpenAICompatible({ name: 'strict', baseURL: provider.url, apiKey: 'none', includeUsage: true })('strict') as never)
    const { text, events, turns } = await ask({ getModel: () => withCompaction(inner, { limits }) }, { stream })
    expect([text, turns, provider.requests.length]).toEqual(['found', 1, 2])
    expect(JSON.stringify(events.filter(({ data }) => data?.event !== undefined))).not.toContain(name)
    expect(refusals(provider)).toEqual([])
  })
  it('what is neither a provider nor a model is refused with what to write', () => {
    expect(() => withCompaction({})).toThrow(/model is .*expected a provider such as new OpenAIProvider\(\)/)
    expect(() => withCompaction(new OpenAIProvider({ apiKey: 'none' }), { recall: 'yes' as never })).toThrow(/recall is "yes"; expected "on", "tool" or "off"/)
  })
})
