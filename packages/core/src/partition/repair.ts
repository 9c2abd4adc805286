import { perCall, perMessage, type TokenMemo } from '../budget/estimate.ts'
import { callsInFlight, pairToolCalls, resultIn, type ToolPairing } from '../history/groups.ts'
import { instructs, type Message, type Tokens, type ToolResultPart } from '../history/message.ts'

/** One thing that a provider would refuse, and what is done about it in what the model is sent. The history itself stays as it is. */
export type Repair =
  /** A result that answers nothing is left out. */
  | { readonly kind: 'orphan-result'; readonly index: number; readonly callId: string }
  /** A call that was never answered gets a result that says so, placed after message `after`. */
  | { readonly kind: 'unanswered-call'; readonly index: number; readonly callId: string; readonly tool: string; readonly after: number }
  /**
   * A result that came too late moves behind its call, after message `after`: its own text, or what an edit made of it. Where the assistant has spoken since,
   * the messages from `begin` to `after` move with it to where it came: no request may end with words of the assistant's.
   */
  | {
      readonly kind: 'late-result'
      readonly index: number
      readonly callId: string
      readonly tool: string
      readonly after: number
      readonly begin?: number
      readonly output: string
    }
  /** A message that holds nothing a provider accepts is left out. */
  | { readonly kind: 'empty-message'; readonly index: number }
  /** A message that uses a call id still in use is left out, with its results. */
  | { readonly kind: 'duplicate-call'; readonly index: number; readonly callId: string }

/** What a call without an answer is answered with. Says nothing that did not happen. */
export const missingResultText = '[No result was recorded for this call.]'

/**
 * Finds what is broken in a history, in both directions: results without calls, calls without results, results in the wrong place,
 * ids in use twice, empty messages. Calls at the very end are not broken: they are still being worked on.
 *
 * @param settled - Nothing is being worked on: a model is called with this history, and would be shown a call without an answer.
 * @returns Repairs in the order of their index; empty for a valid history.
 */
export function repairHistory(messages: readonly Message[], pairing: ToolPairing = pairToolCalls(messages), settled = false): readonly Repair[] {
  const repairs: Repair[] = []
  const dropped = new Set<number>()
  for (const { index, callId } of pairing.duplicates) {
    if (!dropped.has(index)) repairs.push({ kind: 'duplicate-call', index, callId })
    dropped.add(index)
  }
  for (const { index, callId } of pairing.orphans) repairs.push({ kind: 'orphan-result', index, callId })

  const inFlight = settled ? undefined : callsInFlight(messages, pairing)
  for (const { call, callId, tool, result, answer, providerExecuted } of pairing.pairs) {
    const after = endOfStep(messages, call)
    if (dropped.has(call)) {
      if (result !== undefined) repairs.push({ kind: 'orphan-result', index: result, callId })
    } else if (result === undefined) {
      if (!providerExecuted && !inFlight?.has(call)) repairs.push({ kind: 'unanswered-call', index: call, callId, tool, after })
    } else if (result > after && !providerExecuted) {
      const { output } = answer as ToolResultPart
      let begin = call
      while (messages[begin - 1]?.item) begin--
      repairs.push({ kind: 'late-result', index: result, callId, tool, after, output, ...(endsSpoken(messages, result) && { begin }) })
    }
  }
  messages.forEach((message, index) => {
    if (isEmpty(message)) repairs.push({ kind: 'empty-message', index })
  })
  return repairs.sort((left, right) => left.index - right.index)
}

/** Last message of the step that a call belongs to: the other items of the reply, then the tool messages. */
function endOfStep(messages: readonly Message[], call: number): number {
  let end = call
  while (messages[end + 1]?.item) end++
  while (messages[end + 1]?.role === 'tool') end++
  return end
}

/** Whether the last before a result was a reply of words alone. */
function endsSpoken(messages: readonly Message[], result: number): boolean {
  let at = result
  let last: Message
  do last = messages[--at] as Message
  while (last.role === 'tool' || isEmpty(last))
  while (messages[at - 1]?.item && callsNothing(last)) last = messages[--at] as Message
  return last.role === 'assistant' && callsNothing(last)
}

const callsNothing = ({ parts }: Message): boolean => parts.every((part) => part.type !== 'tool-call')

const missingResult: Message = { role: 'tool', parts: [{ type: 'tool-result', callId: '', tool: '', output: missingResultText }] }

/** Uncalibrated Tokens by which a repair makes its message smaller; less than none where it adds to it. */
export function freedByRepair(repair: Repair, message: Message, tokens: TokenMemo): Tokens {
  if (repair.kind === 'unanswered-call') return -tokens.of(missingResult)
  if (repair.kind === 'late-result') return -perMessage
  if (repair.kind !== 'orphan-result' || message.parts.length === 1) return tokens.of(message)
  return perCall + tokens.ofOutput(resultIn(message, repair.callId) as ToolResultPart)
}

function isEmpty(message: Message): boolean {
  return !instructs(message) && message.parts.every((part) => part.type === 'marker' || (part.type === 'text' && part.text === ''))
}
