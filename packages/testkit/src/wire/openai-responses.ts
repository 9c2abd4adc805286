import type { Message } from '@precis/core'
import type { Violation } from './violation.ts'

export interface ResponsesItem {
  readonly type: string
  readonly id?: string
  readonly role?: string
  readonly call_id?: string
  readonly content?: unknown
  readonly output?: unknown
  readonly name?: string
  readonly arguments?: string
}

/** Neutral messages as OpenAI Responses takes them: one item a part. */
export function toOpenAIResponses(messages: readonly Message[]): readonly ResponsesItem[] {
  const items: ResponsesItem[] = []
  messages.forEach((message, at) => {
    for (const part of message.parts) {
      if (part.type === 'text') items.push({ type: 'message', role: message.role, content: part.text })
      else if (part.type === 'reasoning') items.push({ type: 'reasoning', id: `rs_${at}` })
      else if (part.type === 'tool-call') items.push({ type: 'function_call', call_id: part.callId, name: part.tool, arguments: part.input })
      else if (part.type === 'tool-result') items.push({ type: 'function_call_output', call_id: part.callId, output: part.output })
    }
  })
  return items
}

/** What OpenAI Responses refuses of a stateless request. */
export function validateOpenAIResponses(items: readonly ResponsesItem[]): readonly Violation[] {
  const found: Violation[] = []
  if (items.length === 0) found.push({ rule: 'not-empty', message: "One of 'input' or 'previous_response_id' or 'prompt' must be provided." })
  const called = new Set<string>()
  const answered = new Set<string>()
  items.forEach((item, at) => {
    const id = item.call_id ?? ''
    if (item.type === 'function_call') called.add(id)
    if (item.type === 'function_call_output') {
      if (!called.has(id)) found.push({ rule: 'result-follows-call', message: `No tool call found for function call output with call_id ${id}.` })
      answered.add(id)
    }
    if (item.type === 'reasoning') {
      const next = items[at + 1]
      const follows = next !== undefined && next.type !== 'function_call_output' && !(next.type === 'message' && next.role === 'user')
      if (!follows)
        found.push({ rule: 'reasoning-followed', message: `Item '${item.id ?? ''}' of type 'reasoning' was provided without its required following item.` })
    }
  })
  for (const id of called) if (!answered.has(id)) found.push({ rule: 'calls-answered', message: `No tool output found for function call ${id}.` })
  return found
}
