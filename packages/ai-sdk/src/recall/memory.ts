import type { Tokens } from '@precis/core'
import { placeRounds, type RoundPlace } from '@precis/core/adapters'
import type { SdkMessage } from '@precis/wire/ai-sdk'
import { givenBack } from './lent-signature.ts'
import { newestRoundOnly } from './reply-parts.ts'

type PromptPart = Exclude<SdkMessage['content'], string>[number]

/** Rounds of one call, as later requests show them: in memory only. */
export interface KeptRounds extends RoundPlace {
  /** Replies that only looked up, each with its answers. */
  readonly messages: readonly SdkMessage[]
  /** Look-ups beside calls of the agent: they stand in the message that the agent was given. */
  readonly beside?: {
    /** Each before the agent's call with this id; undefined: behind all. */
    readonly calls: readonly { readonly part: PromptPart; readonly before: string | undefined }[]
    readonly results: readonly PromptPart[]
  }
  readonly tokens: Tokens
}

/** A context with the rounds that still belong to it, each where it was asked for. */
export function withRounds(rounds: readonly KeptRounds[], history: readonly SdkMessage[], context: readonly SdkMessage[]): SdkMessage[] {
  const shown = [...context]
  // From the end on: places before stay what they are.
  for (const { round, at } of placeRounds(rounds, history, context, ({ role }) => role).toReversed()) {
    const [reply, results] = [shown[at], shown[at + 1]]
    if (reply?.role === 'assistant') {
      const own = round.messages.length > 0 ? newestRoundOnly(reply) : reply
      if (round.beside !== undefined && results?.role === 'tool' && Array.isArray(own.content)) {
        shown[at] = { ...own, content: withCalls(own.content as readonly PromptPart[], round.beside.calls) }
        shown[at + 1] = { ...results, content: [...(results.content as readonly PromptPart[]), ...round.beside.results] }
      } else shown[at] = own
    }
    shown.splice(at, 0, ...round.messages)
  }
  return shown
}

function withCalls(content: readonly PromptPart[], calls: NonNullable<KeptRounds['beside']>['calls']): readonly PromptPart[] {
  const result = content.map(givenBack)
  for (const { part, before } of calls) {
    const at = before === undefined ? -1 : result.findIndex((one) => one.type === 'tool-call' && one['toolCallId'] === before)
    result.splice(at < 0 ? result.length : at, 0, part)
  }
  return result
}
