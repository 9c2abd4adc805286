import {
  Agent,
  type AgentInputItem,
  addTraceProcessor,
  getCurrentTrace,
  handoff,
  MemorySession,
  type Model,
  type ModelRequest,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  RunState,
  run,
  setTraceProcessors,
  setTracingDisabled,
  tool,
  Usage,
  withCustomSpan,
  withTrace,
} from '@openai/agents'
import { createArchive, createToolOutputStore, memoryStorage } from '@precis/core'
import { freezeDeep, type ModelReply, recallModel, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type AgentItem,
  agentsTrace,
  cacheToolOutputs,
  compactionFilter,
  compactionSession,
  compactionTools,
  createCodec,
  modelSummarizer,
  sessionOf,
  withCompaction,
} from '../src/index.ts'

// Traps of the SDK and of the Responses API, each seen in a real version or a public thread.

const limits = { contextWindow: 6_000, maxInput: 6_000 }
const words = (count: number, seed = 'word'): string => Array.from({ length: count }, (_, at) => `${seed}${at % 89}`).join(' ')
const user = (text: string): AgentItem => ({ type: 'message', role: 'user', content: text })
const said = (text: string): AgentItem => ({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] })
const call = (callId: string, more: object = {}): AgentItem => ({ type: 'function_call', callId, name: 'read', arguments: '{}', status: 'completed', ...more })
const result = (callId: string, text: string): AgentItem => ({
  type: 'function_call_result',
  callId,
  name: 'read',
  status: 'completed',
  output: { type: 'text', text },
})
/** Steps in which the assistant says much: what it said cannot be shortened, only summarized. */
const steps = (count: number): AgentItem[] =>
  Array.from({ length: count }, (_, at) => [call(`s${at}`), result(`s${at}`, words(30)), said(`${at} ${words(280)}`)]).flat()

type Reply = string | { readonly calls: readonly (readonly [id: string, name: string, input: object])[]; readonly usage?: number }

/** A model that says what it is told to, and remembers what it was sent. */
function scripted(...replies: Reply[]) {
  const requests: ModelRequest[] = []
  const answer = (request: ModelRequest) => {
    requests.push({ ...request, input: structuredClone(request.input) })
    const reply = replies[Math.min(requests.length, replies.length) - 1] ?? 'done'
    const output =
      typeof reply === 'string'
        ? [{ type: 'message', role: 'assistant', status: 'completed', id: `m${requests.length}`, content: [{ type: 'output_text', text: reply }] }]
        : reply.calls.map(([callId, name, input]) => ({ type: 'function_call', callId, name, arguments: JSON.stringify(input), status: 'completed' }))
    const inputTokens = typeof reply === 'string' ? 10 : (reply.usage ?? 10)
    return { usage: new Usage({ requests: 1, inputTokens, outputTokens: 5, totalTokens: inputTokens + 5 }), output, responseId: `r${requests.length}` }
  }
  const model = {
    getResponse: async (request: ModelRequest) => answer(request),
    async *getStreamedResponse(request: ModelRequest) {
      const response = answer(request)
      yield { type: 'response_done', response: { id: response.responseId, usage: response.usage, output: response.output } }
    },
  } as unknown as Model
  return { model, requests, inputs: () => requests.map((request) => request.input as AgentItem[]) }
}

const closing: (() => Promise<void>)[] = []
beforeEach(() => setTracingDisabled(true))
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
const plain = (items: readonly unknown[]): string => JSON.stringify(items.map((item) => ({ ...(item as object), id: undefined, providerData: undefined })))

/** What a model would be sent for this history, by a wrapped model. */
async function sent(items: readonly AgentItem[]): Promise<AgentItem[]> {
  const { model, inputs } = scripted('ok')
  await withCompaction(model, { limits }).getResponse({
    input: freezeDeep(items),
    modelSettings: {},
    tools: [],
    handoffs: [],
    outputType: 'text',
    tracing: false,
  } as never)
  return inputs()[0] as AgentItem[]
}

describe('items', () => {
  it.each([
    [
      'a shell call',
      { type: 'shell_call', callId: 'x', action: { commands: ['ls'] } },
      { type: 'shell_call_output', callId: 'x', output: [{ stdout: words(200), stderr: '', outcome: { type: 'exit', exitCode: 0 } }] },
    ],
    [
      'a computer call',
      { type: 'computer_call', callId: 'x', action: { type: 'screenshot' } },
      { type: 'computer_call_result', callId: 'x', output: { type: 'computer_screenshot', data: 'iVBOR' } },
    ],
    [
      'a patch',
      { type: 'apply_patch_call', callId: 'x', operation: { type: 'update_file', path: 'a', diff: words(200) } },
      { type: 'apply_patch_call_output', callId: 'x', output: 'done' },
    ],
    [
      'an approval of an MCP call',
      { type: 'hosted_tool_call', id: 'x', name: 'mcp_approval_request', providerData: { arguments: words(99) } },
      { type: 'hosted_tool_call', name: 'mcp_approval_response', providerData: { approval_request_id: 'x', approve: true } },
    ],
    [
      'a search for tools',
      { type: 'tool_search_call', providerData: { call_id: 'x' } },
      { type: 'tool_search_output', providerData: { call_id: 'x', tools: [words(99)] } },
    ],
  ])('%s and its result stay or leave together', async (_, first, second) => {
    for (const place of [1, 13, 31, 55, 61]) {
      const items = [user('go'), ...steps(20), user('and now?')]
      items.splice(place, 0, first as AgentItem, second as AgentItem)
      const shown = await sent(items)
      expect(shown.length).toBeLessThan(items.length)
      const kinds = shown.map((item) => (item.type === 'hosted_tool_call' ? item.name : item.type))
      const has = (item: { type: string; name?: string }) => kinds.includes(item.type === 'hosted_tool_call' ? item.name : item.type)
      expect(has(first)).toBe(has(second))
    }
  })
  it('an approval that nobody has answered yet stays', async () => {
    const request = { type: 'hosted_tool_call', id: 'x', name: 'mcp_approval_request', providerData: { arguments: '{}' } }
    const shown = await sent([user('go'), ...steps(20), user('delete it'), request])
    expect(shown.at(-1)).toEqual(request)
  })
  it('a program, the calls that it makes and its output are one', async () => {
    const program = [
      { type: 'program', callId: 'p', code: 'for …' },
      call('inner', { caller: { type: 'program', callerId: 'p' } }),
      result('inner', words(100)),
      { type: 'program_output', callId: 'p', output: 'done' },
    ]
    for (const place of [1, 31, 58]) {
      const items = [user('go'), ...steps(20), user('and now?')]
      items.splice(place, 0, ...program)
      const shown = await sent(items)
      const found = program.filter((item) => shown.some((one) => one.type === item.type && one.callId === item.callId)).length
      expect([0, program.length]).toContain(found)
    }
  })
  it('reasoning is kept with what follows it, or leaves with it', async () => {
    const thought = (id: string): AgentItem[] => [
      { type: 'reasoning', id: `rs_${id}`, content: [{ type: 'input_text', text: 'hm' }] },
      call(id, { id: `fc_${id}` }),
      result(id, words(250)),
    ]
    const shown = await sent([user('go'), ...Array.from({ length: 20 }, (_, at) => thought(`t${at}`)).flat(), user('and now?')])
    shown.forEach((item, at) => {
      if (item.type === 'reasoning') expect(shown[at + 1]).toMatchObject({ type: 'function_call', id: String(item['id']).replace('rs_', 'fc_') })
      if (item.type === 'function_call') expect(shown[at - 1]?.type).toBe('reasoning')
    })
  })
  it('nothing is put between parallel calls and their results', async () => {
    const fan = [call('a'), call('b'), result('a', words(150)), result('b', words(150))]
    const shown = await sent([user('go'), ...steps(14), ...fan, user('and now?')])
    const at = shown.findIndex((item) => item.callId === 'a')
    if (at >= 0) expect(shown.slice(at, at + 4).map((item) => item.callId)).toEqual(['a', 'b', 'a', 'b'])
  })
  it('a compaction item of the provider is a barrier: kept, and nothing is placed before it', async () => {
    const compaction = { type: 'compaction', id: 'cmp', encrypted_content: 'x' }
    const shown = await sent([compaction, user('on'), ...steps(20), user('and now?')])
    expect(shown[0]).toEqual(compaction)
    expect(shown.length).toBeLessThan(63)
  })
  it('unknown items pass as they are', async () => {
    const unknown = { type: 'unknown', providerData: { type: 'hologram', payload: 'x' } }
    const shown = await sent([user('go'), unknown, user('on')])
    expect(shown[1]).toEqual(unknown)
  })
  it('a summary is a user message that says what it is, and is read as a summary again', async () => {
    const shown = await sent([user('go'), ...steps(20), user('and now?')])
    const codec = createCodec()
    const summaries = shown.filter((item) => codec.read(item).summary !== undefined)
    expect(summaries.map((item) => item.role)).toEqual(['user'])
  })
})

describe('callModelInputFilter: the session afterwards equals the session of a run without it', () => {
  const reader = tool({ name: 'read', description: 'Reads.', parameters: z.object({ path: z.string() }), execute: async ({ path }) => `${path} ${words(300)}` })
  const calls = Array.from({ length: 16 }, (_, at): Reply => ({ calls: [[`c${at}`, 'read', { path: `f${at}` }]] }))
  const history = (): AgentInputItem[] =>
    [user('the first request'), ...steps(12), said('done'), user('the second request'), said('also done')] as unknown as AgentInputItem[]
  const session = (items: AgentInputItem[]) => new MemorySession({ initialItems: items })
  it.each([
    ['a history that is dropped', history(), 'what now?'],
    ['an empty session and a long run', [], 'read all'],
    ['a long run after a history', history(), 'read all again'],
  ])('%s', async (_, items, input) => {
    const stored = async (filtered: boolean, stream: boolean) => {
      const { model, inputs } = scripted(...calls, 'read all of it')
      const agent = new Agent({ name: 'A', model, tools: [reader] })
      const own = session(structuredClone(items))
      const callModelInputFilter = compactionFilter({ limits })
      const options = { session: own, maxTurns: 50, ...(filtered && { callModelInputFilter }) }
      if (stream) await (await run(agent, input, { ...options, stream: true })).completed
      else await run(agent, input, options)
      if (filtered)
        expect(
          Math.min(
            ...inputs()
              .slice(-4)
              .map((one) => one.length),
          ),
        ).toBeLessThan(34)
      return plain(await own.getItems())
    }
    const bare = await stored(false, false)
    expect(await stored(true, false)).toBe(bare)
    expect(await stored(true, true)).toBe(await stored(false, true))
  })
  it('the clone that is rewritten is never the run’s own request', async () => {
    const { model, inputs } = scripted(...calls, 'ok')
    await run(new Agent({ name: 'A', model, tools: [reader] }), 'THE REQUEST', { maxTurns: 50, callModelInputFilter: compactionFilter({ limits }) })
    expect(inputs().every((input) => JSON.stringify(input).includes('THE REQUEST'))).toBe(true)
  })
  it('a server that keeps the conversation sends only what is new: results whose calls are there go through', async () => {
    const { model, inputs } = scripted(...calls.slice(0, 3), 'ok')
    const agent = new Agent({ name: 'A', model, tools: [reader] })
    await run(agent, 'go', { previousResponseId: 'resp_0', callModelInputFilter: compactionFilter({ limits }) })
    expect(
      inputs()
        .slice(1)
        .map((input) => input.map((item) => item.type)),
    ).toEqual(Array(3).fill(['function_call_result']))
  })
  it('the summary is written once: later turns use it, though the SDK brings clones of the whole history each time', async () => {
    const outcomes: string[] = []
    const { model } = scripted('ok')
    const callModelInputFilter = compactionFilter({ limits, session: 's', onReport: (report) => outcomes.push(report.outcome) })
    const own = session(history())
    for (const text of ['a', 'b', 'c']) await run(new Agent({ name: 'A', model }), text, { session: own, callModelInputFilter })
    expect(outcomes).toEqual(['summarized', 'projected', 'projected'])
  })
})

describe('sessions', () => {
  const context = {
    usage: {
      requestUsageEntries: [
        { inputTokens: 5_900, outputTokens: 10 },
        { inputTokens: 50, outputTokens: 5, endpoint: 'compaction.summary' },
      ],
    },
  }
  const filled = async (store: MemorySession) => {
    await store.addItems([user('go'), ...steps(24), said('done')] as never)
    return store
  }
  it('all members are the store’s own; those through which the SDK would read past the view are hidden', async () => {
    class Special extends MemorySession {
      readonly flavor = 'special'
      getItemsWithCompactionOwnership() {}
      addItemsWithCompactionOwnership() {}
    }
    const session = compactionSession(new Special(), { limits })
    expect(['flavor' in session, session.flavor, session instanceof MemorySession]).toEqual([true, 'special', true])
    expect(['getItemsWithCompactionOwnership' in session, (session as { getItemsWithCompactionOwnership?: unknown }).getItemsWithCompactionOwnership]).toEqual([
      false,
      undefined,
    ])
  })
  it('a store that does not ask for the run’s context is not given it, one that does is', async () => {
    const seen: unknown[][] = []
    const storeOf = (acceptsRunContext?: true) => ({
      ...(acceptsRunContext && { acceptsRunContext }),
      getSessionId: async () => 's',
      getItems: async (...args: unknown[]) => {
        seen.push(args)
        return []
      },
      addItems: async (...args: unknown[]) => void seen.push(args),
      popItem: async (...args: unknown[]) => void seen.push(args),
      clearSession: async (...args: unknown[]) => void seen.push(args),
    })
    for (const store of [storeOf(), storeOf(true)]) {
      const session = compactionSession(store, { limits }) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
      await session['getItems']?.(undefined, 'context')
      await session['addItems']?.([], 'context')
      await session['popItem']?.('context')
      await session['clearSession']?.('context')
    }
    expect(seen).toEqual([[undefined], [[]], [], [], [undefined, 'context'], [[], 'context'], ['context'], ['context']])
  })
  it('the newest call’s size decides, not the sum of the run, and not our own request', async () => {
    const { model } = scripted('A summary.')
    const sizes: number[] = []
    const session = compactionSession(await filled(new MemorySession()), {
      limits,
      summarizer: modelSummarizer({ model: model as never }),
      onReport: (report) => sizes.push(report.tokens.before),
    })
    await session.runCompaction(undefined, context)
    expect(sizes[0]).toBeGreaterThan(5_000)
  })
  it('what a summary cost is handed to the run', async () => {
    const summary = {
      getResponse: async ({ input }: { input: string }) => ({
        usage: { inputTokens: 700, outputTokens: 70 },
        output: [
          {
            type: 'message',
            content: [{ type: 'output_text', text: [...input.matchAll(/^## .*$/gm)].map(([heading]) => `${heading}\n- work goes on`).join('\n') }],
          },
        ],
      }),
    }
    const { model } = scripted('ok')
    const session = compactionSession(await filled(new MemorySession()), { limits, summarizer: modelSummarizer({ model: summary as never }) })
    const { runContext } = await run(new Agent({ name: 'A', model }), 'on', { session })
    const entry = runContext.usage.requestUsageEntries?.find((one) => one.endpoint === 'compaction.summary')
    expect(entry?.inputTokens).toBeGreaterThanOrEqual(700)
  })
  it('popItem, clearSession and getItems(limit) keep the view true', async () => {
    const store = await filled(new MemorySession())
    const session = compactionSession(store, { limits })
    await session.runCompaction({ force: true })
    const before = (await session.getItems()).length
    expect(before).toBeLessThan(74)
    expect((await session.getItems(2)).length).toBe(2)
    expect(await session.getItems(0)).toEqual([])
    await session.popItem()
    expect((await session.getItems()).length).toBe(before - 1)
    await session.clearSession()
    expect(await session.getItems()).toEqual([])
    await session.addItems([user('anew')] as never)
    expect(await session.getItems()).toEqual([user('anew')])
  })
  it('a history that the Runner puts back as it had read it loses nothing', async () => {
    const store = await filled(new MemorySession())
    const session = compactionSession(store, { limits })
    await session.runCompaction({ force: true })
    const [whole, shown] = [await store.getItems(), await session.getItems()]
    await session.clearSession()
    await session.addItems(shown)
    expect(plain(await store.getItems())).toBe(plain(whole))
  })
  it('a store that compacts by itself is only read and written, and that is said', () => {
    const warnings: string[] = []
    compactionSession({ runCompaction: async () => null, getSessionId: async () => 's' }, { limits, onWarning: (warning) => warnings.push(warning) })
    expect(warnings[0]).toContain('compacts by itself')
  })
})

describe('people in the loop', () => {
  it.each(['session', 'model', 'filter'] as const)(
    '%s: interrupted, stored as text, resumed elsewhere: the pending call is answered, nothing is lost',
    async (seam) => {
      const deleted: string[] = []
      const remove = tool({
        name: 'remove',
        description: 'Deletes.',
        parameters: z.object({ path: z.string() }),
        needsApproval: true,
        execute: async ({ path }) => `deleted ${deleted.push(path)}`,
      })
      const store = new MemorySession({ initialItems: [user('the goal is PRE-205'), ...steps(14), said('done')] as never })
      const { model: inner, inputs } = scripted({ calls: [['d1', 'remove', { path: 'a' }]], usage: 5_900 }, 'It is gone.')
      const built = () => {
        const model = seam === 'model' ? withCompaction(inner, { limits }) : inner
        const session = seam === 'session' ? compactionSession(store, { limits }) : store
        const options = { session, ...(seam === 'filter' && { callModelInputFilter: compactionFilter({ limits, session: 'one' }) }) }
        return { agent: new Agent({ name: 'A', model, tools: [remove] }), options }
      }
      const first = built()
      const interrupted = await run(first.agent, 'delete it', first.options)
      expect(interrupted.interruptions).toHaveLength(1)
      const text = interrupted.state.toString()
      const second = built()
      const state = await RunState.fromString(second.agent, text)
      state.approve(state.getInterruptions()[0] as never)
      const resumed = await run(second.agent, state as never, second.options)
      expect([resumed.finalOutput, deleted]).toEqual(['It is gone.', ['a']])
      const stored = await store.getItems()
      expect(stored.filter((item) => item.type === 'function_call').length).toBe(15)
      expect(stored.filter((item) => item.type === 'function_call_result').length).toBe(15)
      for (const input of inputs()) {
        const results = input.filter((item) => item.type === 'function_call_result').map((item) => item.callId)
        const asked = input.filter((item) => item.type === 'function_call').map((item) => item.callId)
        expect(asked).toEqual(results)
      }
    },
  )
})

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
  it('leaves a conversation alone that the provider compacts itself, and warns once', async () => {
    const warnings: string[] = []
    const { model, requests } = scripted('ok')
    const wrapped = withCompaction(model, { limits, onWarning: (warning) => warnings.push(warning) })
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

describe('tools', () => {
  it('long outputs go to the store, and the model reads them with our tools', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    const log = Array.from({ length: 6_000 }, (_, at) => `${at}: ${at === 4_321 ? 'the blue heron landed' : 'all is well'}`).join('\n')
    const options = {
      limits: { contextWindow: 16_000, maxInput: 16_000 },
      outputs,
      policy: { prune: { view: { tokens: 600 } } },
      tools: { run: { shape: 'head-tail' as const } },
      session: 'one',
    }
    const provider = await strictProvider({
      window: 16_000,
      model: (prompt) => {
        const seen = prompt.map((entry) => entry.text).join('\n')
        const ref = /ref=(out-[0-9a-f]{16})/.exec(seen)?.[1]
        if (seen.includes('the blue heron landed')) return { text: 'found', calls: [] }
        return {
          text: '',
          calls: [
            ref === undefined
              ? { id: 'r', tool: 'run', input: '{}' }
              : { id: 'g', tool: 'tool_output_cache_grep', input: JSON.stringify({ ref_id: ref, pattern: 'heron' }) },
          ],
        }
      },
    })
    closing.push(provider.close)
    const model = withCompaction(new OpenAIChatCompletionsModel(new OpenAI({ baseURL: provider.url, apiKey: 'none' }) as never, 'strict'), options)
    const own = tool({ name: 'run', description: 'Runs.', parameters: z.object({}), execute: async () => log })
    const tools = cacheToolOutputs([own, ...compactionTools(sessionOf(model))], options)
    const done = await run(new Agent({ name: 'A', model, tools }), 'go')
    expect(done.finalOutput).toBe('found')
    expect(JSON.stringify(done.history).length).toBeLessThan(12_000)
    expect(provider.requests).toHaveLength(3)
    expect(() => cacheToolOutputs([own], { limits })).toThrow(/createToolOutputStore/)
  })
  it('`compact_context` and `recall_history` belong to the wrapped model’s own conversation', async () => {
    const archive = createArchive<AgentItem>(memoryStorage())
    const outcomes: string[] = []
    const { model: inner, inputs } = scripted(
      { calls: [['k', 'compact_context', { focus: 'the ticket' }]] },
      { calls: [['q', 'recall_history', { query: 'PRE-205' }]] },
      'done',
    )
    const model = withCompaction(inner, {
      limits: { contextWindow: 50_000, maxInput: 50_000 },
      archive,
      policy: { retain: { tokens: { tokens: 500 } } },
      session: 'one',
      onReport: (report) => outcomes.push(report.plan.decision.reason),
    })
    const agent = new Agent({ name: 'A', model, tools: compactionTools(sessionOf(model)) })
    const done = await run(agent, [user('The ticket is PRE-205.'), ...steps(20), user('go')] as never)
    expect(done.finalOutput).toBe('done')
    expect(outcomes[1]).toBe('agent')
    expect(inputs()[1]?.length).toBeLessThan(60)
    expect(JSON.stringify(inputs()[2]?.at(-1))).toContain('PRE-205')
    expect(() => sessionOf(inner)).toThrow(/withCompaction/)
  })
})

describe('tracing', () => {
  it('outside of a trace, where the SDK would throw, the work is done without a span', async () => {
    const { model, inputs } = scripted('ok')
    const wrapped = withCompaction(model, { limits, trace: agentsTrace({ getCurrentTrace, withCustomSpan }) })
    await wrapped.getResponse({ input: [user('go'), ...steps(20), user('on')], modelSettings: {}, tools: [], handoffs: [], outputType: 'text' } as never)
    expect(inputs()[0]?.length).toBeLessThan(62)
  })
  it('inside of one, a custom span with counts and no words', async () => {
    setTracingDisabled(false)
    const spans: { type: string; data: Record<string, unknown>; parent: string | null }[] = []
    setTraceProcessors([
      {
        onTraceStart: async () => {},
        onTraceEnd: async () => {},
        onSpanStart: async () => {},
        onSpanEnd: async (span: { spanData: { type: string; data?: Record<string, unknown> }; parentId: string | null }) =>
          void spans.push({ type: span.spanData.type, data: span.spanData.data ?? {}, parent: span.parentId }),
        shutdown: async () => {},
        forceFlush: async () => {},
      } as never,
    ])
    const { model } = scripted('ok')
    const wrapped = withCompaction(model, { limits, trace: agentsTrace({ getCurrentTrace, withCustomSpan }) })
    await withTrace('test', () => run(new Agent({ name: 'A', model: wrapped }), [user('the secret goal'), ...steps(20), user('on')] as never))
    const own = spans.filter((span) => span.type === 'custom' && 'trigger' in span.data)
    expect(own).toHaveLength(1)
    expect(own[0]?.data).toMatchObject({ trigger: 'hard', outcome: 'summarized' })
    expect(own[0]?.parent).not.toBeNull()
    expect(JSON.stringify(own)).not.toContain('secret')
    expect(typeof addTraceProcessor).toBe('function')
  })
})
