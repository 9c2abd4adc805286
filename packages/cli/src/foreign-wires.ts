import type { Message, Part } from '@precis/core'
import { call, contentText, type Fields, type ForeignFormat, fields, list, media, result, roleOf, some, text, textParts, withParts } from './foreign-parts.ts'

/** One message of the Anthropic Messages API. Results stand in user messages there, and are messages of their own here. */
export function fromAnthropic({ role, content }: Fields): readonly Message[] {
  if (typeof content === 'string') return withParts(roleOf(role), textParts(content))
  const own: Part[] = []
  const results: Part[] = []
  for (const block of list(content)) {
    if (block['type'] === 'text') own.push(...textParts(text(block['text'])))
    else if (block['type'] === 'tool_use' || block['type'] === 'server_tool_use') own.push(call(block['id'], block['name'], block['input']))
    else if (block['type'] === 'tool_result') results.push(result(block['tool_use_id'], '', contentText(block['content']), block['is_error'] === true))
    else if (block['type'] === 'thinking') own.push({ type: 'reasoning', text: text(block['thinking']), sealed: true })
    else if (block['type'] === 'image' || block['type'] === 'document') own.push(media(fields(block['source'])['media_type']))
    else own.push({ type: 'opaque', kind: text(block['type']), size: text(block).length })
  }
  return [...withParts('tool', results), ...withParts(roleOf(role), own)]
}

/** One item of the OpenAI Responses API. */
export function fromResponses(item: Fields): readonly Message[] {
  switch (item['type'] ?? 'message') {
    case 'message':
      return withParts(roleOf(item['role']), textParts(contentText(item['content'])))
    case 'function_call':
    case 'custom_tool_call':
      return withParts('assistant', [call(item['call_id'], item['name'], item['arguments'] ?? item['input'])])
    case 'local_shell_call':
      return withParts('assistant', [call(item['call_id'], 'shell', item['action'])])
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output': {
      const output = item['output']
      return withParts('tool', [
        result(item['call_id'], '', typeof output === 'string' ? output : contentText(fields(output)['content'] ?? output) || text(output)),
      ])
    }
    case 'reasoning':
      return withParts('assistant', [
        { type: 'reasoning', text: [...list(item['summary']), ...list(item['content'])].map((one) => text(one['text'])).join('\n'), sealed: true },
      ])
    default:
      return withParts('assistant', [{ type: 'opaque', kind: text(item['type']), size: text(item).length }])
  }
}

/** Begins the ids of calls that came without one: nobody else knows them, so they are not written. */
export const madeUp = 'unnamed-'

/** Contents of Gemini's API. Their calls may have no ids: they are answered in order. */
function geminiReader(): (value: Fields) => readonly Message[] {
  const open: string[] = []
  let calls = 0
  return ({ role, parts }) => {
    const own: Part[] = []
    const results: Part[] = []
    for (const part of list(parts)) {
      const [asked, answered] = [fields(part['functionCall']), fields(part['functionResponse'])]
      if (typeof part['text'] === 'string')
        own.push(part['thought'] === true ? { type: 'reasoning', text: part['text'] } : { type: 'text', text: part['text'] })
      else if (part['functionCall'] !== undefined) {
        const id = typeof asked['id'] === 'string' ? asked['id'] : `${madeUp}${++calls}`
        open.push(id)
        own.push(call(id, asked['name'], asked['args']))
      } else if (part['functionResponse'] !== undefined) {
        const id = typeof answered['id'] === 'string' ? answered['id'] : (open.shift() ?? '')
        const response = fields(answered['response'])
        results.push(result(id, answered['name'], text(response['output'] ?? response['error'] ?? answered['response']), response['error'] !== undefined))
      } else if (part['inlineData'] !== undefined) own.push(media(fields(part['inlineData'])['mimeType']))
    }
    return [...withParts('tool', results), ...withParts(role === 'model' ? 'assistant' : roleOf(role), own)]
  }
}

/** One message as LangChain stores it: `{ type, data }`, or its serialised constructor. */
function fromLangChain(stored: Fields): readonly Message[] {
  const name = Array.isArray(stored['id']) ? text(stored['id'].at(-1)) : ''
  const kind = name === '' ? text(stored['type']) : name.replace(/Message(?:Chunk)?$/, '').toLowerCase()
  const data = fields(stored['kwargs'] ?? stored['data'])
  if (kind === 'tool') return withParts('tool', [result(data['tool_call_id'], data['name'], contentText(data['content']), data['status'] === 'error')])
  const role = kind === 'human' ? 'user' : kind === 'system' ? 'system' : 'assistant'
  const calls = list(data['tool_calls']).map((one) => call(one['id'], one['name'], one['args']))
  return withParts(role, [...textParts(contentText(data['content'])), ...calls])
}

/** One message of the AI SDK's chats. Each step is an assistant message of its own, with its results behind it. */
function fromUi({ role, parts }: Fields): readonly Message[] {
  const messages: Message[] = []
  let own: Part[] = []
  let results: Part[] = []
  const close = (): void => {
    messages.push(...withParts(roleOf(role), own), ...withParts('tool', results))
    own = []
    results = []
  }
  for (const part of list(parts)) {
    const type = text(part['type'])
    if (type === 'step-start') close()
    else if (type === 'text') own.push(...textParts(text(part['text'])))
    else if (type === 'reasoning') own.push({ type: 'reasoning', text: text(part['text']) })
    else if (type === 'file') own.push(media(part['mediaType']))
    else if (type.startsWith('tool-') || type === 'dynamic-tool') {
      const name = type === 'dynamic-tool' ? part['toolName'] : type.slice(5)
      own.push(call(part['toolCallId'], name, part['input']))
      const state = part['state']
      if (state === 'output-available') results.push(result(part['toolCallId'], name, text(part['output'])))
      else if (state === 'output-error' || state === 'output-denied') results.push(result(part['toolCallId'], name, text(part['errorText'] ?? 'denied'), true))
    }
  }
  close()
  return messages
}

const blocksOf = (value: Fields): readonly Fields[] => list(value['content'])
export const isResponsesItem = (value: Fields): boolean =>
  typeof value['call_id'] === 'string' ||
  (value['type'] === 'reasoning' && Array.isArray(value['summary'])) ||
  blocksOf(value).some((block) => block['type'] === 'input_text' || block['type'] === 'output_text')

/** In the order in which they are looked for. */
export const wireFormats: readonly ForeignFormat[] = [
  { format: 'openai-responses', matches: (values) => some(values, isResponsesItem), reader: () => fromResponses },
  {
    format: 'langchain',
    matches: (values) =>
      some(
        values,
        (value) =>
          (typeof value['type'] === 'string' && typeof value['data'] === 'object' && value['role'] === undefined) ||
          (value['lc'] === 1 && typeof value['kwargs'] === 'object'),
      ),
    reader: () => fromLangChain,
  },
  {
    format: 'gemini',
    matches: (values) =>
      some(values, (value) =>
        list(value['parts']).some(
          (part) => part['type'] === undefined && (part['text'] !== undefined || part['functionCall'] !== undefined || part['functionResponse'] !== undefined),
        ),
      ),
    reader: geminiReader,
  },
  {
    format: 'ui-messages',
    matches: (values) =>
      some(values, (value) =>
        list(value['parts']).some(
          ({ type }) => type === 'step-start' || type === 'dynamic-tool' || (typeof type === 'string' && /^tool-(?!call$|result$)/.test(type)),
        ),
      ),
    reader: () => fromUi,
  },
  {
    format: 'anthropic',
    matches: (values) => some(values, (value) => blocksOf(value).some(({ type }) => type === 'tool_use' || type === 'tool_result' || type === 'thinking')),
    reader: () => fromAnthropic,
  },
]
