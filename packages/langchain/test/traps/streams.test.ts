import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { compactionMiddleware, createCompactionNode, modelSummarizer } from '../../src/index.ts'
import { Caller, limits, read, steps } from './setup.ts'

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
