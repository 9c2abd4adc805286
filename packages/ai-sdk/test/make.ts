import type { Message } from '@precis/core'
import type { ModelMessage } from 'ai'

/** The SDK's message for a neutral one. */
export function make(message: Message): ModelMessage {
  const providerOptions = message.protected === true ? { providerOptions: { precis: { protected: true } } } : {}
  const content = message.parts.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type === 'media') return { type: 'image', image: new Uint8Array(8), mediaType: part.mediaType }
    if (part.type === 'tool-call') return { type: 'tool-call', toolCallId: part.callId, toolName: part.tool, input: JSON.parse(part.input) as unknown }
    if (part.type === 'tool-result') {
      return {
        type: 'tool-result',
        toolCallId: part.callId,
        toolName: part.tool,
        output:
          part.attachments === undefined
            ? { type: part.isError === true ? 'error-text' : 'text', value: part.output }
            : {
                type: 'content',
                value: [{ type: 'text', text: part.output }, ...part.attachments.map(({ mediaType }) => ({ type: 'media', data: 'AAAA', mediaType }))],
              },
      }
    }
    return { type: part.type }
  })
  const isText = message.role === 'system' || message.role === 'developer'
  return {
    role: isText ? 'system' : message.role,
    content: isText ? content.map((part) => ('text' in part ? part.text : '')).join('') : content,
    ...providerOptions,
  } as ModelMessage
}
