import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { jsonText, type Message, type Part, type ReasoningPart, readOpaque, readValue, type ToolCallPart } from '@precis/core'
import { isPinned } from '@precis/core/adapters'
import { type Item, rawCallsOf, readApproval, readBeside, readItem } from './provider-items.ts'
import { type Block, readForeignMedia, readMedia } from './read-media.ts'

/** Marks of ours in `additional_kwargs`; providers ignore them, checkpointers keep them. `{ precis: { protected: true } }` pins a message. */
export const slot = 'precis'

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

/** A LangChain message, or its serialized form, as planning sees it. */
export function readMessage(stored: BaseMessage): Message {
  const message = revived(stored)
  const own = message.additional_kwargs?.[slot] as
    | { readonly summary?: unknown; readonly marker?: { readonly auto?: unknown; readonly focus?: unknown } }
    | undefined
  const shared = {
    ...(message.id !== undefined && { id: message.id }),
    ...(isPinned(own) && { protected: true }),
    ...(typeof own?.summary === 'number' && { summary: { version: own.summary } }),
  }
  if (own?.marker != null) {
    const { auto, focus } = own.marker
    return { role: 'user', parts: [{ type: 'marker', auto: auto === true, ...(typeof focus === 'string' && { focus }) }] }
  }
  if (ToolMessage.isInstance(message)) return { role: 'tool', parts: isScreenshot(message) ? readScreenshot(message) : [readResult(message)], ...shared }
  const content = readContent(message)
  if (AIMessage.isInstance(message))
    return { role: 'assistant', parts: [...readReasoningBeside(message, content), ...content, ...readBeside(message), ...readCalls(message)], ...shared }
  return { role: roleOf(message), parts: content, ...shared }
}

function roleOf(message: BaseMessage): Message['role'] {
  const type = message.getType()
  if (type === 'system') return message.additional_kwargs?.['__openai_role__'] === 'developer' ? 'developer' : 'system'
  if (type === 'human') return 'user'
  const role = (message as { readonly role?: unknown }).role
  return role === 'user' || role === 'system' || role === 'developer' ? role : 'assistant'
}

/** Blocks of a message's content; none where that is a text. */
export function blocksOf(message: BaseMessage): readonly Block[] {
  return Array.isArray(message.content) ? (message.content as readonly Block[]) : []
}

/** Blocks that repeat what `tool_calls` says; Google's (`functionCall`) is never sent. */
export const isCallBlock = (block: Block | null): boolean => /^(?:tool_use|tool_call|function_call|functionCall)$/.test(block?.type ?? '')

function readContent(message: BaseMessage): readonly Part[] {
  if (typeof message.content === 'string') return message.content === '' ? [] : [{ type: 'text', text: message.content }]
  const blocks = blocksOf(message)
  const calls = new Set(blocks.filter(isCallBlock).map(({ index }) => index))
  // A streamed call leaves its arguments beside it, piece by piece.
  const isCall = (block: Block | null): boolean => isCallBlock(block) || (block?.type === 'input_json_delta' && calls.has(block['index']))
  return blocks.flatMap((block) => (isCall(block) ? [] : [readBlock(Object(block) as Block)]))
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
    case 'computer_screenshot':
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
    case 'refusal':
      return { type: 'text', text: String(block['refusal'] ?? '') }
    case 'mcp_approval_response':
      return readApproval(block)
    case 'non_standard':
      return readStandIn(block.type, block)
    default:
      return readForeignMedia(block) ?? readOpaque(String(block.type ?? 'unknown'), block)
  }
}

/** An item of a provider that LangChain has no block of its own for: of most of them the length is all that is read. */
function readStandIn(type: string, block: Block): Part {
  const [part] = readItem(Object(block['value']) as Item)
  return part?.type === 'tool-call' || (part?.type === 'opaque' && part.barrier === true) ? part : readOpaque(type, block)
}

function readReasoning(text: string, seal: unknown): ReasoningPart {
  return { type: 'reasoning', text, ...(seal !== undefined && { sealed: true }), ...(typeof seal === 'string' && { sealedSize: seal.length }) }
}

/** OpenAI's reasoning stands beside the content, unless the content has it too. */
function readReasoningBeside(message: AIMessage, content: readonly Part[]): readonly Part[] {
  const seal = (message.additional_kwargs?.['reasoning'] as { readonly encrypted_content?: unknown } | undefined)?.encrypted_content
  return typeof seal === 'string' && !content.some((part) => part.type === 'reasoning') ? [readReasoning('', seal)] : []
}

function readCalls(message: AIMessage): readonly Part[] {
  const known = new Set<string>()
  const isNew = ({ callId }: ToolCallPart): boolean => {
    const before = known.size
    return callId === '' || known.add(callId).size > before
  }
  const call = (id: unknown, tool: unknown, input: unknown): ToolCallPart => ({
    type: 'tool-call',
    callId: String(id ?? ''),
    tool: String(tool ?? ''),
    input: json(input),
  })
  const calls = (message.tool_calls ?? []).map(({ id, name, args }) => call(id, name, args))
  for (const { callId } of calls) known.add(callId)
  // Some messages hold calls in their content only, some as the model wrote them.
  const blocks = blocksOf(message).filter((block) => isCallBlock(block) && block.type !== 'functionCall')
  const more = [
    ...blocks.map((block) => call(block['call_id'] ?? block['id'], block['name'], block['input'] ?? block['args'] ?? block['arguments'] ?? {})),
    ...rawCallsOf(message).map(({ id, name, input }) => call(id, name, input)),
  ].filter(isNew)
  const unsent = (message.invalid_tool_calls ?? []).filter(({ id }) => !known.has(id ?? ''))
  return [...calls, ...more, ...unsent.map((one): Part => readOpaque('invalid-tool-call', one))]
}

function readResult(message: ToolMessage): Part {
  const blocks = blocksOf(message)
  const parts = blocks.map((block) => readBlock(Object(block) as Block))
  const output =
    typeof message.content === 'string'
      ? message.content
      : parts
          .map((part, at) => (part.type === 'text' ? part.text : part.type === 'media' ? '' : readValue(blocks[at]).text))
          .filter(Boolean)
          .join('\n')
  const attachments = parts.flatMap((part) => (part.type === 'media' ? [part] : part.type === 'opaque' ? (part.attachments ?? []) : []))
  return {
    type: 'tool-result',
    callId: message.tool_call_id ?? '',
    tool: message.name ?? '',
    output,
    ...(message.status === 'error' && { isError: true }),
    ...(attachments.length > 0 && { attachments }),
  }
}

export const isScreenshot = (message: ToolMessage): boolean => message.additional_kwargs?.['type'] === 'computer_call_output'

/** The answer to a computer's call has to be a picture: it stays or leaves with its call, and nothing shorter can take its place. */
function readScreenshot(message: ToolMessage): readonly Part[] {
  const { content: value, tool_call_id: callId = '', name: tool = '' } = message
  const shown: readonly Block[] = typeof value === 'string' ? [{ type: 'computer_screenshot', image_url: value }] : blocksOf(message)
  const attachments = shown.map(readBlock).filter((part) => part.type === 'media')
  return [
    { type: 'tool-result', callId, tool, output: '' },
    { type: 'opaque', kind: 'computer_screenshot', size: 0, attachments, value },
  ]
}

/** Whether a block is an attachment. */
export function isMedia(block: Block): boolean {
  return readBlock(Object(block) as Block).type === 'media'
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value)
}
