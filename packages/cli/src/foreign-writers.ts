import type { Message, Part } from '@precis/core'
import type { Fields, ForeignFormat } from './foreign-parts.ts'
import { madeUp } from './foreign-wires.ts'

/** Makes messages of a wire format of ours: what a compaction made or changed. What it left alone is written back as it was read. */
export type Writer = (messages: readonly Message[]) => readonly unknown[]

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

/** Neighbours of one role become one message: results of parallel calls belong together. */
function merged(messages: readonly Message[], roleOf: (message: Message) => string, blocks: (part: Part, role: string) => readonly unknown[], name: string) {
  const written: { role: string; [name: string]: unknown }[] = []
  for (const message of messages) {
    const role = roleOf(message)
    const own = message.parts.flatMap((part) => blocks(part, role))
    const last = written.at(-1)
    if (own.length === 0) continue
    if (last?.role === role) (last[name] as unknown[]).push(...own)
    else written.push({ role, [name]: own })
  }
  return written
}

const anthropic: Writer = (messages) =>
  merged(
    messages,
    ({ role }) => (role === 'assistant' ? 'assistant' : 'user'),
    (part) => {
      if (part.type === 'tool-call') return [{ type: 'tool_use', id: part.callId, name: part.tool, input: argumentsOf(part) }]
      if (part.type === 'tool-result')
        return [{ type: 'tool_result', tool_use_id: part.callId, content: part.output, ...(part.isError === true && { is_error: true }) }]
      const text = part.type === 'text' ? part.text : placeholder(part)
      return text === '' ? [] : [{ type: 'text', text }]
    },
    'content',
  )

/** Calls that had no id are answered in order, as before. */
const idOf = ({ callId }: Call | Result): { id?: string } => (callId.startsWith(madeUp) ? {} : { id: callId })

const gemini: Writer = (messages) =>
  merged(
    messages,
    ({ role }) => (role === 'assistant' ? 'model' : 'user'),
    (part) => {
      if (part.type === 'tool-call') return [{ functionCall: { ...idOf(part), name: part.tool, args: argumentsOf(part) } }]
      if (part.type === 'tool-result')
        return [{ functionResponse: { ...idOf(part), name: part.tool, response: { [part.isError === true ? 'error' : 'output']: part.output } } }]
      const text = part.type === 'text' ? part.text : placeholder(part)
      return text === '' ? [] : [{ text }]
    },
    'parts',
  )

const responses: Writer = (messages) =>
  messages.flatMap(({ role, parts }) =>
    parts.flatMap((part): readonly Fields[] => {
      if (part.type === 'tool-call') return [{ type: 'function_call', call_id: part.callId, name: part.tool, arguments: part.input }]
      if (part.type === 'tool-result') return [{ type: 'function_call_output', call_id: part.callId, output: part.output }]
      const text = part.type === 'text' ? part.text : placeholder(part)
      const type = role === 'assistant' ? 'output_text' : 'input_text'
      return text === '' ? [] : [{ type: 'message', role: role === 'tool' ? 'user' : role, content: [{ type, text }] }]
    }),
  )

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

/** Formats of APIs and frameworks; logs of other programs are theirs to write. */
export const writers: Partial<Record<ForeignFormat['format'], Writer>> = {
  anthropic,
  gemini,
  langchain,
  'openai-responses': responses,
  'ui-messages': uiMessages,
}

/** Reads values and writes messages back: a value whose messages are all still there, one after another, as itself; what lies between by the writer. */
export function traced(
  read: (value: Fields) => readonly Message[],
  write: Writer | undefined,
): { readonly read: (value: unknown) => readonly Message[]; readonly write: (messages: readonly unknown[]) => readonly unknown[] } {
  const origins = new WeakMap<Message, { readonly value: unknown; readonly all: readonly Message[] }>()
  return {
    read(value) {
      const all = read(value as Fields)
      if (write !== undefined) for (const message of all) origins.set(message, { value, all })
      return all
    },
    write(messages) {
      if (write === undefined) return messages
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
