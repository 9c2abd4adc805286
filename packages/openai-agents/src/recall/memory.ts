import { fingerprint, type Message, type Tokens } from '@precis/core'
import { placeRounds, type RoundPlace } from '@precis/core/adapters'
import type { AgentItem } from '@precis/wire/openai-agents'

/** What one call came to: what the agent was given of it, and all of it, as it was sent and answered. In memory only. */
export interface KeptRounds extends RoundPlace {
  /** Items that the agent was given, and `fingerprint` of them: where the history has others there, nothing is shown. */
  readonly given: number
  readonly said: string
  /** These stand in their place. */
  readonly items: readonly AgentItem[]
  /** What they take more than those. */
  readonly tokens: Tokens
}

/** A context with the rounds that still belong to it, each in the place of what the agent was given of it. */
export function withRounds(
  rounds: readonly KeptRounds[],
  history: readonly AgentItem[],
  context: readonly AgentItem[],
  read: (item: AgentItem) => Message,
): readonly AgentItem[] {
  const shown = [...context]
  // From the end on: places before stay what they are.
  for (const { round, at } of placeRounds(rounds, history, context, (item) => read(item).role).toReversed()) {
    const given = history.slice(round.after, round.after + round.given)
    if (given.length < round.given || fingerprint(given.map(read)) !== round.said) continue
    // Arguments that are shown shorter stay so.
    const own = new Map(shown.slice(at, at + round.given).flatMap((item) => (item.callId === undefined ? [] : [[item.callId, item]])))
    shown.splice(
      at,
      round.given,
      ...round.items.map((item) => (item.type === 'function_call' ? { ...item, ...argumentsOf(own.get(item.callId ?? '')) } : item)),
    )
  }
  return shown
}

const argumentsOf = (item: AgentItem | undefined): Pick<AgentItem, 'arguments'> => (item?.arguments === undefined ? {} : { arguments: item.arguments })
