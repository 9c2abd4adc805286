import { type Message, type MessageCodec, type Part, summaryMark } from '@precis/core'

/** A message of OpenAI Chat Completions, and of the many servers that speak it. */
export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
  readonly tool_call_id?: string
  readonly [field: string]: unknown
}

/** Files carry no mark but the text itself: the preface of a summary is how it is known again. */
export const chatCodec: MessageCodec<ChatMessage> = {
  read(message) {
    const text = textOf(message.content)
    const mark = message.role === 'tool' ? undefined : summaryMark(text)
    return { role: roleOf(message.role), parts: readParts(message, text), ...(mark !== undefined && { summary: mark }) }
  },
  createSummary: (text, { role }) => ({ role, content: text }),
  joinUsers: (messages) => ({
    role: 'user',
    content: messages.flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [])),
  }),
  edit(message, { outputs, inputs, media }) {
    const output = outputs.get(message.tool_call_id ?? '')
    if (output !== undefined) return { ...message, content: output.text }
    const calls = message.tool_calls?.map((call) => {
      const input = inputs.get(call.id)
      return input === undefined ? call : { ...call, function: { ...call.function, arguments: input } }
    })
    const edited = calls === undefined ? message : { ...message, tool_calls: calls }
    if (media === undefined || !Array.isArray(message.content)) return edited
    const texts = (message.content as readonly { type?: string }[]).filter((part) => part.type === 'text')
    return { ...edited, content: [...texts, { type: 'text', text: media }] }
  },
  createToolResults: (results) => results.map(({ callId, output }) => ({ role: 'tool', tool_call_id: callId, content: output })),
  withoutToolResults: (message, callIds) => (callIds.has(message.tool_call_id ?? '') ? undefined : message),
}

function roleOf(role: string): Message['role'] {
  return role === 'system' || role === 'developer' || role === 'user' || role === 'tool' ? role : role === 'function' ? 'tool' : 'assistant'
}

function readParts(message: ChatMessage, text: string): readonly Part[] {
  if (message.role === 'tool') return [{ type: 'tool-result', callId: message.tool_call_id ?? '', tool: String(message['name'] ?? ''), output: text }]
  const parts: Part[] = text === '' ? [] : [{ type: 'text', text }]
  if (Array.isArray(message.content)) {
    for (const part of message.content as readonly { type?: string }[]) if (part.type === 'image_url') parts.push({ type: 'media', mediaType: 'image/*' })
  }
  for (const call of message.tool_calls ?? []) parts.push({ type: 'tool-call', callId: call.id, tool: call.function.name, input: call.function.arguments })
  return parts
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return (content as readonly { text?: unknown }[]).flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('\n')
}
