import { type AnthropicBlock, type AnthropicMessage, validateAnthropic } from '../../wire/anthropic.ts'
import type { Violation } from '../../wire/violation.ts'
import { readAnthropicPrompt } from '../prompt.ts'
import type { ModelReply } from '../recall-model.ts'
import { declaredOf, event, inOrder, list, number, replyId, signatureOf, type Usage, type WireHandler } from './shape.ts'

const usageOf = ({ inputTokens, cachedTokens, outputTokens }: Usage): object => ({
  input_tokens: inputTokens - cachedTokens,
  cache_read_input_tokens: cachedTokens,
  cache_creation_input_tokens: 0,
  output_tokens: outputTokens,
})
const stopOf = (reply: ModelReply): string => (reply.calls.length > 0 ? 'tool_use' : 'end_turn')

/** Anthropic Messages. Remembers its thoughts: they come back beside the calls that they led to, as they were. */
export function anthropic(): WireHandler {
  const thoughts = new Map<string, string>()
  const thoughtOf = (reply: ModelReply, incoming: { readonly own?: unknown }): readonly AnthropicBlock[] => {
    if (reply.thinking === undefined || incoming.own !== true) return []
    for (const call of reply.calls) thoughts.set(call.id, reply.thinking)
    if (reply.redacted === true) return [{ type: 'redacted_thinking', data: signatureOf(reply.thinking) }]
    return [{ type: 'thinking', thinking: reply.thinking, signature: signatureOf(reply.thinking) }]
  }
  return {
    name: 'anthropic',
    matches: (path) => path.endsWith('/messages'),
    read(body) {
      const messages = list(body['messages']) as readonly AnthropicMessage[]
      const thinking = (body['thinking'] as { readonly type?: string } | undefined)?.type === 'enabled'
      return {
        prompt: readAnthropicPrompt(body['system'], messages),
        violations: [...validateAnthropic(messages, { thinking, tools: list(body['tools']) }), ...(thinking ? brokenThoughts(messages, thoughts) : [])],
        serialized: [JSON.stringify(body['tools'] ?? []), JSON.stringify(body['system'] ?? ''), ...messages.map((message) => JSON.stringify(message))],
        stream: body['stream'] === true,
        maxOutput: number(body['max_tokens']),
        declared: declaredOf(body['tools'], body['tool_choice']),
        own: thinking,
      }
    },
    refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message }, request_id: 'req_strict' }),
    overflow: ({ input, reply, window }) => `prompt is too long: ${input} tokens > ${window - reply} maximum`,
    whole(reply, usage, incoming) {
      const calls = reply.calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.tool, input: JSON.parse(call.input) as unknown }))
      const text = reply.text === '' ? [] : [{ type: 'text', text: reply.text }]
      const content = [...thoughtOf(reply, incoming), ...inOrder<AnthropicBlock>(reply, text, calls)]
      return {
        id: replyId('msg'),
        type: 'message',
        role: 'assistant',
        model: 'strict',
        content,
        stop_reason: stopOf(reply),
        stop_sequence: null,
        usage: usageOf(usage),
      }
    },
    events(reply, usage, incoming) {
      const message = {
        id: replyId('msg'),
        type: 'message',
        role: 'assistant',
        model: 'strict',
        content: [],
        stop_reason: null,
        usage: { ...usageOf(usage), output_tokens: 0 },
      }
      const text = reply.text === '' ? [] : [{ start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: reply.text }] }]
      const calls = reply.calls.map((call) => ({
        start: { type: 'tool_use', id: call.id, name: call.tool, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: call.input }],
      }))
      const blocks = [...thoughtOf(reply, incoming).map(thoughtEvents), ...inOrder<Block>(reply, text, calls)]
      return [
        event('message_start', { message }),
        ...blocks.flatMap(({ start, deltas }, index) => [
          event('content_block_start', { index, content_block: start }),
          ...deltas.map((delta) => event('content_block_delta', { index, delta })),
          event('content_block_stop', { index }),
        ]),
        event('message_delta', { delta: { stop_reason: stopOf(reply), stop_sequence: null }, usage: { output_tokens: usage.outputTokens } }),
        event('message_stop', {}),
      ]
    },
  }
}

interface Block {
  readonly start: object
  readonly deltas: readonly object[]
}

function thoughtEvents(block: AnthropicBlock): Block {
  if (block.type === 'redacted_thinking') return { start: block, deltas: [] }
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature },
    ],
  }
}

/** Thoughts of the loop under way have to stand where they stood, word for word; where one of an older turn is shown it has to be signed too. */
function brokenThoughts(messages: readonly AnthropicMessage[], thoughts: ReadonlyMap<string, string>): readonly Violation[] {
  const blocksOf = ({ content }: AnthropicMessage): readonly AnthropicBlock[] => (typeof content === 'string' ? [] : content)
  const turn = messages.findLastIndex(
    (message) => message.role === 'user' && (typeof message.content === 'string' || message.content.some(({ type }) => type === 'text')),
  )
  return messages.flatMap((message, at): readonly Violation[] => {
    const blocks = blocksOf(message)
    const forged = blocks.findIndex((block) => block.type === 'thinking' && block.signature !== signatureOf(block.thinking ?? ''))
    if (forged >= 0) return [{ rule: 'thinking-signed', message: `messages.${at}.content.${forged}: Invalid \`signature\` in \`thinking\` block` }]
    if (at < turn || message.role !== 'assistant') return []
    const needed = blocks.flatMap((block) => (block.type === 'tool_use' ? [thoughts.get(block.id ?? '')] : [])).find((thought) => thought !== undefined)
    const shown = blocks.flatMap(({ type, thinking = '', data }) =>
      type === 'thinking' ? [signatureOf(thinking)] : type === 'redacted_thinking' ? [data] : [],
    )
    return needed === undefined || shown.includes(signatureOf(needed))
      ? []
      : [
          {
            rule: 'thinking-kept',
            message: `messages.${at}.content: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
          },
        ]
  })
}
