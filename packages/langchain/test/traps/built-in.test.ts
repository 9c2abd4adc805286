import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import type { CompactionReport } from '@precis/core'
import { createAgent, createMiddleware, tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Recorder, tokensOf, violations } from '../../bench/histories.ts'
import { messageCodec as codec, compactionMiddleware, createCompactor, modelSummarizer } from '../../src/index.ts'
import { Caller, changes, invoke, limits, Profiled, read, steps, words } from './setup.ts'

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
    const outcomes: string[] = []
    for (const model of [new Profiled('ok'), new Recorder('ok')]) {
      const middleware = compactionMiddleware({ onReport: (report) => outcomes.push(report.outcome) })
      const long = [new HumanMessage(`go, ${model.constructor.name}`), ...steps(30), new HumanMessage('on')]
      await invoke(createAgent({ model, tools: [], middleware: [middleware] }), long)
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
