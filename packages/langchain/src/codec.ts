import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import {
  jsonText,
  type MediaPart,
  type Message,
  type MessageChanges,
  type MessageCodec,
  type Part,
  type ReasoningPart,
  readAttachment,
  readOpaque,
  type TextPart,
} from '@precis/core'

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

/** Classes by the last part of the id under which LangChain serializes them. */
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

/** A message that comes out of storage is plain JSON: LangChain's serialized form becomes a message again. */
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
  if (AIMessage.isInstance(message))
    return { role: 'assistant', parts: [...readReasoningBeside(message, content), ...content, ...readCalls(message)], ...shared }
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
      return readReasoning(String(block['thinking'] ?? block['reasoning'] ?? block['text'] ?? ''), block['signature'] ?? block['encrypted_content'])
    case 'redacted_thinking':
      return { ...readReasoning('', block['data']), sealed: true }
    case 'image':
    case 'image_url':
    case 'input_image':
      return readMedia(block, 'image/*')
    case 'file':
    case 'input_file':
    case 'document':
    case 'media':
      return readMedia(block, 'application/pdf')
    case 'text-plain':
      return readMedia(block, 'text/plain')
    case 'audio':
    case 'input_audio':
    case 'video':
      return readMedia(block, `${block.type.replace('input_', '')}/*`)
    case 'compaction':
      return readOpaque('provider-compaction', block, { barrier: true })
    case 'image_generation_call':
      return readOpaque(block.type, block, { mediaType: 'image/*' })
    default:
      return readOpaque(String(block.type ?? 'unknown'), block)
  }
}

function readReasoning(text: string, seal: unknown): ReasoningPart {
  return { type: 'reasoning', text, ...(seal !== undefined && { sealed: true }), ...(typeof seal === 'string' && { sealedSize: seal.length }) }
}

/** OpenAI's reasoning stands beside the content, unless the content has it too. */
function readReasoningBeside(message: AIMessage, content: readonly Part[]): readonly Part[] {
  const seal = (message.additional_kwargs?.['reasoning'] as { readonly encrypted_content?: unknown } | undefined)?.encrypted_content
  return typeof seal === 'string' && !content.some((part) => part.type === 'reasoning') ? [readReasoning('', seal)] : []
}

/** A block in LangChain's own spelling, or in a provider's: what it holds stands in the block, or one level below. */
function readMedia(block: Block, kind: string): TextPart | MediaPart {
  const below = block['source'] ?? block['file'] ?? block['input_audio'] ?? block['image_url']
  const inner = (typeof below === 'object' && below !== null ? below : {}) as Readonly<Record<string, unknown>>
  const all: Readonly<Record<string, unknown>> = { ...inner, ...block }
  const said = block['mimeType'] ?? block['mime_type'] ?? inner['media_type']
  const data = all['data'] ?? all['file_data'] ?? all['text'] ?? inner['url'] ?? all['url'] ?? (typeof below === 'string' ? below : undefined)
  const name = all['filename'] ?? all['title'] ?? (block['metadata'] as { readonly filename?: unknown } | undefined)?.filename
  const stated = typeof data === 'string' && data.startsWith('data:')
  return readAttachment({
    mediaType: typeof said === 'string' ? said : stated ? undefined : kind,
    // A file id, or whatever else tells it from others.
    data: data ?? all['fileId'] ?? all['file_id'] ?? block,
    name: typeof name === 'string' ? name : undefined,
  })
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
    ...(message.invalid_tool_calls ?? []).map((call): Part => readOpaque('invalid-tool-call', call)),
  ]
}

function readResult(message: ToolMessage): Part {
  const blocks = blocksOf(message)
  const parts = blocks.map((block) => readBlock(Object(block) as Block))
  const output =
    typeof message.content === 'string'
      ? message.content
      : parts
          .map((part, at) => (part.type === 'text' ? part.text : part.type === 'media' ? '' : json(blocks[at])))
          .filter(Boolean)
          .join('\n')
  const attachments = parts.filter((part) => part.type === 'media')
  return {
    type: 'tool-result',
    callId: message.tool_call_id ?? '',
    tool: message.name ?? '',
    output,
    ...(message.status === 'error' && { isError: true }),
    ...(attachments.length > 0 && { attachments }),
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

function json(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value)
}
