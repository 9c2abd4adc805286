// The real packages on the same cuts, each given the budget and the same ruler.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage, trimMessages } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { type ModelMessage, pruneMessages } from 'ai'
import { createSummarizationMiddleware, StateBackend } from 'deepagents'
import { ClearToolUsesEdit, createAgent, summarizationMiddleware } from 'langchain'
import type { Compacted } from '../measures/score.ts'
import type { Cut } from '../sessions/cuts.ts'
import { type RecordedMessage, tokensOf } from '../sessions/transcripts.ts'
import type { Strategy } from './baselines.ts'

/** A model that remembers what it was asked and always says the same. */
class Recorder extends BaseChatModel {
  readonly seen: BaseMessage[][] = []
  override _llmType(): string {
    return 'recorder'
  }
  override bindTools(): this {
    return this
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.seen.push(messages)
    return { generations: [{ text: 'A summary of what was done.', message: new AIMessage('A summary of what was done.') }] }
  }
}

function langchainOf(message: RecordedMessage): BaseMessage {
  if (message.role === 'tool') {
    return new ToolMessage({ content: message.content, tool_call_id: message.toolCallId ?? '', name: message.toolName ?? '' })
  }
  if (message.role === 'user') return new HumanMessage(message.content)
  const calls = (message.toolCalls ?? []).map((call) => ({ id: call.id, name: call.name, args: call.arguments, type: 'tool_call' as const }))
  return new AIMessage({ content: message.content, tool_calls: calls })
}

function aiSdkOf(message: RecordedMessage): ModelMessage {
  if (message.role === 'tool') {
    const output = { type: 'text', value: message.content } as const
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.toolCallId ?? '', toolName: message.toolName ?? '', output }] }
  }
  if (message.role === 'user') return { role: 'user', content: message.content }
  const calls = (message.toolCalls ?? []).map((call) => ({ type: 'tool-call' as const, toolCallId: call.id, toolName: call.name, input: call.arguments }))
  return { role: 'assistant', content: [...(message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]), ...calls] }
}

interface Said {
  readonly text: string
  readonly calls: readonly string[]
  readonly answers: string | undefined
}

function fromLangchain(message: BaseMessage): Said {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
  const texts = [message.text, ...calls.map((call) => `${call.name} ${argumentsOf(call.args)}`)]
  return { text: texts.join('\n'), calls: calls.map((call) => call.id ?? ''), answers: ToolMessage.isInstance(message) ? message.tool_call_id : undefined }
}

function fromAiSdk(message: ModelMessage): readonly Said[] {
  if (typeof message.content === 'string') return [{ text: message.content, calls: [], answers: undefined }]
  const texts: string[] = []
  const calls: string[] = []
  const answers: Said[] = []
  for (const part of message.content) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'tool-call') {
      calls.push(part.toolCallId)
      texts.push(`${part.toolName} ${argumentsOf(part.input as Record<string, unknown>)}`)
    } else if (part.type === 'tool-result') answers.push({ text: String((part.output as { value: unknown }).value), calls: [], answers: part.toolCallId })
  }
  return texts.length > 0 || calls.length > 0 ? [{ text: texts.join('\n'), calls, answers: undefined }, ...answers] : answers
}

function argumentsOf(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}

/** Pairs are judged against what the session itself held: what was never answered there is nobody's fault. */
function compacted(cut: Cut, said: readonly Said[]): Compacted {
  const answered = new Set(said.map((one) => one.answers))
  const called = new Set(said.flatMap((one) => one.calls))
  const had = new Set(cut.prefix.map((message) => message.toolCallId))
  const orphans = said.filter((one) => one.answers !== undefined && !called.has(one.answers)).length
  const open = [...called].filter((id) => had.has(id) && !answered.has(id)).length
  return { texts: said.map((one) => one.text), unpaired: orphans + open }
}

const count = (messages: BaseMessage[]): number => messages.reduce((sum, message) => sum + tokensOf(fromLangchain(message).text), 0)

const trimmed: Strategy = async (cut, budget) => {
  const options = { maxTokens: budget, tokenCounter: count, strategy: 'last', startOn: 'human', includeSystem: true } as const
  return compacted(cut, (await trimMessages(cut.prefix.map(langchainOf), options)).map(fromLangchain))
}

/** The largest `keep` whose result fits; the smallest one where none does. */
async function largest(highest: number, tokensAt: (keep: number) => Promise<number>, budget: number): Promise<number> {
  let low = 0
  let high = highest
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((await tokensAt(middle)) <= budget) low = middle
    else high = middle
  }
  return low
}

const pruned: Strategy = async (cut, budget) => {
  const messages = cut.prefix.map(aiSdkOf)
  const at = (last: number): readonly Said[] =>
    pruneMessages({ messages, toolCalls: last < 2 ? 'all' : `before-last-${last}-messages`, emptyMessages: 'remove' }).flatMap(fromAiSdk)
  const keep = await largest(messages.length + 1, async (last) => at(last).reduce((sum, one) => sum + tokensOf(one.text), 0), budget)
  return compacted(cut, at(keep))
}

const cleared: Strategy = async (cut, budget) => {
  const at = async (keep: number): Promise<BaseMessage[]> => {
    const messages = cut.prefix.map(langchainOf)
    const edit = new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: keep } })
    await edit.apply({ messages, model: new Recorder({}), countTokens: (some) => count(some as BaseMessage[]) })
    return messages
  }
  const keep = await largest(cut.prefix.length + 1, async (last) => count(await at(last)), budget)
  return compacted(cut, (await at(keep)).map(fromLangchain))
}

/** What an agent with this middleware sends to its model. */
async function throughAgent(cut: Cut, middleware: unknown): Promise<Compacted> {
  const model = new Recorder({})
  const agent = createAgent({ model, tools: [], middleware: [middleware] as never }) as unknown as { invoke(input: unknown, config: unknown): Promise<unknown> }
  await agent.invoke({ messages: [...cut.prefix.map(langchainOf), new HumanMessage('Go on.')] }, { recursionLimit: 50 })
  return compacted(cut, (model.seen.at(-1) ?? []).slice(0, -1).map(fromLangchain))
}

/** Room for the summary itself, which says nothing here: no model is asked, so this is what the middleware itself keeps. */
const tailShare = 0.9

const summarized: Strategy = (cut, budget) =>
  throughAgent(
    cut,
    // Its types know more option shapes than a plain call can satisfy.
    (summarizationMiddleware as unknown as (options: unknown) => unknown)({
      model: new Recorder({}),
      trigger: { tokens: 1 },
      keep: { tokens: Math.floor(budget * tailShare) },
      tokenCounter: count,
    }),
  )

const deep: Strategy = (cut, budget) =>
  throughAgent(
    cut,
    createSummarizationMiddleware({
      model: new Recorder({}),
      backend: (config: { state: unknown }) => new StateBackend(config as never),
      trigger: { type: 'tokens', value: 1 },
      keep: { type: 'tokens', value: Math.floor(budget * tailShare) },
    }),
  )

export const peers: Readonly<Record<string, Strategy>> = {
  'trimMessages (LangChain), startOn human': trimmed,
  'pruneMessages (AI SDK), fitted': pruned,
  'ClearToolUsesEdit (LangChain), fitted': cleared,
  'summarizationMiddleware (LangChain), mute model': summarized,
  'summarization of deepagents, mute model': deep,
}
