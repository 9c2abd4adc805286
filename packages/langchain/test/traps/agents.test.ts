import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { createToolOutputStore, memoryStorage } from '@precis/core'
import { freezeDeep, strictProvider } from '@precis/testkit'
import { createDeepAgent } from 'deepagents'
import { createAgent, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Recorder, tokensOf, violations } from '../../bench/histories.ts'
import { compactionMiddleware } from '../../src/index.ts'
import { Caller, closeAll, closing, invoke, limits, Profiled, read, steps } from './setup.ts'

afterEach(closeAll)

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
