import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import type { Message } from '@precis/core'
import { type ModelMessage, pruneMessages } from 'ai'
import { createSummarizationMiddleware, StateBackend } from 'deepagents'
import { ClearToolUsesEdit, createAgent, summarizationMiddleware } from 'langchain'

/** A peer's way of making the same history smaller: `prepare` (not timed) makes its shape of it. */
export interface Peer {
  readonly name: string
  readonly run: (messages: readonly Message[], target: number) => () => unknown
}

function langchainOf({ role, parts }: Message): readonly BaseMessage[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (role === 'tool') {
    return parts.flatMap((part) => (part.type === 'tool-result' ? [new ToolMessage({ content: part.output, tool_call_id: part.callId, name: part.tool })] : []))
  }
  if (role === 'user') return [new HumanMessage(text)]
  if (role !== 'assistant') return [new SystemMessage(text)]
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ id: part.callId, name: part.tool, args: { input: part.input }, type: 'tool_call' as const }] : [],
  )
  return [new AIMessage({ content: text, tool_calls: calls })]
}

export function aiSdkOf({ role, parts }: Message): ModelMessage {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (role === 'user') return { role, content: text }
  if (role === 'tool') {
    return {
      role,
      content: parts.flatMap((part) =>
        part.type === 'tool-result'
          ? [{ type: 'tool-result' as const, toolCallId: part.callId, toolName: part.tool, output: { type: 'text' as const, value: part.output } }]
          : [],
      ),
    }
  }
  if (role !== 'assistant') return { role: 'system', content: text }
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ type: 'tool-call' as const, toolCallId: part.callId, toolName: part.tool, input: { input: part.input } }] : [],
  )
  return { role, content: [{ type: 'text', text }, ...calls] }
}

/** The cheapest counter there is, so that what is timed is the peer's own work. */
const count = (messages: readonly BaseMessage[]): number =>
  messages.reduce(
    (sum, message) => sum + Math.ceil((message.text.length + (AIMessage.isInstance(message) ? JSON.stringify(message.tool_calls).length : 0)) / 4),
    0,
  )

/** A model that answers at once: what is timed is what stands around it. */
class MuteModel extends BaseChatModel {
  override _llmType(): string {
    return 'mute'
  }
  override bindTools(): this {
    return this
  }
  override async _generate(): Promise<ChatResult> {
    return { generations: [{ text: 'A summary.', message: new AIMessage('A summary.') }] }
  }
}

/** One call of an agent with this middleware. */
const throughAgent =
  (middlewareFor: (target: number) => unknown): Peer['run'] =>
  (messages, target) => {
    const history = messages.flatMap(langchainOf)
    const agent = createAgent({ model: new MuteModel({}), tools: [], middleware: [middlewareFor(target)] as never }) as unknown as {
      invoke(input: unknown, config: unknown): Promise<unknown>
    }
    return () => agent.invoke({ messages: [...history, new HumanMessage('Go on.')] }, { recursionLimit: 50 })
  }

export const peers: readonly Peer[] = [
  {
    name: 'trimMessages (LangChain)',
    run: (messages, target) => {
      const history = messages.flatMap(langchainOf)
      return () => trimMessages(history, { maxTokens: target, tokenCounter: (some) => count(some), strategy: 'last', startOn: 'human', includeSystem: true })
    },
  },
  {
    name: 'ClearToolUsesEdit (LangChain)',
    run: (messages, target) => {
      const history = messages.flatMap(langchainOf)
      const edit = new ClearToolUsesEdit({ trigger: { tokens: target }, keep: { messages: 3 } })
      return () => edit.apply({ messages: [...history], model: undefined as never, countTokens: (some) => count(some as readonly BaseMessage[]) })
    },
  },
  {
    name: 'pruneMessages (AI SDK), counts nothing',
    run: (messages) => {
      const history = messages.map(aiSdkOf)
      return () => pruneMessages({ messages: history, toolCalls: 'before-last-20-messages' })
    },
  },
  {
    name: 'summarizationMiddleware (LangChain), in an agent',
    run: throughAgent((target) =>
      // Its types know more option shapes than a plain call can satisfy.
      (summarizationMiddleware as unknown as (options: unknown) => unknown)({
        model: new MuteModel({}),
        trigger: { tokens: target },
        keep: { tokens: Math.floor(target / 2) },
        tokenCounter: count,
      }),
    ),
  },
  {
    name: 'summarization of deepagents, in an agent',
    run: throughAgent((target) =>
      createSummarizationMiddleware({
        model: new MuteModel({}),
        backend: (config: { state: unknown }) => new StateBackend(config as never),
        trigger: { type: 'tokens', value: target },
        keep: { type: 'tokens', value: Math.floor(target / 2) },
      }),
    ),
  },
]
