import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { jsonText, type Message, type MessageChanges, type MessageCodec, type Part } from '@precis/core'

/** One block of a message's content, in LangChain's own spelling or a provider's. */
interface Block {
  readonly type?: string
  readonly [field: string]: unknown
}

/** Marks of ours in `additional_kwargs`; providers ignore them, checkpointers keep them. `{ precis: { protected: true } }` pins a message. */
const slot = 'precis'
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

/** Classes by the last part of the id under which LangChain serialises them. */
const classes: Readonly<Record<string, new (fields: never) => BaseMessage>> = {
  HumanMessage,
  HumanMessageChunk: HumanMessage,
  AIMessage,
  AIMessageChunk: AIMessage,
  SystemMessage,
  SystemMessageChunk: SystemMessage,
  ToolMessage,
  ToolMessageChunk: ToolMessage,
}

/** A message that comes out of storage is plain JSON: LangChain's serialised form becomes a message again. */
function revived(message: BaseMessage): BaseMessage {
  if (typeof message?.getType === 'function') return message
  const { id, kwargs } = Object(message) as { readonly id?: readonly string[]; readonly kwargs?: object }
  const Class = classes[Array.isArray(id) ? String(id.at(-1)) : ''] ?? HumanMessage
  return new Class({ content: '', ...kwargs } as never)
}

function readMessage(stored: BaseMessage): Message {
  const message = revived(stored)
  const own = message.additional_kwargs?.[slot] as
    | { readonly summary?: unknown; readonly protected?: unknown; readonly marker?: { readonly auto?: unknown; readonly focus?: unknown } }
    | undefined
  const shared = {
    ...(message.id !== undefined && { id: message.id }),
    ...(own?.protected === true && { protected: true }),
    ...(typeof own?.summary === 'number' && { summary: { version: own.summary } }),
  }
  if (own?.marker != null) {
    const { auto, focus } = own.marker
    return { role: 'user', parts: [{ type: 'marker', auto: auto === true, ...(typeof focus === 'string' && { focus }) }] }
  }
  if (ToolMessage.isInstance(message)) return { role: 'tool', parts: [readResult(message)], ...shared }
  const content = readContent(message)
  if (AIMessage.isInstance(message)) return { role: 'assistant', parts: [...content, ...readCalls(message)], ...shared }
  return { role: roleOf(message), parts: content, ...shared }
}

function roleOf(message: BaseMessage): Message['role'] {
  const type = message.getType()
  if (type === 'system') return message.additional_kwargs?.['__openai_role__'] === 'developer' ? 'developer' : 'system'
  if (type === 'human') return 'user'
  const role = (message as { readonly role?: unknown }).role
  return role === 'user' || role === 'system' || role === 'developer' ? role : 'assistant'
}

function blocksOf(message: BaseMessage): readonly Block[] {
  return Array.isArray(message.content) ? (message.content as readonly Block[]) : []
}

/** Blocks that repeat what `tool_calls` says. */
const isCallBlock = (block: Block | null): boolean => block?.type === 'tool_use' || block?.type === 'tool_call' || block?.type === 'function_call'

function readContent(message: BaseMessage): readonly Part[] {
  if (typeof message.content === 'string') return message.content === '' ? [] : [{ type: 'text', text: message.content }]
  return blocksOf(message).flatMap((block) => (isCallBlock(block) ? [] : [readBlock(Object(block) as Block)]))
}

function readBlock(block: Block): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: String(block['text'] ?? '') }
    case 'thinking':
    case 'reasoning':
      return {
        type: 'reasoning',
        text: String(block['thinking'] ?? block['reasoning'] ?? block['text'] ?? ''),
        ...(block['signature'] !== undefined && { sealed: true }),
      }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', sealed: true }
    case 'image':
    case 'image_url':
    case 'input_image':
      return { type: 'media', mediaType: String(block['mimeType'] ?? block['mime_type'] ?? 'image/*') }
    case 'file':
    case 'document':
      return { type: 'media', mediaType: String(block['mimeType'] ?? block['mime_type'] ?? 'application/pdf') }
    case 'audio':
    case 'input_audio':
    case 'video':
      return { type: 'media', mediaType: `${block.type.replace('input_', '')}/*` }
    case 'compaction':
      return { type: 'opaque', kind: 'provider-compaction', size: sizeOf(block), barrier: true }
    default:
      return { type: 'opaque', kind: String(block.type ?? 'unknown'), size: sizeOf(block) }
  }
}

function readCalls(message: AIMessage): readonly Part[] {
  const calls = message.tool_calls ?? []
  const known = new Set(calls.map((call) => call.id))
  // Some messages hold calls in their content only.
  const more = blocksOf(message).filter((block) => isCallBlock(block) && !known.has(block['id'] as string | undefined))
  return [
    ...calls.map((call): Part => ({ type: 'tool-call', callId: call.id ?? '', tool: call.name ?? '', input: json(call.args) })),
    ...more.map(
      (block): Part => ({
        type: 'tool-call',
        callId: String(block['id'] ?? ''),
        tool: String(block['name'] ?? ''),
        input: json(block['input'] ?? block['args'] ?? {}),
      }),
    ),
    ...(message.invalid_tool_calls ?? []).map((call): Part => ({ type: 'opaque', kind: 'invalid-tool-call', size: sizeOf(call) })),
  ]
}

function readResult(message: ToolMessage): Part {
  const blocks = blocksOf(message)
  const output =
    typeof message.content === 'string'
      ? message.content
      : blocks
          .map((block) => (block?.type === 'text' ? String(block['text'] ?? '') : isMedia(block) ? '' : json(block)))
          .filter(Boolean)
          .join('\n')
  const media = blocks.filter(isMedia).length
  return {
    type: 'tool-result',
    callId: message.tool_call_id ?? '',
    tool: message.name ?? '',
    output,
    ...(message.status === 'error' && { isError: true }),
    ...(media > 0 && { media }),
  }
}

function isMedia(block: Block): boolean {
  return readBlock(Object(block) as Block).type === 'media'
}

function editMessage(message: BaseMessage, { outputs, inputs, media }: MessageChanges): BaseMessage {
  if (ToolMessage.isInstance(message)) {
    const change = outputs.get(message.tool_call_id)
    if (change === undefined) return message
    const kept = change.keepAttachments ? blocksOf(message).filter(isMedia) : []
    return cloned(message, { content: kept.length === 0 ? change.text : [{ type: 'text', text: change.text }, ...kept] })
  }
  let blocks = blocksOf(message)
  if (media !== undefined) {
    const first = blocks.findIndex(isMedia)
    blocks = blocks.flatMap((block, at): Block[] => (!isMedia(block) ? [block] : at === first ? [{ type: 'text', text: media }] : []))
  }
  if (!AIMessage.isInstance(message) || inputs.size === 0) return cloned(message, { content: typeof message.content === 'string' ? message.content : blocks })
  // Arguments stand in two places, and providers read different ones.
  const argsOf = (id: unknown): unknown => (typeof id === 'string' && inputs.has(id) ? (JSON.parse(inputs.get(id) as string) as unknown) : undefined)
  const content = blocks.map((block) => {
    const args = isCallBlock(block) ? argsOf(block['id'] ?? block['call_id']) : undefined
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
  return cloned(message, { content: typeof message.content === 'string' ? message.content : content, tool_calls: calls })
}

/** A copy with other fields. What was assigned after construction (ids, status) is not in `lc_kwargs`, so it is named. */
function cloned(message: BaseMessage, patch: Readonly<Record<string, unknown>>): BaseMessage {
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
  return new Constructor({ ...message.lc_kwargs, ...assigned, ...patch })
}

function sizeOf(value: unknown): number {
  return json(value).length
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value)
}
