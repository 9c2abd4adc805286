import { AIMessage, type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { compaction, type WithCompactionOptions, withCompaction } from '@precis/langchain'
import { type Declared, type ModelReply, type PromptEntry, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { modelAt, questionOf, readFile, vaultScenario, vaults, vaultText, type Wire } from '../../vaults.ts'

const open: StrictProvider[] = []
export const close = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
}
export const name = 'precis_recall'
export const limits = { contextWindow: 12_000, maxOutput: 500 }
export const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, maxOutput: 500, model: recallModel(vaultScenario, { looksUp: name, thinks: true }), ...more })
  open.push(provider)
  return provider
}
/** A history of all vaults, long enough that most of it leaves. */
export const history: readonly BaseMessage[] = [
  new HumanMessage('Read the file of each vault.'),
  ...vaults.flatMap(({ path }, at) => [
    new AIMessage({ content: '', tool_calls: [{ id: `step_${at}`, name: 'read_file', args: { path } }] }),
    new ToolMessage({ content: vaultText(path), tool_call_id: `step_${at}`, name: 'read_file' }),
  ]),
  new AIMessage('All vaults are read.'),
]
export const [vault] = vaults as [(typeof vaults)[number]]
export const asked = (of = vault): BaseMessage[] => [...history, new HumanMessage(questionOf(of))]
const thinking = { maxTokens: 560, thinking: { type: 'enabled', budget_tokens: 60 } }
export const bare = (wire: Wire, { url }: StrictProvider) => modelAt(wire, url, wire === 'anthropic' ? thinking : {})

export type Door = 'compaction()' | 'withCompaction()' | 'withCompaction() in a stream'
type Ask = (messages: readonly BaseMessage[]) => Promise<readonly BaseMessage[]>

/** One turn through a door: the messages that it adds to the history. */
export function doorOf(door: Door, wire: Wire, provider: StrictProvider, options: WithCompactionOptions = {}): Ask {
  if (door === 'compaction()') {
    const agent = createAgent({ model: bare(wire, provider), tools: [readFile], middleware: [compaction({ limits, ...options })] })
    return async (messages) => (await agent.invoke({ messages: [...messages] })).messages.slice(messages.length)
  }
  const model = withCompaction(bare(wire, provider), { limits, ...options }).bindTools?.([readFile])
  const call = async (messages: readonly BaseMessage[]): Promise<AIMessage> => {
    if (door === 'withCompaction()') return (await model?.invoke([...messages])) as AIMessage
    let whole: AIMessageChunk | undefined
    for await (const chunk of (await model?.stream([...messages])) ?? [])
      whole = whole === undefined ? (chunk as AIMessageChunk) : whole.concat(chunk as AIMessageChunk)
    return whole as unknown as AIMessage
  }
  return async (messages) => {
    const said: BaseMessage[] = []
    for (;;) {
      const reply = await call([...messages, ...said])
      said.push(reply)
      if ((reply.tool_calls ?? []).length === 0) return said
      for (const { id = '', name, args } of reply.tool_calls ?? [])
        said.push(new ToolMessage({ content: vaultText(String(args['path'])), tool_call_id: id, name }))
    }
  }
}
export const refusals = ({ requests }: StrictProvider) =>
  requests.flatMap(({ status, violations }) => (status === 200 ? [] : [violations[0]?.message ?? 'overflow']))
export const offered = ({ requests }: StrictProvider) => requests.map(({ declared }) => declared.tools.includes(name))
/** Replies by what was asked of the provider so far. */
export const scripted = (...replies: readonly ((prompt: readonly PromptEntry[], declared: Declared) => Partial<ModelReply>)[]) => {
  let at = 0
  return (prompt: readonly PromptEntry[], declared: Declared): ModelReply => ({
    text: '',
    calls: [],
    thinking: `Thought ${at}.`,
    ...replies[Math.min(at++, replies.length - 1)]?.(prompt, declared),
  })
}
let ids = 0
export const look = (input: object = { query: questionOf(vault) }) => ({ id: `look_${++ids}`, tool: name, input: JSON.stringify(input) })
export const read = () => ({ id: `read_${++ids}`, tool: 'read_file', input: JSON.stringify({ path: 'src/other.ts' }) })

export const doors: readonly Door[] = ['compaction()', 'withCompaction()', 'withCompaction() in a stream']
export const wires: readonly Wire[] = ['openai', 'openai-responses', 'anthropic']
