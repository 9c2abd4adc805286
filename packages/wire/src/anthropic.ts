import type { Message } from '@precis/core'
import { apartIn, blocksIn, readBlock, resultEdits } from './anthropic-blocks.ts'
import { argumentsOf, contentText, type Fields, fields, isFields, list, text } from './json.ts'
import { wireOf } from './request.ts'
import { withText } from './result-blocks.ts'
import { type Block, blocksFor, piecesOf, type Shape, unknownPiece } from './shape.ts'
import type { Wire, WireMessage } from './wire.ts'

const isResult = (block: unknown): boolean => fields(block)['type'] === 'tool_result'

function read(value: unknown, at: number): readonly WireMessage[] {
  if (!isFields(value)) return unknownPiece(value, at)
  const { role, content } = value
  const given = blocksIn(content)
  const isApart = apartIn(given)
  const blocksOf = (blocks: readonly unknown[]): readonly Block[] => blocks.flatMap((block) => blocksFor(block, readBlock(block, isApart)))
  return piecesOf(value, at, [
    { role: 'tool', blocks: blocksOf(given.filter(isResult)) },
    { role: role === 'user' || role === 'system' ? role : 'assistant', blocks: blocksOf(given.filter((block) => !isResult(block))) },
  ])
}

function assemble({ role }: Message, blocks: readonly unknown[], origin: Fields | undefined): readonly unknown[] {
  return [{ ...origin, role: origin?.['role'] ?? (role === 'assistant' ? 'assistant' : 'user'), content: blocks.filter((block) => block !== undefined) }]
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
  withOutput: (block, output, keepAttachments) =>
    isResult(block) ? { ...fields(block), content: withText(fields(block)['content'], output, keepAttachments, resultEdits) } : undefined,
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
