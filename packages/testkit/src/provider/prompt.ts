import type { AnthropicBlock, AnthropicMessage } from '../wire/anthropic.ts'
import type { ChatMessage } from '../wire/openai-chat.ts'

/** A request as a model reads it: who said what, and which calls were made. */
export interface PromptEntry {
  readonly role: string
  readonly text: string
  /** Ids of the calls made in this entry, in order. */
  readonly callIds: readonly string[]
  readonly isResult: boolean
}

export function readChatPrompt(messages: readonly ChatMessage[]): readonly PromptEntry[] {
  return messages.map((message) => ({
    role: message.role,
    text: [plain(message.content), ...(message.tool_calls ?? []).map((call) => `${call.function.name} ${call.function.arguments}`)].join('\n'),
    callIds: (message.tool_calls ?? []).map((call) => call.id),
    isResult: message.role === 'tool',
  }))
}

export function readAnthropicPrompt(system: unknown, messages: readonly AnthropicMessage[]): readonly PromptEntry[] {
  const entries: PromptEntry[] = system === undefined ? [] : [{ role: 'system', text: plain(system), callIds: [], isResult: false }]
  for (const message of messages) {
    const blocks: readonly AnthropicBlock[] = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    for (const block of blocks) {
      entries.push({
        role: message.role,
        text: block.type === 'text' ? (block.text ?? '') : block.type === 'tool_use' ? `${block.name} ${JSON.stringify(block.input)}` : plain(block.content),
        callIds: block.type === 'tool_use' ? [block.id ?? ''] : [],
        isResult: block.type === 'tool_result',
      })
    }
  }
  return entries
}

function plain(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('\n')
  return content === undefined || content === null ? '' : JSON.stringify(content)
}
