import type { Message, Part } from '@precis/core'
import { saidBy } from './said.ts'

/** Messages of recorded sessions: text content, calls and results beside it. */
export interface RecordedMessage {
  readonly role: string
  readonly content: string
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[]
  readonly toolCallId?: string
  readonly toolName?: string
  readonly isError?: boolean
}

/** A recorded session's message in our own shape. */
export function fromRecorded(message: RecordedMessage): Message {
  if (message.role === 'tool') {
    return {
      role: 'tool',
      parts: [
        {
          type: 'tool-result',
          callId: message.toolCallId ?? '',
          tool: message.toolName ?? '',
          output: message.content,
          ...(message.isError === true && { isError: true }),
        },
      ],
    }
  }
  const parts: Part[] = message.content === '' ? [] : [{ type: 'text', text: message.content }]
  for (const call of message.toolCalls ?? []) parts.push({ type: 'tool-call', callId: call.id, tool: call.name, input: JSON.stringify(call.arguments) })
  return { role: message.role === 'user' || message.role === 'system' ? message.role : 'assistant', parts }
}

/** Everything that a message says: the same as of the message in our own shape. */
export function textOf(message: RecordedMessage): string {
  const known = texts.get(message) ?? saidBy(fromRecorded(message))
  texts.set(message, known)
  return known
}

const texts = new WeakMap<RecordedMessage, string>()
