import { type ChatMessage, validateOpenAIChat } from '../../wire/openai-chat.ts'
import { readChatPrompt } from '../prompt.ts'
import type { ModelReply } from '../recall-model.ts'
import { declaredOf, list, number, replyId, type Usage, type WireHandler } from './shape.ts'

const usageOf = ({ inputTokens, cachedTokens, outputTokens }: Usage): object => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
})
const callsOf = (reply: ModelReply): readonly object[] =>
  reply.calls.map((call, index) => ({ index, id: call.id, type: 'function', function: { name: call.tool, arguments: call.input } }))
const finishOf = (reply: ModelReply): string => (reply.calls.length > 0 ? 'tool_calls' : 'stop')

/** OpenAI Chat Completions. */
export function openaiChat(): WireHandler {
  return {
    name: 'openai-chat',
    matches: (path) => path.endsWith('/chat/completions'),
    read(body) {
      const messages = list(body['messages']) as readonly ChatMessage[]
      return {
        prompt: readChatPrompt(messages),
        violations: validateOpenAIChat(messages, { tools: body['tools'] as readonly unknown[] | undefined, toolChoice: body['tool_choice'] }),
        serialized: [JSON.stringify(body['tools'] ?? []), '""', ...messages.map((message) => JSON.stringify(message))],
        stream: body['stream'] === true,
        declared: declaredOf(body['tools'], body['tool_choice']),
        maxOutput: number(body['max_tokens']) ?? number(body['max_completion_tokens']),
      }
    },
    refusal: (message, overflow) => ({
      error: { message, type: 'invalid_request_error', param: 'messages', code: overflow ? 'context_length_exceeded' : null },
    }),
    overflow: ({ input, reply, window }) =>
      `This model's maximum context length is ${window} tokens. However, you requested ${input + reply} tokens (${input} in the messages, ${reply} in the completion). Please reduce the length of the messages or completion.`,
    whole(reply, usage) {
      const message = { role: 'assistant', content: reply.text, ...(reply.calls.length > 0 && { tool_calls: callsOf(reply) }) }
      return {
        id: replyId(),
        object: 'chat.completion',
        created: 0,
        model: 'strict',
        choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
        usage: usageOf(usage),
      }
    },
    events(reply, usage) {
      const base = { id: replyId(), object: 'chat.completion.chunk', created: 0, model: 'strict' }
      const chunk = (delta: object, finish: string | null = null): object => ({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })
      const chunks = [
        chunk({ role: 'assistant', content: '' }),
        ...(reply.text.match(/[\s\S]{1,40}/g) ?? []).map((content) => chunk({ content })),
        ...callsOf(reply).map((call) => chunk({ tool_calls: [call] })),
        chunk({}, finishOf(reply)),
        { ...base, choices: [], usage: usageOf(usage) },
      ]
      return [...chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`), 'data: [DONE]\n\n']
    },
  }
}
