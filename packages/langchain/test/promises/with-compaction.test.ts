import { AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { ChatPromptTemplate, MessagesPlaceholder } from '@langchain/core/prompts'
import { MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import type { CompactionReport, Summarizer } from '@precis/core'
import { compaction, type WithCompactionOptions, withCompaction } from '@precis/langchain'
import { fakeSummarizer, recallModel, type StrictProvider, strictProvider } from '@precis/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { modelAt, questionOf, readFile, vaultScenario, vaults, vaultText, type Wire } from '../vaults.ts'

const open: StrictProvider[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const one of open.splice(0)) await one.close()
})
const limits = { contextWindow: 12_000, maxOutput: 500 }
const tool = 'precis_recall'
const start = async (model: Parameters<typeof strictProvider>[0]['model'], window = 12_000): Promise<StrictProvider> => {
  const provider = await strictProvider({ window, maxOutput: 500, model })
  open.push(provider)
  return provider
}
const refused = ({ requests }: StrictProvider) => requests.filter(({ status }) => status !== 200).map(({ violations }) => violations[0]?.message ?? 'overflow')
const wires: readonly Wire[] = ['openai', 'openai-responses', 'anthropic']

/** A loop as people write it: bind tools, call, run the tools, call again. */
async function loop(wire: Wire, mode: 'invoke' | 'stream', options: WithCompactionOptions) {
  const provider = await start(recallModel(vaultScenario, { looksUp: tool }))
  const model = withCompaction(modelAt(wire, provider.url), { limits, ...options }).bindTools?.([readFile])
  if (model === undefined) throw new Error('no tools')
  const history: BaseMessage[] = []
  const call = async (): Promise<AIMessageChunk | AIMessage> => {
    if (mode === 'invoke') return (await model.invoke(history)) as AIMessageChunk
    let whole: AIMessageChunk | undefined
    for await (const chunk of await model.stream(history)) whole = whole === undefined ? (chunk as AIMessageChunk) : whole.concat(chunk as AIMessageChunk)
    return whole as AIMessageChunk
  }
  const ask = async (text: string): Promise<string> => {
    history.push(new HumanMessage(text))
    for (;;) {
      const reply = await call()
      history.push(reply)
      const calls = reply.tool_calls ?? []
      if (calls.length === 0) return reply.text
      for (const { id = '', name, args } of calls) history.push(new ToolMessage({ content: vaultText(String(args['path'])), tool_call_id: id, name }))
    }
  }
  await ask('Read the file of each vault.')
  let right = 0
  for (const vault of vaults) if ((await ask(questionOf(vault))).endsWith(vault.code)) right++
  return { provider, history, right }
}

describe('a wrapped model with tools bound, in a loop of one’s own', () => {
  it.each(wires.flatMap((wire) => (['invoke', 'stream'] as const).map((mode) => [wire, mode] as const)))('%s, %s', async (wire, mode) => {
    const bare = await loop(wire, mode, { recall: 'off' })
    const own = await loop(wire, mode, {})
    expect([refused(bare.provider), refused(own.provider)]).toEqual([[], []])
    expect(bare.right).toBeLessThan(vaults.length / 2)
    expect(own.right).toBe(vaults.length)
    expect(JSON.stringify(own.history)).not.toContain(tool)
    const billed = own.provider.requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0)
    const counted = own.history.reduce(
      (sum, message) => sum + ((message as { usage_metadata?: { input_tokens: number } }).usage_metadata?.input_tokens ?? 0),
      0,
    )
    expect(counted).toBe(billed)
  })
})

/** A long talk before the question. */
const talk = (turns: number): BaseMessage[] =>
  Array.from({ length: turns }, (_, at) => [
    new HumanMessage(`Question ${at}: ${'words '.repeat(80)}`),
    new AIMessage(`Answer ${at}: ${'words '.repeat(80)}`),
  ]).flat()
const long = [new SystemMessage('Be brief.'), ...talk(80), new HumanMessage('What now?')]

it('a model that is wrapped anew for every request, without a storage: as many summaries as one that is wrapped once', async () => {
  const provider = await start(() => ({ text: 'ok', calls: [] }), 100_000)
  const paid = async (renewed: boolean, session: string | undefined): Promise<number> => {
    const summarizer = fakeSummarizer()
    const wrapped = () => withCompaction(modelAt('openai', provider.url), { limits: { contextWindow: 6_000, maxOutput: 500 }, summarizer, session })
    const one = wrapped()
    const history = talk(60)
    // Each beginning of its own: what one has summarized is found by the next.
    for (let end = 1; end < history.length; end += 2)
      await (renewed ? wrapped() : one).invoke([new HumanMessage(`${renewed} ${session}`), ...history.slice(0, end)])
    return summarizer.requests.length
  }
  for (const session of [undefined, 'chat']) {
    const once = await paid(false, session)
    expect(once).toBeGreaterThan(1)
    expect(await paid(true, session)).toBeLessThanOrEqual(once + 1)
  }
})

describe('a wrapped model is a model of its class', () => {
  it('keeps class, name, profile and settings, also after bindTools', () => {
    const inner = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'none' })
    const model = withCompaction(inner)
    expect(model).toBeInstanceOf(ChatOpenAI)
    expect([model.getName(), model.model, model.profile]).toEqual([inner.getName(), inner.model, inner.profile])
    const bound = model.bindTools([readFile]) as unknown as ChatOpenAI
    expect(bound.profile).toEqual(inner.profile)
    expect(() => withCompaction('gpt-4o' as never)).toThrow(/expected a chat model such as/)
    for (const door of [compaction, (options: object) => withCompaction(inner, options)])
      expect(() => door({ exporter: [] } as object)).toThrow(/unknown option "exporter"; write exporters\./)
    expect(() => compaction({ limits: 128_000 as never })).toThrow(/limits\.contextWindow is undefined/)
  })
  it.each(wires)('%s: the window is kept by invoke, stream, batch, withRetry, withFallbacks, withConfig', async (wire) => {
    const provider = await start(() => ({ text: 'done', calls: [] }))
    const model = withCompaction(modelAt(wire, provider.url), { limits })
    const texts: string[] = []
    texts.push((await model.invoke(long)).text)
    for await (const chunk of await model.stream(long)) texts.push(chunk.text)
    for (const one of await model.batch([long, long])) texts.push(one.text)
    texts.push((await model.withRetry({ stopAfterAttempt: 2 }).invoke(long)).text)
    texts.push(((await model.withFallbacks([modelAt(wire, provider.url)]).invoke(long)) as AIMessage).text)
    texts.push((await model.withConfig({ tags: ['x'] }).invoke(long)).text)
    expect(texts.filter((text) => text !== '').join(' ')).toBe('done done done done done done done')
    expect(refused(provider)).toEqual([])
    expect(provider.requests).toHaveLength(7)
  })
  it.each([
    ['openai', 'functionCalling'],
    ['openai', 'jsonSchema'],
    ['openai', 'jsonMode'],
    ['anthropic', 'functionCalling'],
  ] as const)('%s: withStructuredOutput by %s', async (wire, method) => {
    const provider = await start((_, { tools }) =>
      tools.length > 0
        ? { text: '', calls: [{ id: 'c1', tool: tools[0] ?? '', input: '{"answer":"forty-two"}' }] }
        : { text: '{"answer":"forty-two"}', calls: [] },
    )
    const model = withCompaction(modelAt(wire, provider.url), { limits })
    const structured = model.withStructuredOutput(z.object({ answer: z.string() }), { method, name: 'reply' })
    expect(await structured.invoke(long)).toEqual({ answer: 'forty-two' })
    const raw = model.withStructuredOutput(z.object({ answer: z.string() }), { method, name: 'reply', includeRaw: true })
    expect((await raw.invoke(long)).parsed).toEqual({ answer: 'forty-two' })
    expect(refused(provider)).toEqual([])
    expect(provider.requests).toHaveLength(2)
  })
  it.each(wires)('%s: each token, each start and each end once', async (wire) => {
    const provider = await start(() => ({ text: 'one two three', calls: [] }))
    const seen = { starts: 0, tokens: '', ends: 0 }
    const handler = {
      handleChatModelStart: () => void seen.starts++,
      handleLLMNewToken: (token: string) => {
        seen.tokens += token
      },
      handleLLMEnd: () => void seen.ends++,
    }
    const inner = modelAt(wire, provider.url, { callbacks: [handler] })
    const model = withCompaction(inner, { limits })
    let text = ''
    for await (const chunk of await model.stream(long)) text += chunk.text
    expect([text, seen]).toEqual(['one two three', { starts: 1, tokens: 'one two three', ends: 1 }])
    await withCompaction(modelAt(wire, provider.url, { streaming: true, callbacks: [handler] }), { limits }).invoke(long)
    expect(seen).toEqual({ starts: 2, tokens: 'one two threeone two three', ends: 2 })
    expect(refused(provider)).toEqual([])
  })
})

describe('where no thread is named and where one is', () => {
  it('behind a prompt template, the conversation is known by configurable.thread_id or sessionId, or by what it says', async () => {
    const provider = await start(() => ({ text: 'done', calls: [] }))
    const reports: CompactionReport[] = []
    const model = withCompaction(modelAt('openai', provider.url), { limits, onReport: (report) => reports.push(report) })
    const chain = ChatPromptTemplate.fromMessages([['system', 'Now it is {time}.'], new MessagesPlaceholder('history')]).pipe(model)
    for (const configurable of [{}, { thread_id: 't' }, { sessionId: 's' }])
      for (const time of ['10:00', '10:01', '10:02']) await chain.invoke({ time, history: long.slice(1) }, { configurable })
    const made = reports.filter(({ outcome }) => outcome !== 'projected').length
    expect(reports).toHaveLength(9)
    expect(made).toBe(3)
  })
  it('createReactAgent: a long run ends well, and its state has no look-up', async () => {
    const provider = await start(recallModel(vaultScenario, { looksUp: tool }))
    const agent = createReactAgent({ llm: withCompaction(modelAt('openai', provider.url), { limits }), tools: [readFile], checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: 't' }, recursionLimit: 100 }
    const run = await agent.invoke({ messages: [new HumanMessage('Read the file of each vault.')] }, config)
    expect(run.messages.at(-1)?.text).toBe(vaultScenario.final)
    let right = 0
    for (const vault of vaults) {
      const { messages } = await agent.invoke({ messages: [new HumanMessage(questionOf(vault))] }, config)
      if (messages.at(-1)?.text.endsWith(vault.code) === true) right++
    }
    expect(right).toBe(vaults.length)
    expect(refused(provider)).toEqual([])
    expect(JSON.stringify((await agent.getState(config)).values)).not.toContain(tool)
  })
  it.each(wires)('%s: a window that nobody knew is learned from refusals, in streams too', async (wire) => {
    const provider = await start(() => ({ text: 'done', calls: [] }), 6_000)
    const model = withCompaction(modelAt(wire, provider.url))
    let text = ''
    for await (const chunk of await model.stream(long)) text += chunk.text
    expect(text).toBe('done')
    expect((await model.invoke(long)).text).toBe('done')
    expect(refused(provider).length).toBeLessThanOrEqual(3)
  })
})

it.each(['invoke', 'stream'] as const)('a summary that takes longer than a call may does not end it: %s', async (mode) => {
  const provider = await start(() => ({ text: 'ok', calls: [] }))
  // No time passes but while it summarizes: then each deadline passes in its turn, until its own has.
  const deadlines: { readonly after: number; pass(): void }[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((after) => {
    const controller = new AbortController()
    deadlines.push({ after, pass: () => controller.abort(new DOMException('Too late.', 'TimeoutError')) })
    return controller.signal
  })
  const slow: Summarizer = {
    name: 'slow',
    summarize: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        for (const { pass } of deadlines.toSorted((a, b) => a.after - b.after)) if (!signal.aborted) pass()
      }),
  }
  const outcomes: string[] = []
  const model = withCompaction(modelAt('openai', provider.url), { limits, summarizer: slow, onReport: ({ outcome }) => outcomes.push(outcome) })
  const talk = Array.from({ length: 40 }, (_, at) => [new HumanMessage(`Question ${at} of ${mode}: ${'words '.repeat(400)}`), new AIMessage('Yes.')]).flat()
  const asked = [...talk, new HumanMessage('And now?')]
  let text = ''
  if (mode === 'invoke') text = (await model.invoke(asked, { timeout: 2_000 })).text
  else for await (const chunk of await model.stream(asked, { timeout: 2_000 })) text += chunk.text
  expect([text, outcomes]).toEqual(['ok', ['degraded']])
})
