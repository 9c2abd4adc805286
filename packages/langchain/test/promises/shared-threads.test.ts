import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { Annotation, MemorySaver, Send, StateGraph } from '@langchain/langgraph'
import { compaction } from '@precis/langchain'
import { fakeSummarizer, type PromptEntry, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modelAt } from '../vaults.ts'

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const limits = { contextWindow: 8_000, maxOutput: 256 }
const filling = (count: number, what: string): string =>
  Array.from({ length: count }, (_, at) => `${what} item ${at} lies in drawer ${(at * 7) % 97} of cabinet ${(at * 13) % 31}.`).join(' ')
const said = (prompt: readonly PromptEntry[]): string => prompt.map(({ text }) => text).join('\n')
/** How many reports were read, by the ids of the calls. */
const readSoFar = (prompt: readonly PromptEntry[]): number =>
  Math.max(0, ...prompt.flatMap(({ callIds }) => callIds.map((id) => Number(/_(\d+)$/.exec(id)?.[1] ?? -1) + 1)))
const refusals = (): readonly string[] => (provider?.requests ?? []).flatMap(({ violations }) => violations.map(({ message }) => message))
const schema = z.object({ n: z.number(), who: z.string() })

describe('agents that share a thread', () => {
  it('recall: "tool": each branch is answered from its own history', async () => {
    provider = await strictProvider({
      window: limits.contextWindow,
      model: (prompt) => {
        const who = /WORKER-(\w+)/.exec(said(prompt))?.[1] ?? ''
        const read = readSoFar(prompt)
        if (read < 12) return { text: '', calls: [{ id: `${who}_${read}`, tool: 'read', input: JSON.stringify({ n: read, who }) }] }
        if (!prompt.some(({ callIds }) => callIds.includes('look')))
          return { text: '', calls: [{ id: 'look', tool: 'precis_recall', input: '{"query":"password of the vault"}' }] }
        return { text: `${who} found ${/vault is (\w+)/.exec(prompt.findLast(({ isResult }) => isResult)?.text ?? '')?.[1]}`, calls: [] }
      },
    })
    const read = tool(({ n, who }: z.infer<typeof schema>) => `${n === 1 ? `The password of the vault is ${who}secret. ` : ''}${filling(80, `report ${n}`)}`, {
      name: 'read',
      description: 'Reads a report.',
      schema,
    })
    const agent = createAgent({ model: modelAt('openai', provider.url), tools: [read], middleware: [compaction({ limits, recall: 'tool' })] })
    const Team = Annotation.Root({ found: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }) })
    const team = new StateGraph(Team)
      .addNode('worker', async ({ who }: { who?: string }) => {
        const { messages } = await agent.invoke({ messages: [new HumanMessage(`You are WORKER-${who}`)] }, { recursionLimit: 100 })
        return { found: [messages.at(-1)?.text ?? ''] }
      })
      .addConditionalEdges('__start__', () => ['ann', 'bob', 'cyd'].map((who) => new Send('worker', { who })), ['worker'])
      .addEdge('worker', '__end__')
      .compile({ checkpointer: new MemorySaver() })
    const { found } = await team.invoke({}, { configurable: { thread_id: 't' }, recursionLimit: 100 })
    expect([...found].sort()).toEqual(['ann found annsecret', 'bob found bobsecret', 'cyd found cydsecret'])
    expect(refusals()).toEqual([])
  })

  it('an agent and the one that it calls as a tool pay once each, whoever goes on', async () => {
    provider = await strictProvider({
      window: limits.contextWindow,
      model: (prompt, { tools }) => {
        const read = readSoFar(prompt)
        if (tools.includes('read'))
          return read < 10
            ? { text: '', calls: [{ id: `s_${read}`, tool: 'read', input: JSON.stringify({ n: read, who: '' }) }] }
            : { text: 'Done.', calls: [] }
        const last = prompt.at(-1)
        return last?.isResult === false && last.text.includes('DELEGATE')
          ? { text: '', calls: [{ id: `d${prompt.length}`, tool: 'delegate', input: '{}' }] }
          : { text: 'Fine.', calls: [] }
      },
    })
    const { url } = provider
    const saver = new MemorySaver()
    const config = { configurable: { thread_id: 't' }, recursionLimit: 100 }
    const paid = async (delegates: boolean): Promise<number> => {
      const summarizer = fakeSummarizer()
      const thread = { ...config, configurable: { thread_id: String(delegates) } }
      for (let turn = 0; turn < 10; turn++) {
        // A new process for each turn.
        const own = compaction({ limits, summarizer })
        const read = tool(({ n }: z.infer<typeof schema>) => filling(80, `report ${n}`), { name: 'read', description: 'Reads a report.', schema })
        const inner = createAgent({ model: modelAt('openai', url), tools: [read], middleware: [own] })
        const delegate = tool(
          async () =>
            (delegates ? (await inner.invoke({ messages: [new HumanMessage('Read them.')] }, { recursionLimit: 100 })).messages.at(-1)?.text : 'Done.') ?? '',
          {
            name: 'delegate',
            description: 'Has the reports read.',
            schema: z.object({}),
          },
        )
        const agent = createAgent({ model: modelAt('openai', url), tools: [delegate], middleware: [own], checkpointer: saver })
        await agent.invoke({ messages: [new HumanMessage(`Turn ${turn}${turn >= 6 ? ' DELEGATE' : ''} ${filling(60, `part ${turn}`)}`)] }, thread)
      }
      // What the inner agent pays is its own.
      return summarizer.requests.filter(({ prompt }) => !/report \d+ item/.test(prompt)).length
    }
    const alone = await paid(false)
    expect(alone).toBeGreaterThan(0)
    expect(await paid(true)).toBe(alone)
    expect(refusals()).toEqual([])
  })
})

describe('what was taken back stays so in another process, by the state of the graph alone', () => {
  const begun = async () => {
    provider = await strictProvider({ window: 16_000, model: () => ({ text: 'Fine.', calls: [] }) })
    const { url } = provider
    const saver = new MemorySaver()
    const made = () => {
      const own = compaction({ limits: { contextWindow: 16_000, maxOutput: 256 } })
      return { own, agent: createAgent({ model: modelAt('openai', url), tools: [], middleware: [own], checkpointer: saver }) }
    }
    let turns = 0
    const sent = async ({ agent }: ReturnType<typeof made>): Promise<number> => {
      await agent.invoke({ messages: [new HumanMessage(`Turn ${turns++} ${filling(20, 'part')}`)] }, { configurable: { thread_id: 't' } })
      return provider?.requests.at(-1)?.prompt.length ?? 0
    }
    const first = made()
    for (let turn = 0; turn < 7; turn++) await sent(first)
    await first.own.session('t').schedule()
    expect(await sent(first)).toBeLessThan(12)
    const second = made()
    expect(await sent(second)).toBeLessThan(14)
    return { first, second, made, sent }
  }
  it('where there was no other', async () => {
    const { first, second, made, sent } = await begun()
    await first.own.session('t').rewind()
    expect([await sent(first), await sent(second), await sent(made())]).toEqual([19, 21, 23])
  })
  it('where an older one stands', async () => {
    const { first, second, made, sent } = await begun()
    await first.own.session('t').schedule()
    const newest = await sent(first)
    expect(await sent(second)).toBe(newest + 2)
    await first.own.session('t').rewind()
    const shown = await sent(first)
    expect(shown).toBeGreaterThan(newest + 4)
    expect([await sent(second), await sent(made())]).toEqual([shown + 2, shown + 4])
  })
})

class Quiet extends BaseChatModel {
  _llmType(): string {
    return 'quiet'
  }
  override bindTools(): this {
    return this
  }
  async _generate(): Promise<ChatResult> {
    return { generations: [{ text: 'Fine.', message: new AIMessage('Fine.') }] }
  }
}

it('what finished runs said is let go of', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const agent = createAgent({
    model: new Quiet({}),
    tools: [],
    middleware: [compaction({ limits: { contextWindow: 1_000_000, maxOutput: 500 }, maxMemory: 1_000_000 })],
  })
  const used = async (from: number, to: number): Promise<number> => {
    for (let run = from; run < to; run++)
      await agent.invoke({ messages: [new HumanMessage(filling(12_000, `run ${run}`))] }, { configurable: { thread_id: `t${run}` } })
    await new Promise((resolve) => setTimeout(resolve, 20))
    collect()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = await used(0, 10)
  expect((await used(10, 60)) - before).toBeLessThan(10)
})
