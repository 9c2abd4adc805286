import { type AnthropicMessage, validateAnthropic } from '../../wire/anthropic.ts'
import { readAnthropicPrompt } from '../prompt.ts'
import type { ModelReply } from '../recall-model.ts'
import { event, list, number, replyId, type Usage, type WireHandler } from './shape.ts'

const usageOf = ({ inputTokens, cachedTokens, outputTokens }: Usage): object => ({
  input_tokens: inputTokens - cachedTokens,
  cache_read_input_tokens: cachedTokens,
  cache_creation_input_tokens: 0,
  output_tokens: outputTokens,
})
const stopOf = (reply: ModelReply): string => (reply.calls.length > 0 ? 'tool_use' : 'end_turn')

/** Anthropic Messages. */
export function anthropic(): WireHandler {
  return {
    name: 'anthropic',
    matches: (path) => path.endsWith('/messages'),
    read(body) {
      const messages = list(body['messages']) as readonly AnthropicMessage[]
      const thinking = (body['thinking'] as { readonly type?: string } | undefined)?.type === 'enabled'
      return {
        prompt: readAnthropicPrompt(body['system'], messages),
        violations: validateAnthropic(messages, { thinking }),
        serialized: [JSON.stringify(body['tools'] ?? []), JSON.stringify(body['system'] ?? ''), ...messages.map((message) => JSON.stringify(message))],
        stream: body['stream'] === true,
        maxOutput: number(body['max_tokens']),
      }
    },
    refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message }, request_id: 'req_strict' }),
    overflow: ({ input, reply, window }) => `prompt is too long: ${input} tokens > ${window - reply} maximum`,
    whole(reply, usage) {
      const calls = reply.calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.tool, input: JSON.parse(call.input) as unknown }))
      const content = reply.text === '' ? calls : [{ type: 'text', text: reply.text }, ...calls]
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
    events(reply, usage) {
      const message = {
        id: replyId('msg'),
        type: 'message',
        role: 'assistant',
        model: 'strict',
        content: [],
        stop_reason: null,
        usage: { ...usageOf(usage), output_tokens: 0 },
      }
      const blocks = [
        ...(reply.text === '' ? [] : [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: reply.text } }]),
        ...reply.calls.map((call) => ({
          start: { type: 'tool_use', id: call.id, name: call.tool, input: {} },
          delta: { type: 'input_json_delta', partial_json: call.input },
        })),
      ]
      return [
        event('message_start', { message }),
        ...blocks.flatMap(({ start, delta }, index) => [
          event('content_block_start', { index, content_block: start }),
          event('content_block_delta', { index, delta }),
          event('content_block_stop', { index }),
        ]),
        event('message_delta', { delta: { stop_reason: stopOf(reply), stop_sequence: null }, usage: { output_tokens: usage.outputTokens } }),
        event('message_stop', {}),
      ]
    },
  }
}
