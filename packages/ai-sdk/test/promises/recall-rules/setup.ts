import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type WithCompactionOptions, withCompaction } from '@precis/ai-sdk'
import { type Declared, type ModelReply, type PromptEntry, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, type LanguageModel, type ModelMessage, type ToolSet, tool } from 'ai'
import { z } from 'zod'
import { questionOf, vaultScenario, vaults, vaultText } from '../../vaults.ts'

type Model = Exclude<LanguageModel, string>
const open: StrictProvider[] = []

export const close = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
}

export const name = 'precis_recall'
export const tools: ToolSet = {
  read_file: tool({ description: 'Reads a file.', inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => vaultText(path) }),
}

export const limits = { contextWindow: 12_000, maxOutput: 500 }
export const wires = {
  chat: ({ url }: StrictProvider) => createOpenAICompatible({ baseURL: url, apiKey: 'none', name: 'strict', includeUsage: true })('strict'),
  responses: ({ url }: StrictProvider) => createOpenAI({ baseURL: url, apiKey: 'none' }).responses('strict'),
  anthropic: ({ url }: StrictProvider) => createAnthropic({ baseURL: url, apiKey: 'none' })('strict'),
  google: ({ url }: StrictProvider) => createGoogleGenerativeAI({ baseURL: url, apiKey: 'none' })('strict'),
} as const
type WireName = keyof typeof wires
export const names = Object.keys(wires) as WireName[]
export const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } }
export const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, model: recallModel(vaultScenario, { looksUp: name, thinks: true }), ...more })
  open.push(provider)
  return provider
}

/** A history of all vaults, long enough that most of it leaves. */
export const history: readonly ModelMessage[] = [
  { role: 'user', content: 'Read the file of each vault.' },
  ...vaults.flatMap(({ path }, at): ModelMessage[] => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `step_${at}`, toolName: 'read_file', input: { path } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `step_${at}`, toolName: 'read_file', output: { type: 'text', value: vaultText(path) } }] },
  ]),
  { role: 'assistant', content: 'All vaults are read.' },
]
export const [vault] = vaults as [(typeof vaults)[number]]
export const asked = (of = vault): ModelMessage[] => [...history, { role: 'user', content: questionOf(of) }]
export const wrap = (wire: WireName, provider: StrictProvider, options: WithCompactionOptions = {}): Model =>
  withCompaction(wires[wire](provider) as never, { limits, ...options }) as Model
export const ask = (model: Model, messages: readonly ModelMessage[] = asked(), more: object = {}) =>
  generateText({
    model,
    messages: [...messages],
    tools,
    stopWhen: isStepCount(8),
    maxRetries: 0,
    maxOutputTokens: 500,
    providerOptions: thinking,
    ...more,
  } as Parameters<typeof generateText>[0])
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
