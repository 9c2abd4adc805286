import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import type { Message } from '@precis/core'

/** LangChain's message for a neutral one. */
export function make(message: Message): BaseMessage {
  const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const media = message.parts.filter((part) => part.type === 'media')
  const additional_kwargs = message.protected === true ? { precis: { protected: true } } : {}
  const own = { additional_kwargs, ...(message.id !== undefined && { id: message.id }) }
  const content = media.length === 0 ? text : [{ type: 'text', text }, ...media.map(() => ({ type: 'image_url', image_url: 'data:image/png;base64,AAAA' }))]
  if (message.role === 'system') return new SystemMessage({ content: text, ...own })
  if (message.role === 'user') return new HumanMessage({ content, ...own } as never)
  if (message.role === 'tool') {
    const [part] = message.parts
    if (part?.type !== 'tool-result') throw new Error('a tool message has one result')
    const shown = (part.attachments ?? []).map(() => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }))
    const output = shown.length === 0 ? part.output : [{ type: 'text', text: part.output }, ...shown]
    return new ToolMessage({ ...own, content: output as never, tool_call_id: part.callId, name: part.tool, ...(part.isError === true && { status: 'error' }) })
  }
  const tool_calls = message.parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ id: part.callId, name: part.tool, args: JSON.parse(part.input) as Record<string, unknown> }] : [],
  )
  return new AIMessage({ content: text, tool_calls, ...own })
}
