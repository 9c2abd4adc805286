import { recallTool } from '@precis/core'
import { attempt, createParagraphs } from '@precis/core/adapters'
import type { AgentItem } from '@precis/wire/openai-agents'

/** A call of our tool. */
export const isLookUp = ({ type, name }: AgentItem): boolean => type === 'function_call' && name === recallTool.name

/** A call that somebody has to answer: the agent, or we. What the provider runs by itself is none. */
export function isCall({ type = '', name, ...item }: AgentItem): boolean {
  if (type === 'hosted_tool_call') return name === 'mcp_approval_request'
  return type === 'program' || (type.endsWith('_call') && item['execution'] !== 'server')
}

/** What the provider knows by an id, or has sealed, and refuses without what it came with. A number is only its place in a stream of `aisdk()`. */
const isLinked = (item: AgentItem): boolean => {
  const { id, providerData } = item as { readonly id?: string; readonly providerData?: { readonly encrypted_content?: unknown } }
  return (id !== undefined && !/^\d+$/.test(id)) || providerData?.encrypted_content !== undefined
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
    const shown = withoutOurTool(item)
    if (!parted || item.type === 'hosted_tool_call') return [shown]
    const { id: _id, ...own } = shown
    return [own]
  })
}

/** Levels of a provider's reply that are looked through. */
const deepest = 6

/** What a provider said, as the SDK keeps it beside its items, without our tool: its calls and its definition. The same value where there is nothing of it. */
export function withoutOurTool<T>(value: T, levels: number = deepest): T {
  if (levels === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const left = value.filter((one) => !isOfOurTool(one)).map((one: unknown) => withoutOurTool(one, levels - 1))
    return left.length === value.length && left.every((one, at) => one === value[at]) ? value : (left as T)
  }
  const changed = Object.entries(value).flatMap(([name, own]: [string, unknown]) => {
    const left = withoutOurTool(own, levels - 1)
    return left === own ? [] : [[name, Array.isArray(left) && left.length === 0 ? undefined : left] as const]
  })
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

function isOfOurTool(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const {
    name,
    toolName,
    function: called,
  } = value as { readonly name?: unknown; readonly toolName?: unknown; readonly function?: { readonly name?: unknown } }
  return [name, toolName, called?.name].includes(recallTool.name)
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
  return attempt<unknown>(() => JSON.parse(written ?? '{}'), {})
}

/** Rounds as one reply. The SDK appends the texts of thoughts and words alone to each other, and takes the last text of any other reply. */
export function inOneReply(rounds: readonly (readonly AgentItem[])[]): readonly AgentItem[] {
  const items = rounds.flat()
  const joins =
    items.some(({ type }) => type === 'reasoning') && items.every(({ type, role }) => type === 'reasoning' || type === 'message' || role !== undefined)
  if (!joins || rounds.length < 2) return items
  const inParagraphs = createParagraphs()
  return rounds.flatMap((round, at) => round.map((item) => apart(item, (text) => inParagraphs(text, at))))
}

function apart(item: AgentItem, shownAs: (text: string) => string): AgentItem {
  const { content } = item
  if (item.type === 'reasoning' || !Array.isArray(content)) return item
  const shown = content.map((part: { readonly type?: string; readonly text?: string }) =>
    part.type === 'output_text' && part.text !== undefined ? { ...part, text: shownAs(part.text) } : part,
  )
  return shown.every(({ text }, at) => text === content[at]?.text) ? item : ({ ...item, content: shown } as AgentItem)
}

/** A reply of look-ups alone that nobody answers any more: the agent's step ends with it. */
export const endOfStep: AgentItem = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: '' }] }
