import { type Message, type MessageCodec, neutralCodec, type Part } from '@precis/core'
import {
  call,
  contentText,
  type Fields,
  type ForeignFormat,
  fields,
  list,
  media,
  type Opened,
  result,
  roleOf,
  some,
  stepsOf,
  text,
  textParts,
  withParts,
} from './foreign-parts.ts'

/** Makes messages of a framework of ours: what a compaction made or changed. What it left alone is written back as it was read. */
type Writer = (messages: readonly Message[]) => readonly unknown[]

type Call = Extract<Part, { type: 'tool-call' }>
type Result = Extract<Part, { type: 'tool-result' }>

/** Arguments as a value; text that is no JSON under a name of its own, as the APIs want an object. */
function argumentsOf({ input }: Call): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return { input }
  }
}

/** A line for what cannot be made anew from its reading: the file is still in the original. */
const placeholder = (part: Part): string => (part.type === 'media' ? `[attachment: ${part.mediaType}]` : '')

/** One message as LangChain stores it: `{ type, data }`, or its serialized constructor. */
function fromLangChain(stored: Fields): readonly Message[] {
  const name = Array.isArray(stored['id']) ? text(stored['id'].at(-1)) : ''
  const kind = name === '' ? text(stored['type']) : name.replace(/Message(?:Chunk)?$/, '').toLowerCase()
  const data = fields(stored['kwargs'] ?? stored['data'])
  if (kind === 'tool') return withParts('tool', [result(data['tool_call_id'], data['name'], contentText(data['content']), data['status'] === 'error')])
  const role = kind === 'human' ? 'user' : kind === 'system' ? 'system' : 'assistant'
  const calls = list(data['tool_calls']).map((one) => call(one['id'], one['name'], one['args']))
  return withParts(role, [...textParts(contentText(data['content'])), ...calls])
}

/** One message of the AI SDK's chats, which holds the steps of one answer. */
function fromUi({ role, parts }: Fields): readonly Message[] {
  return stepsOf(roleOf(role), list(parts), (part) => {
    const type = text(part['type'])
    if (type === 'file') return [media(part['mediaType'])]
    if (!type.startsWith('tool-') && type !== 'dynamic-tool') return []
    const name = type === 'dynamic-tool' ? part['toolName'] : type.slice(5)
    const asked = call(part['toolCallId'], name, part['input'])
    const state = part['state']
    if (state === 'output-available') return [asked, result(part['toolCallId'], name, text(part['output']))]
    const failed = state === 'output-error' || state === 'output-denied'
    return failed ? [asked, result(part['toolCallId'], name, text(part['errorText'] ?? 'denied'), true)] : [asked]
  })
}

const texts = ({ parts }: Message): string =>
  parts
    .map((part) => (part.type === 'text' ? part.text : placeholder(part)))
    .filter(Boolean)
    .join('\n')
const callsOf = ({ parts }: Message): readonly Call[] => parts.filter((part) => part.type === 'tool-call')
const resultsOf = ({ parts }: Message): readonly Result[] => parts.filter((part) => part.type === 'tool-result')

const langchain: Writer = (messages) =>
  messages.flatMap((message): readonly Fields[] => {
    if (message.role === 'tool')
      return resultsOf(message).map(({ callId, tool, output, isError }) => ({
        type: 'tool',
        data: { content: output, tool_call_id: callId, name: tool, status: isError === true ? 'error' : 'success' },
      }))
    const type = message.role === 'user' ? 'human' : message.role === 'assistant' ? 'ai' : 'system'
    const calls = callsOf(message).map((call) => ({ id: call.callId, name: call.tool, args: argumentsOf(call), type: 'tool_call' }))
    return [{ type, data: { content: texts(message), ...(calls.length > 0 && { tool_calls: calls }) } }]
  })

/** Steps of one answer are one message there, with the results in their calls. */
const uiMessages: Writer = (messages) => {
  const results = new Map(messages.flatMap(resultsOf).map((result) => [result.callId, result]))
  const written: { id: string; role: string; parts: unknown[] }[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    const calls = callsOf(message).map((call) => {
      const result = results.get(call.callId)
      const own = { type: `tool-${call.tool}`, toolCallId: call.callId, input: argumentsOf(call) }
      if (result === undefined) return { ...own, state: 'input-available' }
      return result.isError === true
        ? { ...own, state: 'output-error', errorText: result.output }
        : { ...own, state: 'output-available', output: result.output }
    })
    const text = texts(message)
    const own = [...(message.role === 'assistant' ? [{ type: 'step-start' }] : []), ...(text === '' ? [] : [{ type: 'text', text }]), ...calls]
    const last = written.at(-1)
    if (last?.role === 'assistant' && message.role === 'assistant') last.parts.push(...own)
    else written.push({ id: `compacted-${written.length + 1}`, role: message.role, parts: own })
  }
  return written
}

/** Reads values and writes messages back: a value whose messages are all still there, one after another, as itself; what lies between by the writer. */
function traced(read: (value: Fields) => readonly Message[], write: Writer): Opened {
  const origins = new WeakMap<Message, { readonly value: unknown; readonly all: readonly Message[] }>()
  return {
    codec: neutralCodec as MessageCodec<unknown>,
    writable: true,
    read(value) {
      const all = read(fields(value))
      for (const message of all) origins.set(message, { value, all })
      return all
    },
    write(messages) {
      const written: unknown[] = []
      let made: Message[] = []
      for (let at = 0; at < messages.length; ) {
        const origin = origins.get(messages[at] as Message)
        if (origin?.all.every((message, offset) => message === messages[at + offset]) === true) {
          written.push(...write(made), origin.value)
          made = []
          at += origin.all.length
        } else made.push(messages[at++] as Message)
      }
      written.push(...write(made))
      return written
    },
  }
}

const langchainFormat: ForeignFormat = {
  format: 'langchain',
  matches: (values) =>
    some(
      values,
      (value) =>
        (typeof value['type'] === 'string' && typeof value['data'] === 'object' && value['role'] === undefined) ||
        (value['lc'] === 1 && typeof value['kwargs'] === 'object'),
    ),
  open: () => traced(fromLangChain, langchain),
}

const uiFormat: ForeignFormat = {
  format: 'ui-messages',
  matches: (values) =>
    some(values, (value) =>
      list(value['parts']).some(
        ({ type }) => type === 'step-start' || type === 'dynamic-tool' || (typeof type === 'string' && /^tool-(?!call$|result$)/.test(type)),
      ),
    ),
  open: () => traced(fromUi, uiMessages),
}

/** Messages as frameworks store them: LangChain's, and the AI SDK's chats. */
export const frameworkFormats: readonly [ForeignFormat, ForeignFormat] = [langchainFormat, uiFormat]
