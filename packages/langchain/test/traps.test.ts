import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { type CompactionReport, createToolOutputStore, memoryStorage } from '@precis/core'
import { freezeDeep, scriptedServer, strictProvider } from '@precis/testkit'
import { createDeepAgent } from 'deepagents'
import { createAgent, createMiddleware, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Recorder, tokensOf, violations } from '../bench/histories.ts'
import { messageCodec as codec, compactionMiddleware, createCompactionNode, createCompactor, modelSummarizer, readUsage } from '../src/index.ts'

// Traps of LangChain, LangGraph and the built-in ways of keeping a history small, each seen in a real version or a public thread.

const limits = { contextWindow: 6_000, maxInput: 6_000 }
const words = (count: number, seed = 'word'): string => Array.from({ length: count }, (_, at) => `${seed}${at % 89}`).join(' ')
const call = (id: string, args: Record<string, unknown> = {}): AIMessage => new AIMessage({ content: '', tool_calls: [{ id, name: 'read', args }] })
const answer = (id: string, text: string): ToolMessage => new ToolMessage({ content: text, tool_call_id: id, name: 'read' })
const steps = (count: number, tokens = 300, seed = 'c'): BaseMessage[] =>
  Array.from({ length: count }, (_, at) => [call(`${seed}${at}`), answer(`${seed}${at}`, words(tokens))]).flat()
const changes = (outputs: [string, string][] = [], inputs: [string, string][] = []) => ({
  outputs: new Map(outputs.map(([id, text]) => [id, { text, keepAttachments: false }])),
  inputs: new Map(inputs),
})
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

describe('messages', () => {
  it('a chunk is copied as what it is, with the fields that were assigned after construction', () => {
    const chunk = new AIMessageChunk({ content: [{ type: 'tool_use', id: 'c', name: 'write', input: { text: words(99) } }] as never })
    chunk.id = 'late'
    chunk.tool_calls = [{ id: 'c', name: 'write', args: { text: words(99) } }]
    const copy = codec.edit(chunk, changes([], [['c', '{"text":"…"}']])) as AIMessage
    expect([copy.id, copy.tool_calls?.[0]?.args, (copy.content as unknown as { input: unknown }[])[0]?.input]).toEqual(['late', { text: '…' }, { text: '…' }])
  })
  it('v1 content blocks: both places of arguments', () => {
    const message = new AIMessage({
      content: [{ type: 'tool_call', id: 'c', name: 'write', args: { text: words(99) } }] as never,
      tool_calls: [{ id: 'c', name: 'write', args: { text: words(99) } }],
      response_metadata: { output_version: 'v1' },
    })
    const copy = codec.edit(message, changes([], [['c', '{"text":"…"}']])) as AIMessage
    expect([copy.tool_calls?.[0]?.args, (copy.content as unknown as { args: unknown }[])[0]?.args]).toEqual([{ text: '…' }, { text: '…' }])
  })
  it('calls that stand in the content only are paired and answered like the others', async () => {
    const message = new AIMessage({ content: [{ type: 'tool_use', id: 'c', name: 'read', input: { path: 'a' } }] as never })
    message.tool_calls = []
    expect(codec.read(message).parts).toEqual([{ type: 'tool-call', callId: 'c', tool: 'read', input: '{"path":"a"}' }])
  })
  it('both spellings of thinking, calls and images are known', () => {
    const kinds = (content: unknown) => codec.read(new AIMessage({ content: content as never })).parts.map((part) => part.type)
    expect(
      kinds([
        { type: 'thinking', thinking: 'a' },
        { type: 'reasoning', reasoning: 'a' },
        { type: 'redacted_thinking', data: 'x' },
      ]),
    ).toEqual(Array(3).fill('reasoning'))
    expect(kinds([{ type: 'image' }, { type: 'image_url', image_url: 'u' }, { type: 'input_image' }])).toEqual(Array(3).fill('media'))
  })
  it('a result that answers an invalid call, which no provider package sends, does not go out alone', async () => {
    const broken = new AIMessage({ content: 'I try.', invalid_tool_calls: [{ id: 'bad', name: 'read', args: '{', error: 'no JSON' }] })
    const sent = await createCompactor({ limits }).invoke([new HumanMessage('go'), broken, answer('bad', 'Error: no JSON'), new HumanMessage('on')])
    expect(sent.map((message) => message.getType())).toEqual(['human', 'ai', 'human'])
  })
  it('a RemoveMessage that was left in a list reaches no model', async () => {
    const sent = await createCompactor({ limits }).invoke([new HumanMessage('go'), new RemoveMessage({ id: 'x' }), new HumanMessage('on')] as BaseMessage[])
    expect(sent.map((message) => message.getType())).toEqual(['human', 'human'])
  })
  it('message-like inputs are coerced, tool calls in OpenAI’s own form among them', async () => {
    const like = [
      ['human', 'hi'],
      { role: 'assistant', content: '', tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }] },
      { role: 'tool', content: 'text', tool_call_id: 'c' },
    ]
    const sent = await createCompactor({ limits }).invoke(like as never)
    expect(sent.map((message) => message.getType())).toEqual(['human', 'ai', 'tool'])
    expect((sent[1] as AIMessage).tool_calls?.[0]?.args).toEqual({ path: 'a' })
  })
  it('usage includes cached tokens, for every provider package', () => {
    const usage_metadata = { input_tokens: 18, output_tokens: 3, total_tokens: 21, input_token_details: { cache_read: 5, cache_creation: 3 } }
    expect(readUsage(new AIMessage({ content: 'x', usage_metadata } as never))).toEqual({ input: 10, cacheRead: 5, cacheWrite: 3, output: 3 })
  })
})

/** A model that calls a tool so many times, then answers; remembers what it was sent. */
class Caller extends Recorder {
  readonly steps: number
  constructor(calls: number, answer = 'done') {
    super(answer)
    this.steps = calls
  }
  override async _generate(...[messages]: Parameters<Recorder['_generate']>): ReturnType<Recorder['_generate']> {
    this.seen.push(messages)
    const at = this.seen.length - 1
    const message = at < this.steps ? call(`call${at}`, { path: `f${at}` }) : new AIMessage(this.answer)
    return { generations: [{ text: message.text, message }] }
  }
}
/** A model that says how much it can read. */
class Profiled extends Recorder {
  override get profile() {
    return { maxInputTokens: 6_000 }
  }
}
const read = tool(({ path }: { path: string }) => `${path} ${words(300)}`, { name: 'read', description: 'Reads.', schema: z.object({ path: z.string() }) })
const invoke = async (agent: unknown, messages: BaseMessage[], thread?: string) =>
  (agent as { invoke(input: unknown, config: unknown): Promise<{ messages: BaseMessage[] }> }).invoke(
    { messages },
    { recursionLimit: 200, ...(thread !== undefined && { configurable: { thread_id: thread } }) },
  )

describe('what the built-in middleware gets wrong', () => {
  const away = { invoke: async () => Promise.reject(new Error('503 upstream')) }
  it('F1 a summary model that fails deletes nothing, and its error is nobody’s summary', async () => {
    const model = new Caller(30)
    const middleware = compactionMiddleware({ limits, summarizer: modelSummarizer({ model: away }) })
    const { messages } = await invoke(createAgent({ model, tools: [read], middleware: [middleware] }), [new HumanMessage('go')])
    expect(messages).toHaveLength(62)
    expect(JSON.stringify(model.seen)).not.toContain('503 upstream')
    expect(model.seen.every((sent) => violations(sent) === 0)).toBe(true)
  })
  it('F1c an empty summary is not accepted', async () => {
    const reports: CompactionReport[] = []
    const summarizer = modelSummarizer({ model: { invoke: async () => new AIMessage('') } })
    const compactor = createCompactor({ limits, summarizer, onReport: (report) => reports.push(report) })
    const sent = await compactor.invoke([new HumanMessage('The goal is PRE-205.'), ...steps(30), new HumanMessage('go on')])
    expect(reports[0]?.outcome).toBe('degraded')
    expect(sent.some((message) => message.text.includes('PRE-205'))).toBe(true)
  })
  it('F2 texts with $&, $$ and $’ reach the summary model letter by letter', async () => {
    const prompts: string[] = []
    const summarizer = modelSummarizer({ model: { invoke: async (messages) => new AIMessage(prompts.push(messages[1]?.text ?? '') > 0 ? words(60) : '') } })
    const texts = ['replace $& by $$5', "and $' and $` too"]
    await createCompactor({ limits, summarizer }).invoke([
      new HumanMessage('go'),
      ...texts.map((text) => new HumanMessage(text)),
      ...steps(30),
      new HumanMessage('go on'),
    ])
    for (const text of texts) expect(prompts[0]).toContain(text)
  })
  it('F3 a large tail is not summarized over and over', async () => {
    const reports: CompactionReport[] = []
    const model = new Caller(12)
    const middleware = compactionMiddleware({ limits, onReport: (report) => reports.push(report) })
    const huge = tool(({ path }) => words(path === 'f0' ? 9_000 : 20), { name: 'read', description: 'Reads.', schema: z.object({ path: z.string() }) })
    await invoke(createAgent({ model, tools: [huge], middleware: [middleware] }), [new HumanMessage('go')])
    expect(model.seen.every((sent) => tokensOf(sent) <= 6_000)).toBe(true)
    expect(reports.filter((report) => report.outcome !== 'unchanged' && report.outcome !== 'projected').length).toBeLessThanOrEqual(2)
  })
  it.each([true, false])('F4 the state’s messages are never changed in place; checkpointer: %s', async (kept) => {
    const model = new Caller(20)
    const agent = createAgent({ model, tools: [read], middleware: [compactionMiddleware({ limits })], ...(kept && { checkpointer: new MemorySaver() }) })
    const { messages } = await invoke(agent, [new HumanMessage('go')], 't')
    const outputs = messages.filter((message) => ToolMessage.isInstance(message))
    expect(outputs).toHaveLength(20)
    expect(outputs.every((message) => message.text.includes(words(300)))).toBe(true)
  })
  it('F4b a copy keeps usage_metadata', () => {
    const usage_metadata = { input_tokens: 5, output_tokens: 1, total_tokens: 6 }
    const message = new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'w', args: { text: words(99) } }], usage_metadata } as never)
    expect((codec.edit(message, changes([], [['c', '{"text":"…"}']])) as AIMessage).usage_metadata).toEqual(usage_metadata)
  })
  it('F5 images, thinking, JSON blocks and CJK are counted', () => {
    const image = new HumanMessage({ content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(40_000)}` } }] })
    expect(tokensOf([image])).toBeGreaterThan(200)
    expect(tokensOf([new AIMessage({ content: [{ type: 'thinking', thinking: words(800) }] as never })])).toBeGreaterThan(700)
    expect(tokensOf([new ToolMessage({ content: [{ type: 'json', data: words(500) }] as never, tool_call_id: 'c' })])).toBeGreaterThan(400)
    expect(tokensOf([new HumanMessage('漢'.repeat(1_000))])).toBeGreaterThan(600)
  })
  it('F6 the system prompt and the tools are part of the budget', async () => {
    const reports: CompactionReport[] = []
    const model = new Recorder('ok')
    const middleware = compactionMiddleware({ limits, onReport: (report) => reports.push(report) })
    const wide = tool(() => 'x', { name: 'wide', description: words(700), schema: z.object({ path: z.string() }) })
    await invoke(createAgent({ model, tools: [wide], systemPrompt: words(1_500), middleware: [middleware] }), [
      new HumanMessage('go'),
      ...steps(9),
      new HumanMessage('on'),
    ])
    expect(reports[0]?.tokens.before).toBeGreaterThan(5_000)
    expect(reports[0]?.tokens.after).toBeLessThanOrEqual(6_000)
    expect(reports[0]?.plan.decision.action).not.toBe('none')
  })
  it('F7 F8 the window comes from the model’s own profile; where there is none nothing is guessed', async () => {
    const long = [new HumanMessage('go'), ...steps(30), new HumanMessage('on')]
    const outcomes: string[] = []
    for (const model of [new Profiled('ok'), new Recorder('ok')]) {
      const middleware = compactionMiddleware({ onReport: (report) => outcomes.push(report.outcome) })
      await invoke(createAgent({ model, tools: [], middleware: [middleware] }), [...long])
    }
    expect(outcomes).toEqual(['summarized', 'unchanged'])
  })
  it('F9 the turn that is under way is never dropped, however little may be kept', async () => {
    const policy = { retain: { turns: 0, messages: 0, toolPairs: 0, tokens: { tokens: 0 } } }
    const sent = await createCompactor({ limits, policy }).invoke([new HumanMessage('go'), ...steps(30), new HumanMessage('THE QUESTION')])
    expect(sent.at(-1)?.text).toBe('THE QUESTION')
  })
  it('F11 an overflow is recovered from behind the wrapper errors of other middleware', async () => {
    const sizes: number[] = []
    const refusing = createMiddleware({
      name: 'Refusing',
      wrapModelCall: async (request, handler) => {
        if (sizes.push(tokensOf(request.messages)) === 1)
          throw new Error('middleware failed', { cause: new Error('prompt is too long: 9000 tokens > 6000 maximum') })
        return handler(request)
      },
    })
    const model = new Recorder('ok')
    const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware(), refusing] })
    const { messages } = await invoke(agent, [new HumanMessage('go'), ...steps(30), new HumanMessage('on')])
    expect([messages.at(-1)?.text, sizes.length]).toEqual(['ok', 2])
    expect(sizes[1]).toBeLessThan(sizes[0] as number)
  })
  it('a message that the user removes takes no other along: nothing is anchored on places', async () => {
    const middleware = compactionMiddleware({ limits })
    const model = new Caller(14)
    const agent = createAgent({ model, tools: [read], middleware: [middleware], checkpointer: new MemorySaver() })
    const { messages } = await invoke(agent, [new HumanMessage('go')], 't')
    const old = messages[0]?.id as string
    await invoke(agent, [new RemoveMessage({ id: old }) as never, new HumanMessage('what now?')], 't')
    const sent = model.seen.at(-1) as BaseMessage[]
    expect(violations(sent)).toBe(0)
    expect(sent.at(-1)?.text).toBe('what now?')
  })
  it('the system message of the state stays first', async () => {
    const sent = await createCompactor({ limits }).invoke([new SystemMessage('Rules.'), new HumanMessage('go'), ...steps(30), new HumanMessage('on')])
    expect(sent.map((message) => message.getType()).lastIndexOf('system')).toBe(0)
  })
})

describe('overflows, in the words of real clients', () => {
  const ok = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 9, output_tokens: 1 },
  }
  const chat = {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }],
    usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
  }
  const anthropicError = (type: string, message: string): object => ({ type: 'error', error: { type, message } })
  it.each([
    ['Anthropic, prompt is too long', 'anthropic', 400, anthropicError('invalid_request_error', 'prompt is too long: 9000 tokens > 6000 maximum')],
    [
      'Anthropic, max_tokens beyond the limit',
      'anthropic',
      400,
      anthropicError(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 9000 + 500 > 6000, decrease input length or `max_tokens` and try again',
      ),
    ],
    ['Anthropic, 413', 'anthropic', 413, anthropicError('request_too_large', 'Request exceeds the maximum size')],
    [
      'OpenAI',
      'openai',
      400,
      {
        error: {
          message: "This model's maximum context length is 6000 tokens. However, your messages resulted in 9000 tokens.",
          code: 'context_length_exceeded',
          type: 'invalid_request_error',
        },
      },
    ],
    [
      'vLLM',
      'openai',
      400,
      { error: { message: "Input length (9000) exceeds the model's maximum context length (6000).", type: 'BadRequestError', code: 400 } },
    ],
  ] as const)('%s: recovered from, once', async (_, kind, status, body) => {
    const server = await scriptedServer([{ status, body }, { body: kind === 'anthropic' ? ok : chat }])
    closing.push(server.close)
    const model =
      kind === 'anthropic'
        ? new ChatAnthropic({ model: 'm', apiKey: 'none', anthropicApiUrl: server.url, maxTokens: 500, maxRetries: 0 })
        : new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: server.url }, maxRetries: 0 })
    const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware()] })
    const { messages } = await invoke(agent, [new HumanMessage('go'), ...steps(30), new HumanMessage('on')])
    expect(messages.at(-1)?.text).toBe('ok')
    const sizes = server.requests.map((request) => JSON.stringify(request['messages']).length)
    expect(sizes).toHaveLength(2)
    expect(sizes[1]).toBeLessThan(sizes[0] as number)
  })
  it('a rate limit that speaks of tokens is none, unless this request alone is larger than it: waiting does not help then', async () => {
    const limited = (message: string) => ({ status: 429, body: { error: { message, code: 'rate_limit_exceeded', type: 'tokens' } } })
    const asked = async (message: string) => {
      const server = await scriptedServer([limited(message), { body: chat }])
      closing.push(server.close)
      const model = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: server.url }, maxRetries: 0 })
      const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware()] })
      const answer = invoke(agent, [new HumanMessage('go'), ...steps(30), new HumanMessage('on')])
      return { server, answer }
    }
    const waiting = await asked('Rate limit reached for gpt on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.')
    await expect(waiting.answer).rejects.toThrow(/Rate limit reached/)
    expect(waiting.server.requests).toHaveLength(1)
    const alone = await asked('Request too large for gpt on tokens per min (TPM): Limit 3000, Requested 40000.')
    expect((await alone.answer).messages.at(-1)?.text).toBe('ok')
    expect(alone.server.requests).toHaveLength(2)
  })
})

describe('traces, events and streams', () => {
  /** A summary model that is traced: it answers with the headings it was asked for. */
  const traced = RunnableLambda.from(async (messages: BaseMessage[]) => {
    const headings = [...(messages[1]?.text ?? '').matchAll(/^## .*$/gm)]
    return new AIMessage(headings.map(([heading]) => `${heading}\n- work goes on, as before`).join('\n'))
  })
  const summarizer = modelSummarizer({ model: traced as never })
  it('a compaction is a run of its own, with the summary call as its child; counts are told, texts are not', async () => {
    const model = new Caller(16)
    const agent = createAgent({ model, tools: [read], middleware: [compactionMiddleware({ limits, summarizer })] })
    const parents = new Map<string, string | undefined>()
    const events: { event: string; name: string; run_id: string; data: unknown; metadata: Record<string, unknown>; tags?: string[] }[] = []
    const stream = (agent as unknown as { streamEvents(input: unknown, options: unknown): AsyncIterable<(typeof events)[number]> }).streamEvents(
      { messages: [new HumanMessage('The secret goal.')] },
      {
        version: 'v2',
        recursionLimit: 100,
        callbacks: [{ handleChainStart: (_chain: unknown, _inputs: unknown, run: string, parent?: string) => void parents.set(run, parent) }],
      },
    )
    for await (const event of stream) events.push(event)
    const started = events.filter((event) => event.event === 'on_chain_start' && event.name === 'context_compaction')
    expect(started.length).toBeGreaterThan(0)
    expect(started[0]?.metadata).toMatchObject({ lc_source: 'summarization' })
    expect(started[0]?.tags).toContain('nostream')
    const inner = events.filter((event) => event.event === 'on_chain_start' && event.name === 'context_summary')
    expect(inner.length).toBeGreaterThan(0)
    expect(new Set(inner.map((event) => parents.get(event.run_id)))).toEqual(new Set(started.map((event) => event.run_id)))
    const custom = events.filter((event) => event.event === 'on_custom_event' && event.name === 'context_compaction')
    expect(custom.length).toBeGreaterThan(0)
    expect(custom[0]?.data).toMatchObject({ outcome: 'summarized', reason: 'hard' })
    const ended = events.filter((event) => event.event === 'on_chain_end' && event.name === 'context_compaction')
    expect(JSON.stringify([started, ended, custom].map((list) => list.map((event) => event.data)))).not.toContain('secret goal')
  })
  it('`streamMode: "custom"` tells of each compaction', async () => {
    const agent = createAgent({ model: new Caller(16), tools: [read], middleware: [compactionMiddleware({ limits })] })
    const told: unknown[] = []
    for await (const chunk of await agent.stream({ messages: [new HumanMessage('go')] }, { streamMode: 'custom', recursionLimit: 100 })) told.push(chunk)
    expect(told[0]).toMatchObject({ type: 'context_compaction', outcome: 'summarized' })
    expect(Object.keys(told[0] as object).sort()).toEqual(
      ['dropped', 'edited', 'kept', 'outcome', 'reason', 'summarized', 'tokensAfter', 'tokensBefore', 'type'].sort(),
    )
  })
  it.each(['view', 'persist'] as const)('mode %s: no word of a summary reaches the user’s stream', async (mode) => {
    const agent = createAgent({ model: new Caller(16), tools: [read], middleware: [compactionMiddleware({ limits, mode, summarizer })] })
    const said: string[] = []
    for await (const [chunk] of await agent.stream({ messages: [new HumanMessage('go')] }, { streamMode: 'messages', recursionLimit: 100 })) {
      if (!ToolMessage.isInstance(chunk)) said.push((chunk as BaseMessage).text)
    }
    expect(said.join('')).toBe('done')
  })
  it('a node of a graph gives its summary the id of a message that leaves', async () => {
    const messages = [
      new HumanMessage({ id: 'h1', content: 'go' }),
      ...steps(30).map((message, at) => Object.assign(message, { id: `s${at}` })),
      new HumanMessage({ id: 'h2', content: 'on' }),
    ]
    const { messages: update } = await createCompactionNode({ limits })({ messages })
    const [first, ...rest] = update ?? []
    expect(first?.id).toBe('__remove_all__')
    expect(rest.every((message) => messages.some((before) => before.id === message.id))).toBe(true)
    expect(new Set(rest.map((message) => message.id)).size).toBe(rest.length)
  })
})

describe('what an agent is given', () => {
  it('frozen messages of a state pass', async () => {
    const { messages } = await invoke(createAgent({ model: new Recorder('ok'), tools: [], middleware: [compactionMiddleware({ limits })] }), [
      new HumanMessage('go'),
      ...steps(20).map((message) => freezeDeep(Object.assign(message, { id: crypto.randomUUID() }))),
      new HumanMessage('on'),
    ])
    expect(messages.at(-1)?.text).toBe('ok')
  })
  it('one middleware object serves many threads, at the same time', async () => {
    const middleware = compactionMiddleware({ limits })
    const run = async (thread: string) => {
      const model = new Caller(16)
      await invoke(createAgent({ model, tools: [read], middleware: [middleware] }), [new HumanMessage(`This is ${thread}.`)], thread)
      return model.seen.every((sent) => violations(sent) === 0 && tokensOf(sent) <= 6_000 && sent[0]?.text.includes(thread))
    }
    expect(await Promise.all(['one', 'two', 'three'].map(run))).toEqual([true, true, true])
  })
  it('deepagents’ own summarizer, which stands beside any other name, is replaced by ours of its name: one compaction, one model call', async () => {
    const model = new Profiled('ok')
    const outcomes: string[] = []
    const ours = compactionMiddleware({
      name: 'SummarizationMiddleware',
      limits: { contextWindow: 12_000, maxInput: 12_000 },
      onReport: (report) => outcomes.push(report.outcome),
    })
    const agent = createDeepAgent({ model: model as never, tools: [], middleware: [ours as never] })
    await invoke(agent, [new HumanMessage('go'), ...steps(60), new HumanMessage('on')])
    expect(outcomes).toEqual(['summarized'])
    expect(model.seen).toHaveLength(1)
  })
  it('`cacheToolOutputs`: the state holds views, the store the whole outputs', async () => {
    const storage = memoryStorage()
    const outputs = createToolOutputStore(storage)
    const long = Array.from({ length: 4_000 }, (_, at) => `line ${at}`).join('\n')
    const log = tool(() => long, { name: 'read', description: 'Reads.', schema: z.object({ path: z.string() }) })
    const policy = { prune: { view: { tokens: 500 } } }
    const middleware = compactionMiddleware({ limits: { contextWindow: 20_000, maxInput: 20_000 }, outputs, policy, cacheToolOutputs: true })
    const { messages } = await invoke(createAgent({ model: new Caller(1), tools: [log], middleware: [middleware] }), [new HumanMessage('go')])
    const shown = messages.find((message) => ToolMessage.isInstance(message)) as ToolMessage
    expect(shown.text.length).toBeLessThan(5_000)
    expect([shown.tool_call_id, shown.name]).toEqual(['call0', 'read'])
    const ref = /ref=(out-[0-9a-f]{16})/.exec(shown.text)?.[1] ?? ''
    expect((await outputs.find(ref))?.lineCount).toBe(4_000)
    expect(() => compactionMiddleware({ cacheToolOutputs: true })).toThrow(/createToolOutputStore/)
  })
  it('an abort of the run goes through', async () => {
    const provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
    closing.push(provider.close)
    const model = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: provider.url }, maxRetries: 0 })
    const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware({ limits })] })
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(agent.invoke({ messages: [new HumanMessage('go')] }, { signal })).rejects.toThrow()
    expect(provider.requests).toEqual([])
  })
})
