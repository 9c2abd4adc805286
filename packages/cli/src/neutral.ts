import { type Message, type MessageCodec, type Part, summaryMark } from '@precis/core'

/** Our own shape: `{ role, parts }`. */
export const neutralCodec: MessageCodec<Message> = {
  read(message) {
    const first = message.parts[0]
    const mark = message.role !== 'tool' && first?.type === 'text' ? summaryMark(first.text) : undefined
    return mark === undefined ? message : { ...message, summary: mark }
  },
  createSummary: (text, { role }) => ({ role, parts: [{ type: 'text', text }] }),
  replaceToolOutputs: (message, outputs) => ({
    ...message,
    parts: message.parts.map((part) => (part.type === 'tool-result' && outputs.has(part.callId) ? { ...part, output: outputs.get(part.callId) ?? '' } : part)),
  }),
  createToolResults: (results) => [{ role: 'tool', parts: results.map((result) => ({ type: 'tool-result', ...result })) }],
  withoutToolResults(message, callIds) {
    const parts = message.parts.filter((part) => part.type !== 'tool-result' || !callIds.has(part.callId))
    return parts.length === 0 ? undefined : { ...message, parts }
  },
}

/** Messages of recorded sessions: text content, calls and results beside it. */
export interface RecordedMessage {
  readonly role: string
  readonly content: string
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[]
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
