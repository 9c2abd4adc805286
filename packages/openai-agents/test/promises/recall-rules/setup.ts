import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { memoryStorage } from '@precis/core'
import { type WithCompactionOptions, withCompaction } from '@precis/openai-agents'
import { type Declared, type ModelReply, type PromptEntry, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { questionOf, readFileTool, vaultScenario, vaults, vaultText } from '../../vaults.ts'

setTracingDisabled(true)
export const open: StrictProvider[] = []

export const close = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
}

export const name = 'precis_recall'
export const limits = { contextWindow: 12_000, maxOutput: 500 }
export const [vault] = vaults as [(typeof vaults)[number]]
export const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, model: recallModel(vaultScenario, { looksUp: name, thinks: true }), ...more })
  open.push(provider)
  return provider
}

/** A history of all vaults, long enough that most of it leaves. */
export const history = [
  { role: 'user', content: 'Read the file of each vault.' },
  ...vaults.flatMap(({ path }, at) => [
    { type: 'function_call', callId: `step_${at}`, name: 'read_file', arguments: JSON.stringify({ path }), status: 'completed' },
    { type: 'function_call_result', callId: `step_${at}`, name: 'read_file', status: 'completed', output: { type: 'text', text: vaultText(path) } },
  ]),
  { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'All vaults are read.' }] },
] as AgentInputItem[]
const asked = (of = vault): AgentInputItem[] => [...history, { role: 'user', content: questionOf(of) }]
const wires = { chat: false, responses: true } as const
type WireName = keyof typeof wires
export const providerFor = (wire: WireName, { url }: StrictProvider) =>
  new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 }) as never, useResponses: wires[wire] })
export const wrap = (wire: WireName, provider: StrictProvider, options: WithCompactionOptions = {}) =>
  withCompaction(providerFor(wire, provider), { limits, storage: memoryStorage(), ...options })
export interface Asked {
  readonly stream?: boolean
  readonly input?: AgentInputItem[]
  readonly agent?: object
  readonly options?: object
}

export const ask = async (modelProvider: object, { stream = false, input = asked(), agent = {}, options = {} }: Asked = {}) => {
  const reader = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500 }, ...agent })
  const runner = new Runner({ modelProvider: modelProvider as never })
  const result = stream
    ? await runner.run(reader, input, { maxTurns: 8, ...options, stream: true })
    : await runner.run(reader, input, { maxTurns: 8, ...options })
  const events: { type: string; data?: { type: string; event?: object } }[] = []
  if ('completed' in result) {
    for await (const event of result) events.push(event as never)
    await result.completed
  }
  return { result, events, text: result.finalOutput as unknown, turns: result.rawResponses.length, history: result.history }
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
export const finds = (prompt: readonly PromptEntry[]) => ({
  text: prompt.some(({ text }) => text.includes(`opens with code ${vault.code}`)) ? 'found' : 'lost',
})
