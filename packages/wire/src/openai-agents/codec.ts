import {
  jsonText,
  type MediaPart,
  type Message,
  type MessageChanges,
  type MessageCodec,
  missingResultText,
  type Part,
  readOpaque,
  type TextPart,
  type ToolResultPart,
  withSummaryMark,
} from '@precis/core'
import { readFile } from '../attachments.ts'
import { shellText } from '../shell-output.ts'

/** An item of the SDK's input, in every version: looked at structurally, so that kinds we do not know survive. */
export interface AgentItem {
  readonly type?: string
  readonly role?: string
  readonly content?: unknown
  readonly callId?: string
  readonly name?: string
  readonly arguments?: string
  readonly output?: unknown
  readonly status?: string
  readonly [field: string]: unknown
}

interface Piece {
  readonly type?: string
  readonly text?: unknown
  readonly [field: string]: unknown
}

/** Calls with a result of their own kind. The SDK pairs them by `callId`. */
const callTypes = new Set(['function_call', 'computer_call', 'shell_call', 'apply_patch_call', 'program'])
const resultTypes = new Set(['function_call_result', 'computer_call_result', 'shell_call_output', 'apply_patch_call_output', 'program_output'])

/** What the codec needs to know that items cannot say. */
export interface CodecOptions {
  /** Items that are never summarized, edited or dropped. The SDK has no place for such a mark: what is put into `providerData` is sent. */
  readonly protect?: ((item: AgentItem) => boolean) | undefined
}

/** One item is one message. A summary is known by its text: whatever is put beside it would be sent to the provider. */
export function createCodec<M = AgentItem>({ protect }: CodecOptions = {}): MessageCodec<M> {
  const codec: MessageCodec<AgentItem> = {
    read: (item) => {
      const message = readItem(Object(item) as AgentItem)
      return { ...message, ...(message.role === 'assistant' && { item: true }), ...(protect?.(item) === true && { protected: true }) }
    },
    ...(protect && { protects: (item) => protect(Object(item)) === true }),
    createSummary: (text, { role }) =>
      role === 'assistant'
        ? { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text }] }
        : { type: 'message', role, content: role === 'system' ? text : [{ type: 'input_text', text }] },
    joinUsers: (items) => ({
      type: 'message',
      role: 'user',
      content: items.flatMap(({ content }): readonly Piece[] => (typeof content === 'string' ? [{ type: 'input_text', text: content }] : piecesOf(content))),
    }),
    edit: editItem,
    createToolResults: (results) => results.map(answerTo),
    withoutToolResults: (item, callIds) => (resultTypes.has(item.type ?? '') && callIds.has(item.callId ?? '') ? undefined : item),
  }
  // The SDK's own item type is a closed union that differs by version; ours is the part of it that all share.
  return codec as unknown as MessageCodec<M>
}

/** The answer to a call in the call's own kind: a tool that has no name is known by that. One that nobody answered failed. */
function answerTo({ callId, tool, output }: Pick<ToolResultPart, 'callId' | 'tool' | 'output'>): AgentItem {
  const failed = output === missingResultText
  if (tool === 'apply_patch_call') return { type: 'apply_patch_call_output', callId, status: failed ? 'failed' : 'completed', output }
  if (tool !== 'shell_call') return { type: 'function_call_result', callId, name: tool, status: 'completed', output: { type: 'text', text: output } }
  const outcome = failed ? { type: 'timeout' } : { type: 'exit', exitCode: null }
  return { type: 'shell_call_output', callId, output: [{ stdout: output, stderr: '', outcome }] }
}

function readItem(item: AgentItem): Message {
  const type = item.type ?? 'message'
  if (type === 'message' || item.role !== undefined) return readMessage(item)
  if (type === 'reasoning') return { role: 'assistant', parts: [readReasoning(item)] }
  if (callTypes.has(type)) {
    const [callId, name] = [String(item.callId ?? ''), String(item.name ?? type)]
    return {
      role: 'assistant',
      parts: [
        {
          type: 'tool-call',
          callId,
          tool: name,
          input: typeof item.arguments === 'string' ? item.arguments : jsonText(item.arguments ?? item['action'] ?? item['operation'] ?? item['code'] ?? {}),
        },
      ],
    }
  }
  if (type === 'computer_call_result') return { role: 'tool', parts: readScreenshot(item) }
  if (resultTypes.has(type)) return { role: 'tool', parts: [readResult(item)] }
  const apart = readApart(item)
  if (apart !== undefined) return apart
  if (type === 'compaction') return { role: 'assistant', parts: [readOpaque('provider-compaction', item, { barrier: true })] }
  const made = item.name === 'image_generation_call' ? { mediaType: 'image/*' } : {}
  return { role: 'assistant', parts: [{ ...readOpaque(type, sentOf(item), made), value: item }] }
}

/** What the SDK sends of an item. What a hosted call returned as its `output` stays in the session: it is never billed. */
function sentOf(item: AgentItem): AgentItem {
  return item.type === 'hosted_tool_call' ? { ...item, output: undefined } : item
}

/**
 * Pairs that the provider keeps by ids of its own: approvals of MCP calls, and searches for tools. Seen as calls that the provider runs, so that both halves stay
 * or leave together and nobody answers them in its place.
 */
function readApart(item: AgentItem): Message | undefined {
  const { approval_request_id, call_id } = (item['providerData'] ?? {}) as { readonly approval_request_id?: unknown; readonly call_id?: unknown }
  const idOf = (value: unknown): string => String(value ?? item['id'] ?? '')
  const call = (callId: string, tool: string): Message => ({
    role: 'assistant',
    parts: [{ type: 'tool-call', callId, tool, input: jsonText(item), providerExecuted: true }],
  })
  const result = (callId: string, tool: string): Message => ({ role: 'assistant', parts: [{ type: 'tool-result', callId, tool, output: jsonText(item) }] })
  if (item.type === 'hosted_tool_call' && item.name === 'mcp_approval_request') return call(`mcp-approval:${idOf(undefined)}`, 'mcp_approval')
  if (item.type === 'hosted_tool_call' && item.name === 'mcp_approval_response') return result(`mcp-approval:${idOf(approval_request_id)}`, 'mcp_approval')
  if (item.type === 'tool_search_call' && item['execution'] !== 'server') return call(`tool-search:${idOf(call_id)}`, 'tool_search')
  if (item.type === 'tool_search_output' && item['execution'] !== 'server') return result(`tool-search:${idOf(call_id)}`, 'tool_search')
  return undefined
}

function readMessage(item: AgentItem): Message {
  const role = item.role === 'user' || item.role === 'system' || item.role === 'developer' ? item.role : 'assistant'
  return withSummaryMark({ role, parts: piecesOf(item.content).map(readPiece) })
}

function piecesOf(content: unknown): readonly Piece[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map((piece) => Object(piece) as Piece) : []
}

function readPiece(piece: Piece): Part {
  if (isMedia(piece)) return readMedia(piece)
  const text = piece.text ?? piece['refusal'] ?? piece['transcript']
  return typeof text === 'string' ? { type: 'text', text } : readOpaque(piece.type ?? 'unknown', piece)
}

function isMedia(piece: Piece): boolean {
  return /image|audio|file|screenshot/.test(String(piece.type ?? '')) && piece.text === undefined
}

/** Pieces of messages and of outputs, in both of the SDK's spellings. */
function readMedia(piece: Piece): TextPart | MediaPart {
  const type = piece.type ?? ''
  const held = piece['image'] ?? piece['file'] ?? piece['audio'] ?? piece['data'] ?? piece['imageUrl'] ?? piece['fileData'] ?? piece
  const { data, url, mediaType } = (typeof held === 'object' && held !== null ? held : {}) as Readonly<Record<string, unknown>>
  const said = piece['mediaType'] ?? mediaType
  const kind = /image|screenshot/.test(type) ? 'image/*' : type.includes('audio') ? 'audio/*' : undefined
  const content = data ?? url ?? held
  const name = piece['filename']
  return readFile({ mediaType: typeof said === 'string' ? said : kind, data: content, name: typeof name === 'string' ? name : undefined })
}

function readReasoning(item: AgentItem): Part {
  const text = [...piecesOf(item.content), ...piecesOf(item['rawContent'])].map((piece) => String(piece.text ?? '')).join('\n')
  const seal = (item['providerData'] as { readonly encrypted_content?: unknown } | undefined)?.encrypted_content
  const sealed = seal !== undefined || item['id'] !== undefined
  return { type: 'reasoning', text, ...(sealed && { sealed: true }), ...(typeof seal === 'string' && { sealedSize: seal.length }) }
}

function readResult(item: AgentItem): Part {
  const pieces = outputPieces(item.output)
  const held = pieces.map((piece) => (isMedia(piece) ? readMedia(piece) : ({ type: 'text', text: pieceText(piece) } as const)))
  const attachments = held.filter((part) => part.type === 'media')
  return {
    type: 'tool-result',
    callId: String(item.callId ?? ''),
    tool: String(item.name ?? ''),
    output: held.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    ...(/^(?:incomplete|failed)$/.test(String(item.status)) && { isError: true }),
    ...(attachments.length > 0 && { attachments }),
  }
}

/** The answer to a computer's call has to be a picture: it stays or leaves with its call, and nothing shorter can take its place. */
function readScreenshot({ callId = '', name = '', output: value }: AgentItem): readonly Part[] {
  const attachments = outputPieces(value).flatMap((piece) => [readMedia(piece)].filter((part) => part.type === 'media'))
  return [
    { type: 'tool-result', callId, tool: name, output: '' },
    { type: 'opaque', kind: 'computer_screenshot', size: 0, attachments, value },
  ]
}

function outputPieces(output: unknown): readonly Piece[] {
  if (Array.isArray(output)) return output.map((piece) => (typeof piece === 'string' ? { type: 'text', text: piece } : (Object(piece) as Piece)))
  return typeof output === 'object' && output !== null ? [output as Piece] : piecesOf(output)
}

function pieceText(piece: Piece): string {
  if (typeof piece.text === 'string') return piece.text
  return piece['stdout'] === undefined && piece['stderr'] === undefined ? jsonText(piece) : shellText(piece)
}

function editItem(item: AgentItem, { outputs, inputs, media }: MessageChanges): AgentItem {
  const callId = item.callId ?? ''
  const input = inputs.get(callId)
  if (input !== undefined) return editedCall(item, input)
  const change = outputs.get(callId)
  if (change !== undefined && resultTypes.has(item.type ?? '')) return { ...item, output: editedOutput(item, change) }
  if (media === undefined || !Array.isArray(item.content)) return item
  const pieces = piecesOf(item.content)
  const first = pieces.findIndex(isMedia)
  const line: Piece = { type: item.role === 'assistant' ? 'output_text' : 'input_text', text: media }
  return { ...item, content: pieces.flatMap((piece, at): Piece[] => (!isMedia(piece) ? [piece] : at === first ? [line] : [])) }
}

/** A call with shorter texts, each in the field from which it was read. */
function editedCall(item: AgentItem, input: string): AgentItem {
  if (item.type === 'function_call') return { ...item, arguments: input }
  const { commands, diff, text } = JSON.parse(input) as Readonly<Record<string, unknown>>
  const within = (field: string, own: object): AgentItem => ({ ...item, [field]: { ...Object(item[field]), ...own } })
  if (item.type === 'shell_call' && Array.isArray(commands)) return within('action', { commands })
  if (item.type === 'apply_patch_call' && typeof diff === 'string') return within('operation', { diff })
  return item.type === 'computer_call' && typeof text === 'string' ? within('action', { text }) : item
}

/** Each kind of result in its own shape, so that the SDK's converters accept it. */
function editedOutput(item: AgentItem, { text, keepAttachments }: { readonly text: string; readonly keepAttachments: boolean }): unknown {
  const pieces = outputPieces(item.output)
  if (item.type === 'shell_call_output') return [{ ...(pieces.at(-1) ?? {}), stdout: text, stderr: '' }]
  if (item.type === 'computer_call_result') return item.output
  if (item.type !== 'function_call_result') return text
  const kept = keepAttachments ? pieces.filter(isMedia) : []
  return kept.length === 0 ? { type: 'text', text } : [{ type: 'input_text', text }, ...kept]
}
