import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, withCompaction } from '@precis/langchain'
import { createRandom, type ModelReply, type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { readFile, vaults, vaultText } from '../vaults.ts'

const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const limits = { contextWindow: 12_000, maxOutput: 1_500 }
const history: readonly BaseMessage[] = [
  new HumanMessage('Read the file of each vault.'),
  ...vaults
    .slice(0, 8)
    .flatMap(({ path }, at) => [
      new AIMessage({ content: '', tool_calls: [{ id: `step_${at}`, name: 'read_file', args: { path } }] }),
      new ToolMessage({ content: vaultText(path), tool_call_id: `step_${at}`, name: 'read_file' }),
    ]),
  new AIMessage('All vaults are read.'),
]
const wires = {
  anthropic: (url: string) =>
    new ChatAnthropic({
      model: 'strict',
      apiKey: 'none',
      anthropicApiUrl: url.replace(/\/v1$/, ''),
      maxRetries: 0,
      maxTokens: 1_500,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
    }),
  responses: (url: string) =>
    new ChatOpenAI({ model: 'gpt-5.2', apiKey: 'none', configuration: { baseURL: url }, useResponsesApi: true, maxRetries: 0, maxTokens: 1_500 }),
  'responses, sealed': (url: string) =>
    new ChatOpenAI({
      model: 'gpt-5.2',
      apiKey: 'none',
      configuration: { baseURL: url },
      useResponsesApi: true,
      maxRetries: 0,
      maxTokens: 1_500,
      zdrEnabled: true,
    }),
} as const
type WireName = keyof typeof wires
type Door = 'agent' | 'agent, streamed' | 'model' | 'model, streamed'
type Ask = (messages: readonly BaseMessage[]) => Promise<readonly BaseMessage[]>

function doorOf(door: Door, base: ChatAnthropic | ChatOpenAI, ours = true): Ask {
  if (door.startsWith('agent')) {
    const agent = createAgent({ model: base, tools: [readFile], middleware: ours ? [compaction({ limits })] : [] })
    const options = { recursionLimit: 60 }
    return async (messages) => {
      if (door === 'agent') return (await agent.invoke({ messages: [...messages] }, options)).messages.slice(messages.length)
      let last: BaseMessage[] = []
      for await (const [mode, state] of await agent.stream({ messages: [...messages] }, { ...options, streamMode: ['values', 'messages'] }))
        if (mode === 'values') last = (state as { messages: BaseMessage[] }).messages
      return last.slice(messages.length)
    }
  }
  const model = (ours ? withCompaction(base as ChatOpenAI, { limits }) : (base as ChatOpenAI)).bindTools?.([readFile])
  return async (messages) => {
    const said: BaseMessage[] = []
    for (;;) {
      const all = [...messages, ...said]
      let reply: AIMessage | AIMessageChunk | undefined
      if (door === 'model') reply = (await model?.invoke(all)) as AIMessage
      else
        for await (const chunk of (await model?.stream(all)) ?? [])
          reply = reply === undefined ? (chunk as AIMessageChunk) : ((reply as AIMessageChunk).concat(chunk as AIMessageChunk) as AIMessageChunk)
      if (reply === undefined) return said
      said.push(reply)
      if ((reply.tool_calls ?? []).length === 0) return said
      for (const { id = '', name, args } of reply.tool_calls ?? [])
        said.push(new ToolMessage({ content: vaultText(String(args['path'])), tool_call_id: id, name }))
    }
  }
}

const doors: readonly Door[] = ['agent', 'agent, streamed', 'model', 'model, streamed']
const ways = doors.flatMap((door) => (Object.keys(wires) as WireName[]).map((wire) => [door, wire] as const))
const runs = Number(process.env['PRECIS_RUNS'] ?? 2)

describe.each(ways)('thoughts, look-ups and calls of the agent in any order: %s, %s', (door, wire) => {
  it.each(['one process', 'a process for every turn', 'without us from the third turn on'] as const)('%s', async (host) => {
    const refused: unknown[] = []
    let mixed = 0
    for (let seed = 1; seed <= runs; seed++) {
      const random = createRandom(seed * 7_919)
      let [id, left] = [0, 3]
      const order: string[] = []
      const model = (_: unknown, declared: { readonly tools: readonly string[] }): ModelReply => {
        const thinking = `Thought ${++id}.`
        if (left-- <= 0) {
          left = random.between(0, 3)
          return { text: 'Done.', thinking, calls: [] }
        }
        const has = declared.tools.includes('precis_recall')
        const calls = Array.from({ length: random.between(1, 4) }, () => {
          const looks = has && random.between(0, 1) === 0
          return looks
            ? { id: `look_${++id}`, tool: 'precis_recall', input: JSON.stringify({ query: 'vault code' }) }
            : { id: `read_${++id}`, tool: 'read_file', input: JSON.stringify({ path: random.pick(vaults).path }) }
        })
        const reply = { text: random.pick(['', 'Let me see.']), callsFirst: random.between(0, calls.length), redacted: random.between(0, 4) === 0, calls }
        if (new Set(calls.map(({ tool }) => tool)).size > 1) mixed++
        order.push(`${reply.text === '' ? '' : `text at ${reply.callsFirst} `}${calls.map(({ tool }) => tool).join(' ')}`)
        return { ...reply, thinking }
      }
      const provider = await strictProvider({ window: 200_000, model })
      open.push(provider)
      const base = () => wires[wire](provider.url)
      const ask = doorOf(door, base())
      const chat = [...history]
      for (let turn = 0; turn < 6; turn++) {
        chat.push(new HumanMessage(`Go on, number ${turn}.`))
        const now =
          host === 'one process' || turn === 0 ? ask : host === 'a process for every turn' ? doorOf(door, base()) : turn < 2 ? ask : doorOf(door, base(), false)
        try {
          chat.push(...(await now(chat)))
        } catch (error) {
          refused.push([seed, String(error).slice(0, 300), ...order.slice(-3)])
          break
        }
      }
      refused.push(...provider.requests.flatMap(({ status, violations }) => (status === 200 ? [] : [[seed, violations[0]?.message, order.at(-1)]])))
    }
    expect(refused).toEqual([])
    expect(mixed).toBeGreaterThan(0)
  })
})
