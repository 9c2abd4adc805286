import type { Message, Part } from '@precis/core'
import { type Wire, wires } from '@precis/wire'
import {
  call,
  contentText,
  type Fields,
  fields,
  type LogFormat,
  list,
  media,
  type Reader,
  result,
  roleOf,
  some,
  stepsOf,
  text,
  textParts,
  withParts,
} from './foreign-parts.ts'
import { joinReplies } from './joined-replies.ts'

const messagesOf =
  ({ reader }: Wire) =>
  (value: unknown): readonly Message[] =>
    reader()(value).map(({ message }) => message)
const fromAnthropic = messagesOf(wires.anthropic)
const fromResponses = messagesOf(wires['openai-responses'])

/** Lines of Claude Code. Side chains are other agents' conversations; what is not a message is bookkeeping. */
function claudeCodeReader(): Reader {
  const replies = joinReplies()
  return {
    read({ type, isSidechain, isMeta, message }) {
      if ((type !== 'user' && type !== 'assistant') || isSidechain === true || isMeta === true) return []
      const { id } = fields(message)
      return fromAnthropic(message).flatMap((one) => replies.add(one, typeof id === 'string' ? id : undefined))
    },
    rest: replies.rest,
  }
}

function fromPi({ role, content, toolCallId, toolName, isError }: Fields): readonly Message[] {
  if (role === 'toolResult') return withParts('tool', [result(toolCallId, toolName, contentText(content), isError === true)])
  if (typeof content === 'string') return withParts(roleOf(role), textParts(content))
  const parts = list(content).flatMap((block): readonly Part[] => {
    if (block['type'] === 'toolCall') return [call(block['id'], block['name'], block['arguments'])]
    if (block['type'] === 'thinking') return [{ type: 'reasoning', text: text(block['thinking']) }]
    return block['type'] === 'image' ? [media(block['mimeType'])] : textParts(text(block['text']))
  })
  return withParts(roleOf(role), parts)
}

/** One message of a Gemini CLI chat. What a call answered stands in the call. */
function fromGeminiCli({ type, content, toolCalls, thoughts }: Fields): readonly Message[] {
  if (type !== 'user' && type !== 'gemini') return []
  const own: Part[] = list(thoughts).map((thought) => ({
    type: 'reasoning',
    text: [thought['subject'], thought['description']].map(text).filter(Boolean).join(': '),
  }))
  own.push(...textParts(contentText(content)))
  const results: Part[] = []
  for (const one of list(toolCalls)) {
    own.push(call(one['id'], one['name'], one['args']))
    const answers = list(one['result']).map((part) => fields(fields(part['functionResponse'])['response']))
    const output = answers.map((response) => text(response['output'] ?? response['error'] ?? response)).join('\n')
    if (one['status'] === 'success' || output !== '') results.push(result(one['id'], one['name'], output, one['status'] !== 'success'))
  }
  return [...withParts(type === 'user' ? 'user' : 'assistant', own), ...withParts('tool', results)]
}

/** One message of an OpenCode export: `{ info, parts }`, with the steps of one answer. */
function fromOpenCode({ info, parts }: Fields): readonly Message[] {
  return stepsOf(roleOf(fields(info)['role']), list(parts), (part) => {
    if (part['type'] === 'file') return [media(part['mime'])]
    if (part['type'] !== 'tool') return []
    const state = fields(part['state'])
    const asked = call(part['callID'], part['tool'], state['input'])
    if (state['status'] === 'completed') return [asked, result(part['callID'], part['tool'], text(state['output']))]
    return state['status'] === 'error' ? [asked, result(part['callID'], part['tool'], text(state['error']), true)] : [asked]
  })
}

/** Session logs of agents, whose lines hold messages of other shapes. */
export const logFormats: readonly LogFormat[] = [
  {
    format: 'claude-code',
    matches: (values) =>
      some(
        values,
        (value) =>
          (value['type'] === 'user' || value['type'] === 'assistant') && fields(value['message'])['role'] !== undefined && typeof value['uuid'] === 'string',
      ),
    reader: claudeCodeReader,
  },
  {
    format: 'codex',
    matches: (values) =>
      some(
        values,
        (value) =>
          value['type'] === 'session_meta' ||
          value['type'] === 'response_item' ||
          (typeof value['id'] === 'string' && typeof value['instructions'] === 'string'),
      ),
    reader: () => ({
      read: (value) =>
        value['type'] === 'response_item' ? fromResponses(value['payload']) : wires['openai-responses'].recognizes([value]) ? fromResponses(value) : [],
    }),
  },
  {
    format: 'pi',
    matches: (values) => some(values, (value) => value['type'] === 'message' && fields(value['message'])['role'] !== undefined),
    reader: () => ({ read: (value) => (value['type'] === 'message' ? fromPi(fields(value['message'])) : []) }),
  },
  {
    format: 'gemini-cli',
    matches: (values) => some(values, (value) => value['type'] === 'gemini' && (typeof value['content'] === 'string' || Array.isArray(value['toolCalls']))),
    reader: () => ({ read: fromGeminiCli }),
  },
  {
    format: 'opencode',
    matches: (values) => some(values, (value) => fields(value['info'])['role'] !== undefined && Array.isArray(value['parts'])),
    reader: () => ({ read: fromOpenCode }),
  },
]
