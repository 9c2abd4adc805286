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
  readonly summary?: readonly { readonly text: string }[]
  readonly encrypted_content?: string
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

/**
 * What OpenAI Responses refuses of a stateless request.
 *
 * @param issued What each reasoning item came with: ids and call ids of the items behind it, by the reasoning item's id, where the provider knows it.
 */
export function validateOpenAIResponses(items: readonly ResponsesItem[], issued: ReadonlyMap<string, ReadonlySet<string>> = new Map()): readonly Violation[] {
  const found: Violation[] = []
  if (items.length === 0) found.push({ rule: 'not-empty', message: "One of 'input' or 'previous_response_id' or 'prompt' must be provided." })
  const called = new Set<string>()
  const answered = new Set<string>()
  const thought = new Set<string>()
  items.forEach((item, at) => {
    const id = item.call_id ?? ''
    if (item.type === 'function_call') called.add(id)
    if (item.type === 'function_call_output') {
      if (!called.has(id)) found.push({ rule: 'result-follows-call', message: `No tool call found for function call output with call_id ${id}.` })
      answered.add(id)
    }
    if (item.type === 'reasoning') {
      thought.add(item.id ?? '')
      if (!isFollowed(items, at, issued.get(item.id ?? '')))
        found.push({ rule: 'reasoning-followed', message: `Item '${item.id ?? ''}' of type 'reasoning' was provided without its required following item.` })
    } else if (item.id !== undefined) {
      const needed = [...issued].find(([, ids]) => ids.has(item.id as string))?.[0]
      if (needed !== undefined && !thought.has(needed))
        found.push({
          rule: 'item-with-reasoning',
          message: `Item '${item.id}' of type '${item.type}' was provided without its required 'reasoning' item: '${needed}'.`,
        })
    }
  })
  for (const id of called) if (!answered.has(id)) found.push({ rule: 'calls-answered', message: `No tool output found for function call ${id}.` })
  return found
}

/** What stands behind a reasoning item is the model's own, and of the same response where that is known. */
function isFollowed(items: readonly ResponsesItem[], at: number, own: ReadonlySet<string> | undefined): boolean {
  const next = own === undefined ? items[at + 1] : items.slice(at + 1).find(({ type }) => type !== 'reasoning')
  if (next === undefined || next.type === 'function_call_output' || (next.type === 'message' && next.role === 'user')) return false
  const names = [next.id, next.call_id].filter((name) => name !== undefined)
  return own === undefined || names.length === 0 || names.some((name) => own.has(name))
}
