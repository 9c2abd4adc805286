import type { Message, ToolCallPart, ToolResultPart } from './message.ts'

/** One call and the indices of the messages that answer it. */
export interface ToolPair {
  readonly callId: string
  readonly tool: string
  readonly input: string
  readonly providerExecuted: boolean
  readonly call: number
  /** Index of the message with the first result; undefined while unanswered. */
  result?: number
  /** Last index that belongs to it: result, approval, the call itself, or what it calls. */
  last: number
  readonly part: ToolCallPart
  /** What answers it first. */
  answer?: ToolResultPart
  /** The program that is said to have made it. */
  readonly by: ToolPair | undefined
}

/** Calls with their results, and what does not fit: the raw material of groups and of repair. */
export interface ToolPairing {
  readonly pairs: readonly ToolPair[]
  /** Results that answer no open call, or a call already answered. */
  readonly orphans: readonly { readonly index: number; readonly callId: string; readonly tool: string }[]
  /** Calls whose id is already in use by a call not yet answered. */
  readonly duplicates: readonly { readonly index: number; readonly callId: string }[]
}

/**
 * Pairs each result with the newest open call of the same id before it. Ids may be used again once answered
 * (some providers number calls anew in each turn). A program reaches to the last of what it calls.
 */
export function pairToolCalls(messages: readonly Message[]): ToolPairing {
  const newest = new Map<string, ToolPair>()
  const pairs: ToolPair[] = []
  const orphans: { index: number; callId: string; tool: string }[] = []
  const duplicates: { index: number; callId: string }[] = []
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (!('callId' in part)) continue
      const { callId } = part
      const known = newest.get(callId)
      const isOpen = known && known.result === undefined
      if (part.type === 'tool-call') {
        if (isOpen) {
          duplicates.push({ index, callId })
          continue
        }
        const { tool, input, providerExecuted = false } = part
        const pair: ToolPair = { callId, tool, input, providerExecuted, part, call: index, last: index, by: newest.get(part.caller as string) }
        pairs.push(pair)
        newest.set(callId, pair)
      } else if (part.type === 'tool-result' && !isOpen) orphans.push({ index, callId, tool: part.tool })
      else if (known) {
        known.last = index
        if (part.type === 'tool-result') {
          known.result = index
          known.answer = part
        }
      }
    }
  })
  // An id may have been another call's before: a program calls nothing once it has its result.
  for (const { by, call, last } of pairs) if (by && !((by.result as number) < call)) by.last = Math.max(by.last, last)
  return { pairs, orphans, duplicates }
}

/** The call with this id in one message. */
export function callIn(message: Message | undefined, callId: string): ToolCallPart | undefined {
  return message?.parts.find((part): part is ToolCallPart => part.type === 'tool-call' && part.callId === callId)
}

/** The result with this id in one message. */
export function resultIn(message: Message | undefined, callId: string): ToolResultPart | undefined {
  return message?.parts.find((part): part is ToolResultPart => part.type === 'tool-result' && part.callId === callId)
}

/** A call that was answered, with its first result, and the messages that hold them. */
interface AnsweredCall {
  readonly call: ToolCallPart
  readonly result: ToolResultPart
  readonly calledAt: number
  readonly answeredAt: number
}

/** All calls that were answered, oldest first. */
export function* answeredCalls(messages: readonly Message[]): Generator<AnsweredCall, void> {
  for (const { part, answer, call: calledAt, result: answeredAt } of pairToolCalls(messages).pairs)
    if (answer) yield { call: part, result: answer, calledAt, answeredAt: answeredAt as number }
}

/** Messages that live and die together: `start` inclusive, `end` exclusive. Groups partition the history in order. */
export interface Group {
  readonly start: number
  readonly end: number
  /** A call without its result at the end of the history: work in flight, never cut. */
  readonly pending: boolean
  /** Holds a provider's own compaction item: neither it nor anything before it is touched. */
  readonly barrier: boolean
}

/**
 * Splits a history into its smallest indivisible spans. A span reaches from a call to its last result or approval, and from
 * reasoning that stands alone to the end of its reply: OpenAI refuses each item of a reply without the reasoning before it.
 * Overlapping spans (parallel and interleaved calls) are one group.
 *
 * @returns Groups in order; together they hold each message exactly once.
 */
export function groupMessages(messages: readonly Message[], pairing: ToolPairing = pairToolCalls(messages)): readonly Group[] {
  const reach = new Uint32Array(messages.length)
  let thought = -1
  messages.forEach((message, index) => {
    const isThought = isReasoningOnly(message)
    reach[index] = isThought ? Math.min(index + 1, messages.length - 1) : index
    if (isThought) thought = index
    else if (message.role !== 'assistant') thought = -1
    else if (thought >= 0) reach[thought] = index
  })
  for (const pair of pairing.pairs) reach[pair.call] = Math.max(reach[pair.call] as number, pair.last)
  const inFlight = callsInFlight(messages, pairing)
  const groups: Group[] = []
  let start = 0
  let end = 0
  let pending = false
  let barrier = false
  messages.forEach((message, index) => {
    end = Math.max(end, (reach[index] as number) + 1)
    pending ||= inFlight.has(index)
    barrier ||= message.parts.some((part) => part.type === 'opaque' && part.barrier)
    if (index + 1 < end) return
    groups.push({ start, end, pending, barrier })
    start = end
    pending = false
    barrier = false
  })
  return groups
}

/** Reasoning without anything it belongs to: some providers send it as an item of its own, in front of the texts and calls. */
function isReasoningOnly(message: Message): boolean {
  return message.role === 'assistant' && message.parts.length > 0 && message.parts.every((part) => part.type === 'reasoning')
}

/** Indices of the messages with calls that may still be answered: unanswered, and nobody has spoken since but tools; or a program that called the newest of them. */
export function callsInFlight(messages: readonly Message[], pairing: ToolPairing): ReadonlySet<number> {
  const from = startOfPendingWork(messages)
  const open = pairing.pairs.filter((pair) => pair.result === undefined && (pair.providerExecuted ? pair.last : pair.call) >= from)
  return new Set(open.map((pair) => pair.call))
}

function startOfPendingWork(messages: readonly Message[]): number {
  let index = messages.length - 1
  while (messages[index]?.role === 'tool') index--
  // Calls may be spread over several assistant messages of one step (one item each).
  while (messages[index]?.role === 'assistant' && messages[index - 1]?.role === 'assistant') index--
  return index
}

/** Indices at which a history may be cut: before each group, and at its end. */
export function safeCuts(groups: readonly Group[]): readonly number[] {
  const cuts = groups.map((group) => group.start)
  cuts.push(groups.at(-1)?.end ?? 0)
  return cuts
}
