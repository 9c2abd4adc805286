import { type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { memoryStorage } from '@precis/core'
import { compaction, type MiddlewareOptions } from '@precis/langchain'
import { recallModel, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { modelAt, readFile, vaultScenario } from '../vaults.ts'

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})
const limits = { contextWindow: 12_000, maxOutput: 500 }
const open = async (window = 12_000): Promise<string> => {
  provider = await strictProvider({ window, maxOutput: 500, model: recallModel(vaultScenario) })
  return provider.url
}
const go = { messages: [new HumanMessage('Read the file of each vault.')] }

describe('the graph has the steps of a graph without us', () => {
  it('as many model calls within the default recursion limit', async () => {
    const calls: number[] = []
    for (const middleware of [[], [compaction({ limits: { contextWindow: 200_000, maxOutput: 500 } })]]) {
      const agent = createAgent({ model: modelAt('openai', await open(200_000)), tools: [readFile], middleware })
      await expect(agent.invoke(go)).rejects.toThrow(/[Rr]ecursion/)
      calls.push(provider?.requests.length ?? 0)
      await provider?.close()
    }
    expect(calls).toEqual([13, 13])
  })
  it.each([undefined, 'persist'] as const)('the same updates, step by step, and our key beside the reply after a compaction only; mode: %s', async (mode) => {
    const seen = async (middleware: MiddlewareOptions | undefined, window: number) => {
      const agent = createAgent({
        model: modelAt('openai', await open(window)),
        tools: [readFile],
        middleware: middleware === undefined ? [] : [compaction(middleware)],
      })
      const updates: [string, string[]][] = []
      for await (const update of await agent.stream(go, { streamMode: 'updates', recursionLimit: 100 }))
        for (const [node, values] of Object.entries(update)) {
          const written = [values].flat().map((one) => Object(one) as { readonly _precis?: unknown })
          updates.push([node, written.flatMap((one) => Object.keys(one))])
          expect(JSON.stringify(written.flatMap((one) => one._precis ?? [])).length).toBeLessThan(200)
        }
      await provider?.close()
      return updates
    }
    const bare = await seen(undefined, 200_000)
    const own = await seen({ limits, ...(mode !== undefined && { mode }) }, 12_000)
    expect(own.map(([node]) => node)).toEqual(bare.map(([node]) => node))
    const extra = own.filter(([, names]) => names.includes('_precis'))
    expect(extra.every(([node]) => node === 'model_request')).toBe(true)
    expect(extra.length).toBeGreaterThan(0)
    expect(extra.length).toBeLessThan(own.length / 3)
  })
})

describe('what the state of the graph holds', () => {
  const ran = async (options: MiddlewareOptions) => {
    const agent = createAgent({
      model: modelAt('openai', await open()),
      tools: [readFile],
      middleware: [compaction({ limits, ...options })],
      checkpointer: new MemorySaver(),
    })
    const config = { configurable: { thread_id: 't' }, recursionLimit: 100 }
    await agent.invoke(go, config)
    const { values } = (await agent.getState(config)) as unknown as { values: { _precis?: unknown; messages: BaseMessage[] } }
    return values
  }
  it('with a storage a reference, without one the newest checkpoint, which only the checkpointer writes out', async () => {
    const { _precis: reference } = await ran({ storage: memoryStorage() })
    expect(JSON.stringify(reference)).toContain('checkpoint')
    expect(JSON.stringify(reference).length).toBeLessThan(200)
    await provider?.close()
    const { _precis: carried } = await ran({})
    expect(JSON.stringify(carried).length).toBeLessThan(200)
    const [[, body]] = [...(carried as { state: Map<string, { checkpoints: unknown[] }> }).state] as [[string, { checkpoints: unknown[] }]]
    expect(body.checkpoints).toHaveLength(1)
  })
})

it('a call that slips through is answered by a tool node', async () => {
  const url = await open(200_000)
  await provider?.close()
  let asked = false
  provider = await strictProvider({
    window: 200_000,
    model: (prompt) => {
      if (asked) return { text: prompt.at(-1)?.text ?? '', calls: [] }
      asked = true
      return { text: '', calls: [{ id: 'look_1', tool: 'precis_recall', input: '{"query":"PRE-205"}' }] }
    },
  })
  expect(url).not.toBe('')
  const agent = createAgent({ model: modelAt('openai', provider.url), tools: [readFile], middleware: [compaction({ recall: 'tool' })] })
  const { messages } = await agent.invoke({ messages: [new HumanMessage('The ticket is PRE-205.')] })
  expect(messages.map((message) => message.getType())).toEqual(['human', 'ai', 'tool', 'ai'])
  expect(provider.requests.every(({ declared }) => !declared.tools.includes('precis_recall'))).toBe(true)
})

it('the middleware is a handle: a compaction is asked for from outside, and done with the next call', async () => {
  const url = await open(200_000)
  const reasons: string[] = []
  const own = compaction({ limits: { contextWindow: 200_000, maxOutput: 500 }, onReport: (report) => reasons.push(report.plan.decision.reason) })
  const agent = createAgent({ model: modelAt('openai', url), tools: [readFile], middleware: [own], checkpointer: new MemorySaver() })
  const config = { configurable: { thread_id: 't' }, recursionLimit: 100 }
  await agent.invoke(go, config)
  await own.session('t').schedule({ by: 'user', focus: 'the vaults' })
  const asked = reasons.length
  await agent.invoke({ messages: [new HumanMessage('And now?')] }, config)
  expect(reasons[asked]).toBe('marker')
  await own.flush()
  await own.close()
})
