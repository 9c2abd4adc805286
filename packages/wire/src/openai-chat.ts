import type { Message, Part, Role } from '@precis/core'
import { contentText, type Fields, fields, isFields, list, text } from './json.ts'
import { wireOf } from './request.ts'
import { attachmentsOf, type Block, createIds, madeUp, piecesOf, type Shape, unknownPiece } from './shape.ts'
import type { Wire, WireMessage } from './wire.ts'

const roleOf = (role: unknown): Role =>
  role === 'system' || role === 'developer' || role === 'user' || role === 'tool' ? role : role === 'function' ? 'tool' : 'assistant'

/** Kinds of content that are attachments, by what they hold. */
const mediaTypes: ReadonlyMap<unknown, string> = new Map([
  ['image_url', 'image/*'],
  ['input_audio', 'audio/*'],
  ['file', 'application/*'],
])
const mediaTypeOf = (block: unknown): string | undefined => mediaTypes.get(fields(block)['type'])

const attachmentsIn = (content: unknown) =>
  attachmentsOf(
    list(content).filter((block) => mediaTypeOf(block) !== undefined),
    (block) => mediaTypeOf(block) ?? '',
  )

function readContent(content: unknown): readonly Block[] {
  if (content === '') return []
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)
  return blocks.map((block): Block => {
    const { type, text: said, refusal } = fields(block)
    const words = said ?? refusal
    if (typeof words === 'string') return [{ type: 'text', text: words }, block]
    const mediaType = mediaTypes.get(type)
    return [
      mediaType === undefined ? { type: 'opaque', kind: text(type), size: text(block).length, value: block } : { type: 'media', mediaType, data: block },
      block,
    ]
  })
}

function readCall(call: unknown): Block {
  const { id, function: named, custom } = fields(call)
  const { name, arguments: input, input: free } = fields(named ?? custom)
  return [{ type: 'tool-call', callId: text(id), tool: text(name), input: text(input ?? free) }, call]
}

function createReader(): (value: unknown, at: number) => readonly WireMessage[] {
  const ids = createIds()
  return (value, at) => {
    if (!isFields(value)) return unknownPiece(value, at)
    const { role, content, tool_calls, tool_call_id, name, function_call, reasoning_content } = value
    if (role === 'tool' || role === 'function') {
      const callId = role === 'function' ? ids.answered(undefined) : text(tool_call_id)
      const part: Part = { type: 'tool-result', callId, tool: text(name), output: contentText(content), ...attachmentsIn(content) }
      return piecesOf(value, at, [{ role: 'tool', blocks: [[part, value]] }])
    }
    // Some servers take the model's reasoning back. It stays among the message's other fields.
    const reasoning: Block[] =
      typeof reasoning_content === 'string' && reasoning_content !== '' ? [[{ type: 'reasoning', text: reasoning_content }, undefined]] : []
    const blocks = [...reasoning, ...readContent(content), ...list(tool_calls).map(readCall)]
    if (isFields(function_call)) {
      const { name: tool, arguments: input } = function_call
      blocks.push([{ type: 'tool-call', callId: ids.asked(undefined), tool: text(tool), input: text(input) }, function_call])
    }
    return piecesOf(value, at, [{ role: roleOf(role), blocks }])
  }
}

/** A text stays a text, a list a list; what has no text has what it had. */
function contentOf(blocks: readonly unknown[], before: unknown): unknown {
  if (blocks.length === 0) return Array.isArray(before) ? [] : before === undefined ? '' : before
  const [only] = blocks
  return blocks.length === 1 && !Array.isArray(before) && fields(only)['type'] === 'text' ? fields(only)['text'] : blocks
}

function assemble({ role, parts }: Message, blocks: readonly unknown[], origin: Fields | undefined): readonly unknown[] {
  if (role === 'tool') return blocks
  const of = (test: (part: Part) => boolean): readonly unknown[] => blocks.filter((_, at) => test(parts[at] as Part))
  const calls = of((part) => part.type === 'tool-call')
  const content = contentOf(
    of((part) => part.type !== 'tool-call' && part.type !== 'reasoning'),
    origin?.['content'],
  )
  const called = calls.length === 0 ? {} : origin?.['function_call'] === undefined ? { tool_calls: calls } : { function_call: calls.at(-1) }
  return [{ ...origin, role: origin?.['role'] ?? role, content, ...called }]
}

const isInstruction = (value: unknown): boolean => fields(value)['role'] === 'system' || fields(value)['role'] === 'developer'

const shape: Shape = {
  name: 'openai-chat',
  recognizes: (values) => values.some((value) => Array.isArray(fields(value)['tool_calls']) || typeof fields(value)['tool_call_id'] === 'string'),
  reader: createReader,
  block(part) {
    if (part.type !== 'tool-result') return { type: 'text', text: part.type === 'text' ? part.text : '' }
    const { callId, tool, output } = part
    return callId.startsWith(madeUp) ? { role: 'function', name: tool, content: output } : { role: 'tool', tool_call_id: callId, content: output }
  },
  withInput(call, input) {
    const { function: named, custom } = fields(call)
    if (isFields(custom)) return { ...fields(call), custom: { ...custom, input } }
    return isFields(named) ? { ...fields(call), function: { ...named, arguments: input } } : { ...fields(call), arguments: input }
  },
  withOutput(value, output, keepAttachments) {
    const attached = keepAttachments ? list(fields(value)['content']).filter((block) => mediaTypeOf(block) !== undefined) : []
    return { ...fields(value), content: attached.length === 0 ? output : [{ type: 'text', text: output }, ...attached] }
  },
  assemble,
  joins: () => false,
  body: {
    list: 'messages',
    system: () => '',
    withSystem(body, system) {
      const messages = list(body['messages'])
      const at = messages.findIndex(isInstruction)
      const said = { ...(at < 0 ? { role: 'system' } : fields(messages[at])), content: system }
      return { ...body, messages: at < 0 ? [said, ...messages] : messages.with(at, said) }
    },
    tools: (body) =>
      list(body['tools']).map((value) => {
        const { type, function: named, custom } = fields(value)
        const { name, description, parameters } = fields(named ?? custom)
        return { name: text(name ?? type), ...(typeof description === 'string' && { description }), ...(parameters !== undefined && { parameters }), value }
      }),
    withTools: (_, tools) => tools.map(({ value, ...named }) => (value === undefined ? { type: 'function', function: named } : value)),
    maxOutput: (body) => body['max_completion_tokens'] ?? body['max_tokens'],
    // Servers other than OpenAI's may know the old name alone: whoever used it goes on with it.
    withMaxOutput: (body, tokens) =>
      body['max_tokens'] !== undefined && body['max_completion_tokens'] === undefined
        ? { ...body, max_tokens: tokens }
        : { ...body, max_completion_tokens: tokens },
  },
}

/** OpenAI Chat Completions, and the many servers that speak it. */
export const openaiChat: Wire = wireOf(shape)
