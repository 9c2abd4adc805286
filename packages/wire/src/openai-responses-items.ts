import { type Part, type Role, readOpaque } from '@precis/core'
import { readFile } from './attachments.ts'
import { contentText, type Fields, fields, isFields, list, listOf, text } from './json.ts'
import { type Held, resultParts } from './result-blocks.ts'
import { type Block, blocksFor, piecesOf, unknownPiece } from './shape.ts'
import { shellText } from './shell-output.ts'
import type { WireMessage } from './wire.ts'

/** Items that a later item of their own kind answers, by `call_id`. */
const calls = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'shell_call', 'apply_patch_call', 'computer_call'])
export const answers: ReadonlySet<string> = new Set([...calls].map((type) => `${type}_output`))
const roleOf = (role: unknown): Role => (role === 'user' || role === 'system' || role === 'developer' ? role : 'assistant')

/** Reads items in order. All that a reply holds is marked as an item of it: between a call and its answer there may be others. */
export function createItemReader(): (value: unknown, at: number) => readonly WireMessage[] {
  const callIds = new Map<unknown, string>()
  return (value, at) => {
    if (!isFields(value)) return unknownPiece(value, at)
    const [role, blocks] = readItem(value, callIds)
    return piecesOf(value, at, [{ role, blocks }]).map((one) => (role === 'assistant' ? { ...one, message: { ...one.message, item: true } } : one))
  }
}

/** @param callIds - The id of each call, by both of its ids: the output of a local shell may name either. */
function readItem(item: Fields, callIds: Map<unknown, string>): readonly [Role, readonly Block[]] {
  const { id, call_id, name, content, summary, encrypted_content } = item
  const isReference = id !== undefined && item['role'] === undefined && content === undefined
  const type = text(item['type'] ?? (isReference ? 'item_reference' : 'message'))
  if (type === 'message') return [roleOf(item['role']), readContent(content)]
  if (calls.has(type)) {
    const input = text(item['arguments'] ?? item['input'] ?? item['action'] ?? item['actions'] ?? item['operation'] ?? {})
    const callId = text(call_id ?? id)
    for (const one of [id, call_id]) callIds.set(one, callId)
    const { caller_id: program } = fields(item['caller'])
    const tool = text(name ?? type.replace(/_call$/, '').replace(/^local_/, ''))
    return ['assistant', [[{ type: 'tool-call', callId, tool, input, ...(typeof program === 'string' && { caller: `program:${program}` }) }, item]]]
  }
  if (answers.has(type)) return ['tool', blocksFor(item, readAnswer(type, callIds.get(call_id ?? id) ?? text(call_id ?? id), item))]
  if (type === 'reasoning') {
    const said = [...list(summary), ...list(content)].map((block) => text(fields(block)['text'])).join('\n')
    const seal = typeof encrypted_content === 'string' ? { sealedSize: encrypted_content.length } : {}
    return ['assistant', [[{ type: 'reasoning', text: said, sealed: true, ...seal }, item]]]
  }
  const kept = readOpaque(type, item, { barrier: type.startsWith('compaction'), ...(type === 'image_generation_call' && { mediaType: 'image/*' }) })
  return ['assistant', blocksFor(item, readApart(type, item) ?? [kept])]
}

/**
 * Pairs that the provider keeps by ids of its own: approvals of MCP calls, searches for tools, and programs that call tools. Read as calls that the provider
 * runs, so that both halves stay or leave together and nobody answers them in its place. Of the answer nothing can be edited.
 */
function readApart(type: string, item: Fields): readonly Part[] | undefined {
  const call = (id: unknown, tool: string): readonly Part[] => [
    { type: 'tool-call', callId: `${tool}:${text(id)}`, tool, input: text(item), providerExecuted: true },
  ]
  const answer = (id: unknown, tool: string): readonly Part[] => resultParts({ callId: `${tool}:${text(id)}`, tool }, [readOpaque(type, item)])
  if (type === 'mcp_approval_request') return call(item['id'], 'mcp_approval')
  if (type === 'mcp_approval_response') return answer(item['approval_request_id'], 'mcp_approval')
  if (type === 'tool_search_call' && item['execution'] !== 'server') return call(item['call_id'], 'tool_search')
  if (type === 'tool_search_output' && item['execution'] !== 'server') return answer(item['call_id'], 'tool_search')
  if (type === 'program') return call(item['call_id'], type)
  return type === 'program_output' ? answer(item['call_id'], 'program') : undefined
}

function readContent(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [[{ type: 'text', text: content }, undefined]]
  return listOf(content).map((block) => [readHeld(block), block])
}

const isMedia = (block: unknown): boolean => /image|screenshot|audio|file/.test(text(fields(block)['type'])) && typeof fields(block)['text'] !== 'string'

/** A block that says or shows something, of a message or of an output. */
export function readHeld(block: unknown): Held {
  if (typeof block === 'string') return { type: 'text', text: block }
  const { type, text: said, refusal, transcript, image_url, file_data, file_url, data, input_audio, filename } = fields(block)
  const words = said ?? refusal ?? transcript
  if (typeof words === 'string') return { type: 'text', text: words }
  const kind = text(type)
  if (!isMedia(block)) return readOpaque(kind, block)
  return readFile({
    mediaType: /image|screenshot/.test(kind) ? 'image/*' : kind.includes('audio') ? 'audio/*' : undefined,
    data: image_url ?? file_data ?? file_url ?? data ?? fields(input_audio)['data'] ?? block,
    name: typeof filename === 'string' ? filename : undefined,
  })
}

/** What an answer says and holds: a text, a list of blocks, a picture, or what a shell printed. */
function readAnswer(type: string, callId: string, { output, status }: Fields): readonly Part[] {
  const result = { callId, tool: '', ...(status === 'failed' && { isError: true }) }
  if (type === 'computer_call_output') return [...resultParts(result, []), readScreenshot(output)]
  if (Array.isArray(output)) return resultParts(result, output.map(type === 'shell_call_output' ? readPrinted : readHeld))
  if (isMedia(output)) return resultParts(result, [readHeld(output)])
  const said = isFields(output) ? contentText(output['content'] ?? output) || text(output) : text(output)
  return resultParts(result, [{ type: 'text', text: said }])
}

/** The answer to a computer's call has to be a picture: it stays or leaves with its call, and nothing shorter can take its place. */
function readScreenshot(output: unknown): Part {
  const attachments = listOf(output)
    .map(readHeld)
    .filter((part) => part.type === 'media')
  return { type: 'opaque', kind: 'computer_screenshot', size: 0, attachments, value: output }
}

function readPrinted(block: unknown): Held {
  const { stdout, stderr, text: said = block } = fields(block)
  return { type: 'text', text: stdout === undefined && stderr === undefined ? text(said) : shellText(fields(block)) }
}
