import type { Message, Role } from '@precis/core'
import { type Fields, fields, list, text } from './json.ts'
import { answer, withInput, withOutput } from './openai-responses-edits.ts'
import { createItemReader } from './openai-responses-items.ts'
import { wireOf } from './request.ts'
import type { Shape } from './shape.ts'
import type { Wire } from './wire.ts'

const textBlock = (said: string, role: Role): unknown => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text: said })

function assemble({ role, parts }: Message, blocks: readonly unknown[], origin: Fields | undefined): readonly unknown[] {
  if (role === 'tool' || (origin !== undefined && (origin['type'] ?? 'message') !== 'message')) return blocks.filter((block) => block !== undefined)
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
  reader: createItemReader,
  block: (part, role) =>
    part.type === 'tool-result'
      ? { type: 'function_call_output', call_id: part.callId, output: part.output }
      : textBlock(part.type === 'text' ? part.text : '', role),
  answer,
  withInput,
  withOutput,
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
