import type { Message, Part, Role } from '@precis/core'
import { createIds, madeUp } from './ids.ts'
import { type Fields, fields, isFields, list, text } from './json.ts'
import { contentBlocks, readBeside, readHeld, resultEdits } from './openai-chat-blocks.ts'
import { wireOf } from './request.ts'
import { resultParts, withText } from './result-blocks.ts'
import { type Block, blocksFor, piecesOf, type Shape, unknownPiece } from './shape.ts'
import type { Wire, WireMessage } from './wire.ts'

const roleOf = (role: unknown): Role =>
  role === 'system' || role === 'developer' || role === 'user' || role === 'tool' ? role : role === 'function' ? 'tool' : 'assistant'

function readCall(call: unknown): Block {
  const { id, function: named, custom } = fields(call)
  const { name, arguments: input, input: free } = fields(named ?? custom)
  return [{ type: 'tool-call', callId: text(id), tool: text(name), input: text(input ?? free) }, call]
}

function createReader(): (value: unknown, at: number) => readonly WireMessage[] {
  const ids = createIds()
  return (value, at) => {
    if (!isFields(value)) return unknownPiece(value, at)
    const { role, content, tool_calls, tool_call_id, name, function_call } = value
    const given = contentBlocks(content)
    if (role === 'tool' || role === 'function') {
      const callId = role === 'function' ? ids.answered(undefined, name) : text(tool_call_id)
      return piecesOf(value, at, [{ role: 'tool', blocks: blocksFor(value, resultParts({ callId, tool: text(name) }, given.map(readHeld))) }])
    }
    // What stands beside the content stays among the message's other fields.
    const blocks: Block[] = readBeside(value).map((part) => [part, undefined])
    blocks.push(...given.map((block): Block => [readHeld(block), block]), ...list(tool_calls).map(readCall))
    if (isFields(function_call)) {
      const { name: tool, arguments: input } = function_call
      blocks.push([{ type: 'tool-call', callId: ids.asked(undefined, tool), tool: text(tool), input: text(input) }, function_call])
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
  const of = (test: (part: Part) => boolean): readonly unknown[] => blocks.filter((block, at) => block !== undefined && test(parts[at] as Part))
  if (role === 'tool') return of(() => true)
  const calls = of((part) => part.type === 'tool-call')
  const content = contentOf(
    of((part) => part.type !== 'tool-call'),
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
  withOutput: (value, output, keepAttachments) => ({ ...fields(value), content: withText(fields(value)['content'], output, keepAttachments, resultEdits) }),
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
