import { createAnthropic } from '@ai-sdk/anthropic'
import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { aisdk } from '@openai/agents-extensions/ai-sdk'
import { withCompaction } from '@precis/openai-agents'
import { createRandom, type ModelReply, type StrictProvider, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { readFileTool, vaults, vaultText } from '../vaults.ts'

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const limits = { contextWindow: 12_000, maxOutput: 1_500 }
const history = [
  { role: 'user', content: 'Read the file of each vault.' },
  ...vaults.slice(0, 8).flatMap(({ path }, at) => [
    { type: 'function_call', callId: `step_${at}`, name: 'read_file', arguments: JSON.stringify({ path }), status: 'completed' },
    { type: 'function_call_result', callId: `step_${at}`, name: 'read_file', status: 'completed', output: { type: 'text', text: vaultText(path) } },
  ]),
  { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'All vaults are read.' }] },
] as AgentInputItem[]

const responses = (url: string) =>
  new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 }) as never, useResponses: true })
const anthropic = (url: string) => {
  const model = aisdk(createAnthropic({ baseURL: url, apiKey: 'none' })('strict') as never)
  return { getModel: () => model }
}
const thinks = { providerData: { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } } } }
const sealed = { store: false, providerData: { include: ['reasoning.encrypted_content'] } }
const wires = {
  responses: { settings: { store: true }, inner: responses },
  'responses, sealed': { settings: sealed, inner: responses },
  'aisdk(anthropic)': { settings: thinks, inner: anthropic },
} as const
type WireName = keyof typeof wires
const ways = [false, true].flatMap((stream) => (Object.keys(wires) as WireName[]).map((wire) => [wire, stream] as const))
const runs = Number(process.env['PRECIS_RUNS'] ?? 2)

describe.each(ways)('thoughts, look-ups and calls of the agent in any order: %s, streamed: %s', (wire, stream) => {
  it('without look-ups: words behind a call stay where they are', async () => {
    const replies = [1, 2, 0, 3, 1, 1, 0, 1, 2]
    let at = 0
    const provider = await strictProvider({
      window: 12_000,
      model: (_, { tools }) => {
        if (!tools.includes('read_file')) return { text: 'Files were read.', calls: [] }
        const reads = at < replies.length ? (replies[at] ?? 0) : 0
        const calls = Array.from({ length: reads }, (_one, call) => ({
          id: `read_${at}_${call}`,
          tool: 'read_file',
          input: JSON.stringify({ path: vaults[(at * 3 + call) % vaults.length]?.path }),
        }))
        return { text: `Reply ${++at}.`, thinking: `Thought ${at}.`, callsFirst: at % 3, calls }
      },
    })
    open.push(provider)
    const { settings, inner } = wires[wire]
    const runner = new Runner({
      modelProvider: withCompaction(inner(provider.url) as never, { limits, recall: 'off' }),
      ...(wire === 'aisdk(anthropic)' && { reasoningItemIdPolicy: 'omit' }),
    })
    const reader = new Agent({ name: 'reader', model: 'gpt-5.2', tools: [readFileTool], modelSettings: { maxTokens: 1_500, ...settings } })
    let chat: AgentInputItem[] = []
    for (const ask of ['Read some.', 'Read more.', 'Go on.']) {
      const input = [...chat, { role: 'user' as const, content: ask }]
      if (stream) {
        const result = await runner.run(reader, input, { stream: true })
        await result.completed
        chat = result.history
      } else chat = (await runner.run(reader, input)).history
    }
    expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([])
    expect(provider.requests.filter(({ declared }) => declared.tools.length > 0)).toHaveLength(replies.length + 1)
  })

  it.each(['one process', 'a process for every turn', 'without us from the third turn on'] as const)('%s', async (host) => {
    const refused: unknown[] = []
    let mixed = 0
    const { settings, inner } = wires[wire]
    for (let seed = 1; seed <= runs; seed++) {
      const random = createRandom(seed * 7_919)
      let [id, left] = [0, 3]
      const order: string[] = []
      const model = (_: unknown, declared: { readonly tools: readonly string[] }): ModelReply => {
        const thought = `Thought ${++id}.`
        if (left-- <= 0) {
          left = random.between(0, 3)
          return { text: 'Done.', thinking: thought, calls: [] }
        }
        const has = declared.tools.includes('precis_recall')
        const calls = Array.from({ length: random.between(1, 4) }, () => {
          const looks = has && random.between(0, 1) === 0
          return looks
            ? { id: `look_${++id}`, tool: 'precis_recall', input: JSON.stringify({ query: 'vault code' }) }
            : { id: `read_${++id}`, tool: 'read_file', input: JSON.stringify({ path: random.pick(vaults).path }) }
        })
        const reply = { text: random.pick(['', 'Let me see.']), callsFirst: random.between(0, calls.length), calls }
        if (new Set(calls.map(({ tool }) => tool)).size > 1) mixed++
        order.push(`${reply.text === '' ? '' : `text at ${reply.callsFirst} `}${calls.map(({ tool }) => tool).join(' ')}`)
        return { ...reply, thinking: thought }
      }
      const provider = await strictProvider({ window: 200_000, model })
      open.push(provider)
      const askBy = (ours: boolean) => {
        const bare = inner(provider.url)
        const found = ours ? withCompaction(bare as never, { limits }) : bare
        // Streamed by aisdk(), the thoughts of all replies have one id, and the SDK keeps the last of them.
        const runner = new Runner({ modelProvider: found as never, ...(wire === 'aisdk(anthropic)' && { reasoningItemIdPolicy: 'omit' }) })
        const reader = new Agent({ name: 'reader', model: 'gpt-5.2', tools: [readFileTool], modelSettings: { maxTokens: 1_500, ...settings } })
        return async (input: AgentInputItem[]): Promise<AgentInputItem[]> => {
          if (!stream) return (await runner.run(reader, input, { maxTurns: 60 })).history
          const result = await runner.run(reader, input, { maxTurns: 60, stream: true })
          for await (const _ of result);
          await result.completed
          return result.history
        }
      }
      const ask = askBy(true)
      let chat = [...history]
      for (let turn = 0; turn < 6; turn++) {
        const now = host === 'one process' || turn === 0 ? ask : host === 'a process for every turn' ? askBy(true) : turn < 2 ? ask : askBy(false)
        try {
          chat = await now([...chat, { role: 'user', content: `Go on, number ${turn}.` }])
        } catch (error) {
          refused.push([seed, String(error).slice(0, 300), ...order.slice(-3)])
          break
        }
      }
      refused.push(...provider.requests.flatMap(({ status, violations }) => (status === 200 ? [] : [[seed, violations[0]?.message]])))
    }
    expect(refused).toEqual([])
    expect(mixed).toBeGreaterThan(0)
  })
})
