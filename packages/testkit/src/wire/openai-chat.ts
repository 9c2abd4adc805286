import type { Message } from '@precis/core'
import { validateStrictFunctions } from './strict-functions.ts'
import type { Violation } from './violation.ts'

export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly { readonly id: string; readonly type?: string; readonly function: { readonly name: string; readonly arguments: string } }[]
  readonly tool_call_id?: string
}

/** Neutral messages as OpenAI Chat Completions takes them. */
export function toOpenAIChat(messages: readonly Message[]): readonly ChatMessage[] {
  const wire: ChatMessage[] = []
  for (const message of messages) {
    const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    if (message.role === 'tool') {
      for (const part of message.parts) if (part.type === 'tool-result') wire.push({ role: 'tool', tool_call_id: part.callId, content: part.output })
      continue
    }
    const toolCalls = message.parts.flatMap((part) =>
      part.type === 'tool-call' ? [{ id: part.callId, type: 'function', function: { name: part.tool, arguments: part.input } }] : [],
    )
    wire.push({ role: message.role, content: text, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) })
  }
  return wire
}

export interface ChatRequest {
  /** The request's own fields; undefined where it has none. */
  readonly tools?: readonly unknown[] | undefined
  readonly toolChoice?: unknown
}

/** What OpenAI Chat Completions refuses, in the order of the messages. */
export function validateOpenAIChat(messages: readonly ChatMessage[], { tools, toolChoice }: ChatRequest = {}): readonly Violation[] {
  const found: Violation[] = [...validateStrictFunctions(tools)]
  if (tools?.length === 0)
    found.push({ rule: 'tools-not-empty', message: "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead." })
  if (toolChoice != null && tools === undefined)
    found.push({ rule: 'choice-needs-tools', message: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified." })
  if (messages.length === 0) {
    found.push({ rule: 'not-empty', message: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead." })
  }
  let open: Set<string> | undefined
  let answered = new Set<string>()
  const close = (at: number): void => {
    if (open === undefined || open.size === 0) return
    found.push({
      rule: 'calls-answered',
      message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')} (before messages[${at}])`,
    })
    open = undefined
  }
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? ''
      if (open === undefined || !(open.has(id) || answered.has(id))) {
        found.push({
          rule: 'result-follows-call',
          message: `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${at}])`,
        })
      } else if (answered.has(id)) {
        found.push({ rule: 'one-result', message: `Duplicate value for 'tool_call_id' of '${id}' in message[${at}].` })
      }
      open?.delete(id)
      answered.add(id)
      return
    }
    close(at)
    open = undefined
    answered = new Set()
    if (message.tool_calls !== undefined) {
      const ids = message.tool_calls.map((call) => call.id)
      open = new Set(ids)
      if (open.size < ids.length) found.push({ rule: 'call-ids-unique', message: `Duplicate value for 'id' in messages[${at}].tool_calls.` })
    } else if (message.content === null || message.content === undefined) {
      found.push({ rule: 'content', message: `Invalid value for 'content': expected a string, got null. (messages[${at}].content)` })
    }
  })
  close(messages.length)
  return found
}
