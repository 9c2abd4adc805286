import { recallTool } from '@precis/core'
import type { RawCall, RawEvent, StreamEvent } from '../model-call.ts'
import { withoutOurTool } from './reply-items.ts'

/** Takes look-ups out of what the provider's stream says, in the three shapes in which the SDK hands it on. */
export interface RawFilter {
  take(event: StreamEvent): readonly StreamEvent[]
  /** What was held back at the end of a round, once it is known to be the last. `emptied`: no call is left in it. */
  rest(emptied: boolean): readonly StreamEvent[]
}

/** Numbers go on from round to round: events of two rounds are told apart by them. */
export function createRawFilters(): (round: number) => RawFilter {
  let [items, sequence] = [0, 0]
  return (round) => {
    const [itemsBefore, sequenceBefore] = [items, sequence]
    const withheld = new Set<unknown>()
    let held: StreamEvent[] | undefined
    const shown = (event: StreamEvent, raw: RawEvent): StreamEvent => (raw === event.event ? event : { ...event, event: raw })
    const numbered = (raw: RawEvent): RawEvent => {
      const [index, number] = [raw.output_index, raw.sequence_number]
      if (index !== undefined) items = Math.max(items, itemsBefore + index + 1)
      if (number !== undefined) sequence = Math.max(sequence, sequenceBefore + number + 1)
      if (round === 0) return raw
      return {
        ...raw,
        ...(index !== undefined && { output_index: itemsBefore + index }),
        ...(number !== undefined && { sequence_number: sequenceBefore + number }),
      }
    }
    return {
      take(event) {
        const raw = event.event
        if (event.type === 'response_started') return round === 0 ? [withoutOurTool(event)] : []
        if (event.type !== 'model' || raw === undefined || raw === null) return [event]
        if (round > 0 && /^response\.(?:created|in_progress|queued)$/.test(raw.type ?? '')) return []
        const own = raw.choices === undefined ? withoutItem(numbered(raw), raw, withheld) : withoutCalls(raw, withheld)
        if (own === undefined) return []
        // The end of a round says that calls follow, and is not the end of the reply.
        if (held !== undefined || raw.type === 'finish' || raw.choices?.some(({ finish_reason: reason }) => typeof reason === 'string') === true) {
          held = [...(held ?? []), shown(event, own)]
          return []
        }
        return [shown(event, own)]
      },
      rest: (emptied) => {
        const rest = held ?? []
        held = undefined
        return emptied ? rest.map((event) => (event.event === undefined ? event : { ...event, event: stopped(event.event) })) : rest
      },
    }
  }
}

/** Events of Responses, by the place of their item; parts of the AI SDK, by the id of their call. */
function withoutItem(own: RawEvent, raw: RawEvent, withheld: Set<unknown>): RawEvent | undefined {
  const isOurs = (item: { readonly name?: string } | undefined): boolean => item?.name === recallTool.name
  if (raw.output_index !== undefined) {
    if (isOurs(raw.item)) withheld.add(raw.output_index)
    return withheld.has(raw.output_index) ? undefined : own
  }
  const id = raw.toolCallId ?? raw.id
  if (id !== undefined && /^tool-/.test(raw.type ?? '')) {
    if (raw.toolName === recallTool.name) withheld.add(id)
    return withheld.has(id) ? undefined : own
  }
  return withoutOurTool(own)
}

/** A chunk of Chat Completions; undefined when it has nothing else to say. */
function withoutCalls(raw: RawEvent, withheld: Set<unknown>): RawEvent | undefined {
  const isOurs = ({ index, function: called }: RawCall): boolean => {
    if (called?.name === recallTool.name) withheld.add(index)
    return withheld.has(index)
  }
  let [taken, said] = [false, raw.usage != null]
  const choices = raw.choices?.map((choice) => {
    const { tool_calls: calls, ...others } = choice.delta ?? {}
    const left = calls?.filter((one) => !isOurs(one))
    const ours = left !== undefined && left.length < (calls?.length ?? 0)
    taken ||= ours
    said ||=
      typeof choice.finish_reason === 'string' || (left?.length ?? 0) > 0 || Object.entries(others).some(([name, value]) => name !== 'role' && Boolean(value))
    return ours ? { ...choice, delta: { ...others, ...(left.length > 0 && { tool_calls: left }) } } : choice
  })
  if (!taken || choices === undefined) return raw
  return said ? { ...raw, choices } : undefined
}

function stopped(raw: RawEvent): RawEvent {
  const choices = raw.choices?.map((choice) => (choice.finish_reason === 'tool_calls' ? { ...choice, finish_reason: 'stop' } : choice))
  return choices === undefined ? raw : { ...raw, choices }
}
