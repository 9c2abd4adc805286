import { recallTool } from '@precis/core'
import type { AgentItem } from './codec.ts'

/** A call of our tool. */
export const isLookUp = ({ type, name }: AgentItem): boolean => type === 'function_call' && name === recallTool.name

/** A call that somebody has to answer: the agent, or we. What the provider runs by itself is none. */
export function isCall({ type = '', name, ...item }: AgentItem): boolean {
  if (type === 'hosted_tool_call') return name === 'mcp_approval_request'
  return type === 'program' || (type.endsWith('_call') && item['execution'] !== 'server')
}

/** What the provider knows by an id, or has sealed, and refuses without what it came with. */
const isLinked = (item: AgentItem): boolean => {
  const { encrypted_content: sealed } = (item['providerData'] ?? {}) as { readonly encrypted_content?: unknown }
  return item['id'] !== undefined || sealed !== undefined
}

/**
 * A reply as the agent is given it, without the look-ups in it. A thought that led to one is refused without it: it goes too, and what else came with that thought
 * loses its id, by which the provider would ask for it. So the history is valid wherever it goes on, with us or without.
 */
export function withoutLookUps(output: readonly AgentItem[]): readonly AgentItem[] {
  if (!output.some(isLookUp)) return output
  let parted = false
  return output.flatMap((item, at) => {
    if (isLookUp(item)) return []
    if (item.type === 'reasoning') {
      const behind = output.slice(at + 1).filter(({ type }) => type !== 'reasoning')
      const next = isLinked(item) ? behind[0] : behind.find((one) => !isLookUp(one))
      parted = next === undefined || isLookUp(next)
      return parted ? [] : [item]
    }
    const shown = withoutCopies(item)
    if (!parted || item.type === 'hosted_tool_call') return [shown]
    const { id: _id, ...own } = shown
    return [own]
  })
}

/** Of a whole reply of Chat Completions the SDK keeps the provider's own list of calls beside the text. */
function withoutCopies(item: AgentItem): AgentItem {
  if (!Array.isArray(item.content)) return item
  const content = item.content.map((piece: { readonly providerData?: { readonly tool_calls?: unknown } } | null) => {
    const { tool_calls: calls, ...others } = piece?.providerData ?? {}
    if (!Array.isArray(calls)) return piece
    const left = calls.filter((one: { readonly function?: { readonly name?: unknown } } | null) => one?.function?.name !== recallTool.name)
    return { ...piece, providerData: { ...others, ...(left.length > 0 && { tool_calls: left }) } }
  })
  return content.every((piece, at) => piece === (item.content as readonly unknown[])[at]) ? item : { ...item, content }
}

/** Answers as the items that belong to their calls. */
export function resultsOf(calls: readonly AgentItem[], answers: readonly string[]): readonly AgentItem[] {
  return calls.map(({ callId = '' }, at) => ({
    type: 'function_call_result',
    callId,
    name: recallTool.name,
    status: 'completed',
    output: { type: 'text', text: answers[at] ?? '' },
  }))
}

/** Arguments as the model wrote them; what is no JSON looks nothing up. */
export function inputOf({ arguments: written }: AgentItem): unknown {
  try {
    return JSON.parse(written ?? '{}') as unknown
  } catch {
    return {}
  }
}

/** A reply of look-ups alone that nobody answers any more: the agent's step ends with it. */
export const endOfStep: AgentItem = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: '' }] }
