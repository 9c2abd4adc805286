import type { Message, Part } from '@precis/core'
import { argumentsOf, contentText, type Fields, fields, isFields, list, text } from './json.ts'
import { wireOf } from './request.ts'
import { attachmentsOf, type Block, piecesOf, type Shape, unknownPiece } from './shape.ts'
import type { Wire, WireMessage } from './wire.ts'

const isMedia = (block: unknown): boolean => fields(block)['type'] === 'image' || fields(block)['type'] === 'document'

const mediaTypeOf = (block: unknown): string => {
  const { type, source } = fields(block)
  return text(fields(source)['media_type'] ?? (type === 'image' ? 'image/*' : 'application/*'))
}

function readBlock(block: unknown): Part {
  const { type, text: said, thinking, id, name, input, tool_use_id, content, is_error, source } = fields(block)
  if (type === 'text') return { type: 'text', text: text(said) }
  if (type === 'thinking') return { type: 'reasoning', text: text(thinking), sealed: true }
  if (type === 'tool_use') return { type: 'tool-call', callId: text(id), tool: text(name), input: text(input ?? {}) }
  if (isMedia(block)) return { type: 'media', mediaType: mediaTypeOf(block), data: source }
  if (type === 'tool_result') {
    return {
      type: 'tool-result',
      callId: text(tool_use_id),
      tool: '',
      output: contentText(content),
      ...(is_error === true && { isError: true }),
      ...attachmentsOf(list(content).filter(isMedia), mediaTypeOf),
    }
  }
  // What the provider runs itself stands whole in one message: call and answer stay as they are.
  return { type: 'opaque', kind: text(type), size: text(block).length, value: block, ...(type === 'compaction' && { barrier: true }) }
}

function read(value: unknown, at: number): readonly WireMessage[] {
  if (!isFields(value)) return unknownPiece(value, at)
  const { role, content } = value
  const given = typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : list(content)
  const blocks = given.map((block): Block => [readBlock(block), block])
  const own = role === 'user' || role === 'system' ? role : 'assistant'
  return piecesOf(value, at, [
    { role: 'tool', blocks: blocks.filter(([part]) => part.type === 'tool-result') },
    { role: own, blocks: blocks.filter(([part]) => part.type !== 'tool-result') },
  ])
}

function assemble({ role }: Message, blocks: readonly unknown[], origin: Fields | undefined): readonly unknown[] {
  return [{ ...origin, role: origin?.['role'] ?? (role === 'assistant' ? 'assistant' : 'user'), content: blocks }]
}

const shape: Shape = {
  name: 'anthropic',
  recognizes: (values) =>
    values.some((value) =>
      list(fields(value)['content']).some((block) => {
        const { type } = fields(block)
        return type === 'tool_use' || type === 'tool_result' || type === 'thinking'
      }),
    ),
  reader: () => read,
  block: (part) =>
    part.type === 'tool-result'
      ? { type: 'tool_result', tool_use_id: part.callId, content: part.output }
      : { type: 'text', text: part.type === 'text' ? part.text : '' },
  withInput: (block, input) => ({ ...fields(block), input: argumentsOf(input) }),
  withOutput(block, output, keepAttachments) {
    const attached = keepAttachments ? list(fields(block)['content']).filter(isMedia) : []
    return { ...fields(block), content: attached.length === 0 ? output : [{ type: 'text', text: output }, ...attached] }
  },
  assemble,
  // All results of a step stand in the message after it.
  joins: (before, after) => before.role === 'tool' && after.role === 'tool',
  body: {
    list: 'messages',
    system: (body) => contentText(body['system']),
    withSystem: (body, system) => ({ ...body, system }),
    tools: (body) =>
      list(body['tools']).map((value) => {
        const { type, name, description, input_schema } = fields(value)
        return {
          name: text(name ?? type),
          ...(typeof description === 'string' && { description }),
          ...(input_schema !== undefined && { parameters: input_schema }),
          value,
        }
      }),
    withTools: (_, tools) =>
      tools.map(({ value, parameters, ...named }) => (value === undefined ? { ...named, input_schema: parameters ?? { type: 'object' } } : value)),
    maxOutput: (body) => body['max_tokens'],
    withMaxOutput: (body, tokens) => ({ ...body, max_tokens: tokens }),
  },
}

/** The Anthropic Messages API. Results stand in messages of the user there, and are messages of their own here. */
export const anthropic: Wire = wireOf(shape)
