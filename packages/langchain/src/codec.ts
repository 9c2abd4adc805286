import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import type { MessageChanges, MessageCodec } from '@precis/core'
import { editedBeside } from './provider-items.ts'
import type { Block } from './read-media.ts'
import { blocksOf, isCallBlock, isMedia, isScreenshot, readMessage, slot } from './read-message.ts'

/** LangChain's own mark of a summary: its user interfaces and other middleware know it. */
const sourceMark = { lc_source: 'summarization' } as const

/** Reads LangChain messages; copies keep ids, names, status, artifacts and metadata. Kept messages are never rebuilt. */
export const messageCodec: MessageCodec<BaseMessage> = {
  read: readMessage,
  createSummary(text, { version, role }) {
    const fields = { content: text, additional_kwargs: { ...sourceMark, [slot]: { summary: version } } }
    return role === 'assistant' ? new AIMessage(fields) : role === 'system' ? new SystemMessage(fields) : new HumanMessage(fields)
  },
  joinUsers: (messages) =>
    new HumanMessage({
      content: messages.flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content)) as never,
    }),
  edit: editMessage,
  createToolResults: (results) => results.map(({ callId, tool, output }) => new ToolMessage({ content: output, tool_call_id: callId, name: tool })),
  withoutToolResults: (message, callIds) => (ToolMessage.isInstance(message) && callIds.has(message.tool_call_id) ? undefined : message),
}

function editMessage(message: BaseMessage, { outputs, inputs, media }: MessageChanges): BaseMessage {
  if (ToolMessage.isInstance(message)) {
    const change = outputs.get(message.tool_call_id)
    if (change === undefined || isScreenshot(message)) return message
    const kept = change.keepAttachments ? blocksOf(message).filter(isMedia) : []
    return cloned(message, { content: kept.length === 0 ? change.text : [{ type: 'text', text: change.text }, ...kept] })
  }
  let blocks = blocksOf(message)
  if (media !== undefined) {
    const first = blocks.findIndex(isMedia)
    blocks = blocks.flatMap((block, at): Block[] => (isMedia(block) ? (at === first ? [{ type: 'text', text: media }] : []) : [block]))
  }
  const inContent = (edited: readonly Block[]): object => ({ content: typeof message.content === 'string' ? message.content : edited })
  if (!AIMessage.isInstance(message)) return cloned(message, { ...inContent(blocks) })
  const beside = editedBeside(message, { inputs, ...(media !== undefined && { media }) })
  if (inputs.size === 0) return cloned(message, { ...inContent(blocks), ...beside })
  // Arguments stand in several places, and providers read different ones.
  const argsOf = (id: unknown): unknown => (typeof id === 'string' && inputs.has(id) ? (JSON.parse(inputs.get(id) as string) as unknown) : undefined)
  const content = blocks.map((block) => {
    const args = isCallBlock(block) ? argsOf(block['call_id'] ?? block['id']) : undefined
    if (args === undefined) return block
    return block.type === 'tool_use'
      ? { ...block, input: args }
      : block.type === 'function_call'
        ? { ...block, arguments: JSON.stringify(args) }
        : { ...block, args }
  })
  const calls = (message.tool_calls ?? []).map((call) => {
    const args = argsOf(call.id)
    return args === undefined ? call : { ...call, args: args as Record<string, unknown> }
  })
  return cloned(message, { ...inContent(content), ...beside, tool_calls: calls })
}

/** A copy with other fields. What was assigned after construction (ids, status) is not in `lc_kwargs`, so it is named. */
export function cloned(message: BaseMessage, patch: Readonly<Record<string, unknown>>): BaseMessage {
  const Constructor = message.constructor as new (fields: Record<string, unknown>) => BaseMessage
  const assigned: Record<string, unknown> = {}
  for (const name of [
    'id',
    'name',
    'status',
    'artifact',
    'tool_call_id',
    'tool_calls',
    'invalid_tool_calls',
    'usage_metadata',
    'additional_kwargs',
    'response_metadata',
  ]) {
    const value = (message as unknown as Record<string, unknown>)[name]
    if (value !== undefined) assigned[name] = value
  }
  // What was streamed has its calls in pieces too, and LangChain would make the calls anew of these.
  const pieces = 'tool_calls' in patch && 'tool_call_chunks' in message ? { tool_call_chunks: [] } : {}
  return new Constructor({ ...message.lc_kwargs, ...assigned, ...pieces, ...patch })
}
