import { perCall, perMessage, type TokenMemo } from '../budget/estimate.ts'
import { callsInFlight, pairToolCalls, resultIn, type ToolPairing } from '../history/groups.ts'
import { instructs, isMarker, type Message, type Tokens } from '../history/message.ts'

/** One thing that a provider would refuse, and what is done about it in what the model is sent. The history itself stays as it is. */
export type Repair =
  /** A result that answers nothing is left out. */
  | { readonly kind: 'orphan-result'; readonly index: number; readonly callId: string }
  /** A call that was never answered gets a result that says so, placed after message `after`. */
  | { readonly kind: 'unanswered-call'; readonly index: number; readonly callId: string; readonly tool: string; readonly after: number }
  /** A result that came too late moves behind its call: its own text, or what an edit made of it. */
  | { readonly kind: 'late-result'; readonly index: number; readonly callId: string; readonly tool: string; readonly after: number; readonly output: string }
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
  for (const pair of pairing.pairs)
    if (dropped.has(pair.call) && pair.result !== undefined) {
      repairs.push({ kind: 'orphan-result', index: pair.result, callId: pair.callId })
    }
  for (const { index, callId } of pairing.orphans) repairs.push({ kind: 'orphan-result', index, callId })

  const inFlight = settled ? new Set<number>() : callsInFlight(messages, pairing)
  for (const pair of pairing.pairs) {
    if (pair.providerExecuted || dropped.has(pair.call)) continue
    const after = endOfResults(messages, pair.call)
    if (pair.result === undefined) {
      if (inFlight.has(pair.call)) continue
      repairs.push({ kind: 'unanswered-call', index: pair.call, callId: pair.callId, tool: pair.tool, after })
    } else if (pair.result > endOfStep(messages, pair.call)) {
      const output = resultIn(messages[pair.result], pair.callId)?.output ?? missingResultText
      repairs.push({ kind: 'late-result', index: pair.result, callId: pair.callId, tool: pair.tool, after, output })
    }
  }
  messages.forEach((message, index) => {
    if (isEmpty(message) && !dropped.has(index)) repairs.push({ kind: 'empty-message', index })
  })
  return repairs.sort((left, right) => left.index - right.index)
}

/** Last of the tool messages that follow a call's own message. */
function endOfResults(messages: readonly Message[], call: number): number {
  let end = call
  while (messages[end + 1]?.role === 'tool') end++
  return end
}

/** Last message of the step that a call belongs to: further calls of the same assistant (one item each, in some frameworks), then its tool messages. */
function endOfStep(messages: readonly Message[], call: number): number {
  let end = call
  while (messages[end + 1]?.role === 'assistant' && callsOnly(messages[end + 1])) end++
  return endOfResults(messages, end)
}

function callsOnly(message: Message | undefined): boolean {
  return message?.parts.every((part) => part.type === 'tool-call') ?? false
}

const missingResult: Message = { role: 'tool', parts: [{ type: 'tool-result', callId: '', tool: '', output: missingResultText }] }

/** Uncalibrated Tokens by which a repair makes its message smaller; less than none where it adds to it. */
export function freedByRepair(repair: Repair, message: Message, tokens: TokenMemo): Tokens {
  if (repair.kind === 'unanswered-call') return -tokens.of(missingResult)
  if (repair.kind === 'late-result') return -perMessage
  const orphan = repair.kind === 'orphan-result' && message.parts.length > 1 ? resultIn(message, repair.callId) : undefined
  return orphan === undefined ? tokens.of(message) : perCall + tokens.ofOutput(orphan)
}

function isEmpty(message: Message): boolean {
  return !instructs(message) && (isMarker(message) || message.parts.every((part) => part.type === 'text' && part.text === ''))
}
