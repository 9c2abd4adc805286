import type { Message } from '@precis/core'
import { type AgentItem, createCodec } from '../src/index.ts'

/** Known by its id, as a copy is that of the same item. */
const pin = 'pinned-'
export const codec = createCodec({ protect: ({ id }) => String(id).startsWith(pin) })
let pins = 0

/** The SDK's item for a neutral message; one with several parts becomes a message with several pieces. */
export function make(message: Message): AgentItem {
  const item = itemOf(message)
  return message.protected === true ? { ...item, id: `${pin}${++pins}` } : item
}

function itemOf(message: Message): AgentItem {
  const [part] = message.parts
  if (part?.type === 'tool-call') return { type: 'function_call', callId: part.callId, name: part.tool, arguments: part.input, status: 'completed' }
  if (part?.type === 'tool-result') {
    return {
      type: 'function_call_result',
      callId: part.callId,
      name: part.tool,
      status: part.isError === true ? 'incomplete' : 'completed',
      output:
        part.attachments === undefined
          ? { type: 'text', text: part.output }
          : [{ type: 'input_text', text: part.output }, ...part.attachments.map(() => ({ type: 'input_image', image: 'data:image/png;base64,AAAA' }))],
    }
  }
  const content = message.parts.map((piece) =>
    piece.type === 'media'
      ? { type: 'input_image', image: 'data:image/png;base64,AAAA' }
      : { type: message.role === 'assistant' ? 'output_text' : 'input_text', text: 'text' in piece ? piece.text : '' },
  )
  return { type: 'message', role: message.role, content, ...(message.role === 'assistant' && { status: 'completed' }) }
}
