import type { Message, Part, Role } from '@precis/core'
import { contentText, type Fields, fields, isFields, list, text } from './json.ts'
import { wireOf } from './request.ts'
import { attachmentsOf, type Block, piecesOf, type Shape, unknownPiece } from './shape.ts'
import type { Wire, WireMessage } from './wire.ts'

/** Items that a later item of their own kind answers, by `call_id`. */
const calls = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'shell_call', 'apply_patch_call', 'computer_call'])
const answers = new Set([...calls].map((type) => `${type}_output`))
const roleOf = (role: unknown): Role => (role === 'user' || role === 'system' || role === 'developer' ? role : 'assistant')

const mediaTypeOf = (block: unknown): string => {
  const type = text(fields(block)['type'])
  return type.includes('image') || type.includes('screenshot') ? 'image/*' : type.includes('audio') ? 'audio/*' : 'application/*'
}
const isMedia = (block: unknown): boolean => /image|screenshot|audio|file/.test(text(fields(block)['type'])) && typeof fields(block)['text'] !== 'string'

function readContent(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [[{ type: 'text', text: content }, undefined]]
  return list(content).map((block): Block => {
    const { type, text: said, refusal, transcript } = fields(block)
    const words = said ?? refusal ?? transcript
    if (typeof words === 'string') return [{ type: 'text', text: words }, block]
    if (isMedia(block)) return [{ type: 'media', mediaType: mediaTypeOf(block), data: block }, block]
    return [{ type: 'opaque', kind: text(type), size: text(block).length, value: block }, block]
  })
}

/** What an answer says, its attachments left out: a text, a list of blocks, or what a shell printed. */
function outputText(output: unknown): string {
  if (typeof output === 'string') return output
  if (!Array.isArray(output)) return isMedia(output) ? '' : contentText(fields(output)['content'] ?? output) || text(output)
  const lines = output
    .filter((block) => !isMedia(block))
    .map((block) => {
      const { text: said, stdout, stderr } = fields(block)
      return stdout === undefined && stderr === undefined ? text(said ?? block) : [stdout, stderr].map(text).filter(Boolean).join('\n')
    })
  return lines.join('\n')
}

function readItem(item: Fields, at: number): readonly WireMessage[] {
  const { call_id, name, output } = item
  const type = text(item['type'] ?? 'message')
  const one = (role: Role, part: Part): readonly WireMessage[] => piecesOf(item, at, [{ role, blocks: [[part, item]] }])
  if (type === 'message') return piecesOf(item, at, [{ role: roleOf(item['role']), blocks: readContent(item['content']) }])
  if (calls.has(type)) {
    const input = item['arguments'] ?? item['input'] ?? item['action'] ?? item['operation'] ?? {}
    return one('assistant', {
      type: 'tool-call',
      callId: text(call_id),
      tool: text(name ?? type.replace(/_call$/, '').replace(/^local_/, '')),
      input: text(input),
    })
  }
  if (answers.has(type)) {
    const held = (Array.isArray(output) ? output : [output]).filter(isMedia)
    return one('tool', { type: 'tool-result', callId: text(call_id), tool: '', output: outputText(output), ...attachmentsOf(held, mediaTypeOf) })
  }
  if (type === 'reasoning') {
    const said = [...list(item['summary']), ...list(item['content'])].map((block) => text(fields(block)['text'])).join('\n')
    return one('assistant', { type: 'reasoning', text: said, sealed: true })
  }
  return one(
    'assistant',
    readApart(type, item) ?? { type: 'opaque', kind: type, size: text(item).length, value: item, ...(type.startsWith('compaction') && { barrier: true }) },
  )
}

/**
 * Pairs that the provider keeps by ids of its own: approvals of MCP calls, and searches for tools. Read as calls that the provider runs, so that both halves
 * stay or leave together and nobody answers them in its place.
 */
function readApart(type: string, item: Fields): Part | undefined {
  const call = (id: unknown, tool: string): Part => ({ type: 'tool-call', callId: `${tool}:${text(id)}`, tool, input: text(item), providerExecuted: true })
  const answer = (id: unknown, tool: string): Part => ({ type: 'tool-result', callId: `${tool}:${text(id)}`, tool, output: text(item) })
  if (type === 'mcp_approval_request') return call(item['id'], 'mcp_approval')
  if (type === 'mcp_approval_response') return answer(item['approval_request_id'], 'mcp_approval')
  if (type === 'tool_search_call' && item['execution'] !== 'server') return call(item['call_id'], 'tool_search')
  if (type === 'tool_search_output' && item['execution'] !== 'server') return answer(item['call_id'], 'tool_search')
  return undefined
}

const textBlock = (said: string, role: Role): unknown => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text: said })

function assemble({ role, parts }: Message, blocks: readonly unknown[], origin: Fields | undefined): readonly unknown[] {
  if (role === 'tool' || (origin !== undefined && (origin['type'] ?? 'message') !== 'message')) return blocks
  const content = blocks.map((block, at) => {
    const part = parts[at]
    return block ?? textBlock(part?.type === 'text' ? part.text : '', role)
  })
  return [{ type: 'message', role, ...origin, content }]
}

const shape: Shape = {
  name: 'openai-responses',
  recognizes: (values) =>
    values.some((value) => {
      const { call_id, type, summary, content } = fields(value)
      const inside = list(content).map((block) => fields(block)['type'])
      return typeof call_id === 'string' || (type === 'reasoning' && Array.isArray(summary)) || inside.includes('input_text') || inside.includes('output_text')
    }),
  reader: () => (value, at) => (isFields(value) ? readItem(value, at) : unknownPiece(value, at)),
  block: (part, role) =>
    part.type === 'tool-result'
      ? { type: 'function_call_output', call_id: part.callId, output: part.output }
      : textBlock(part.type === 'text' ? part.text : '', role),
  withInput(block, input) {
    const item = fields(block)
    if (item['type'] === 'function_call') return { ...item, arguments: input }
    return item['type'] === 'custom_tool_call' ? { ...item, input } : undefined
  },
  withOutput(block, output, keepAttachments) {
    const item = fields(block)
    if (item['type'] === 'computer_call_output' || !answers.has(text(item['type']))) return undefined
    if (item['type'] === 'shell_call_output') return { ...item, output: [{ ...fields(list(item['output']).at(-1)), stdout: output, stderr: '' }] }
    const attached = keepAttachments ? list(item['output']).filter(isMedia) : []
    return { ...item, output: attached.length === 0 ? output : [{ type: 'input_text', text: output }, ...attached] }
  },
  assemble,
  joins: () => false,
  body: {
    list: 'input',
    system: (body) => text(body['instructions']),
    withSystem: (body, system) => ({ ...body, instructions: system }),
    tools: (body) =>
      list(body['tools']).map((value) => {
        const { type, name, description, parameters } = fields(value)
        return { name: text(name ?? type), ...(typeof description === 'string' && { description }), ...(parameters !== undefined && { parameters }), value }
      }),
    withTools: (_, tools) => tools.map(({ value, ...named }) => (value === undefined ? { type: 'function', strict: false, ...named } : value)),
    maxOutput: (body) => body['max_output_tokens'],
    withMaxOutput: (body, tokens) => ({ ...body, max_output_tokens: tokens }),
  },
}

/** OpenAI Responses. One item is one message. */
export const openaiResponses: Wire = wireOf(shape)
