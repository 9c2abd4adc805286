import { AIMessage, type BaseMessage, type ToolMessage } from '@langchain/core/messages'
import type { Tokens } from '@precis/core'
import { placeRounds, type RoundPlace } from '@precis/core/adapters'
import { callsOf, isOurs, newestRoundOnly } from './reply.ts'

/** Rounds of one call, as later requests show them: in memory only. */
export interface KeptRounds extends RoundPlace {
  /** Replies that only looked up, each with its answers. */
  readonly messages: readonly BaseMessage[]
  /** The reply that looked up beside calls of the agent, as it came, and the answers to ours. */
  readonly beside?: { readonly reply: AIMessage; readonly results: readonly ToolMessage[] }
  readonly tokens: Tokens
}

/** A context with the rounds that still belong to it, each where it was asked for. */
export function withRounds(rounds: readonly KeptRounds[], history: readonly BaseMessage[], context: readonly BaseMessage[]): BaseMessage[] {
  const shown = [...context]
  // From the end on: places before stay what they are.
  for (const { round, at } of placeRounds(rounds, history, context, (message) => message.getType()).toReversed()) {
    const reply = shown[at]
    if (!AIMessage.isInstance(reply)) continue
    const { beside, messages } = round
    if (beside !== undefined && asksTheSame(beside.reply, reply)) shown.splice(at, 1, beside.reply, ...beside.results)
    else if (messages.length > 0) shown[at] = newestRoundOnly(reply)
    shown.splice(at, 0, ...messages)
  }
  return shown
}

/** Whether the agent's calls are as the model made them: a person may have changed or refused one. */
function asksTheSame(before: AIMessage, now: AIMessage): boolean {
  const theirs = (message: AIMessage): string => JSON.stringify(callsOf(message).flatMap((call) => (isOurs(call) ? [] : [[call.id, call.name, call.args]])))
  return theirs(before) === theirs(now)
}
