import { builtInEstimator, estimateMessage, type Message } from '@precis/core'
import { toAnthropic, validateAnthropic } from '../wire/anthropic.ts'
import { toGemini, validateGemini } from '../wire/gemini.ts'
import { toOpenAIChat, validateOpenAIChat } from '../wire/openai-chat.ts'
import { toOpenAIResponses, validateOpenAIResponses } from '../wire/openai-responses.ts'

/** The request bodies that every context is checked as. */
export const wireShapes = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const

/** One of them. */
export type WireShape = (typeof wireShapes)[number]

export class Refusal extends Error {
  readonly statusCode = 400
}

/** What a soak asks of its provider. */
export interface RefusingProvider {
  tokensOf(messages: readonly Message[]): number
  /** Tokens of the newest prompt, refused or not. */
  lastTokens(): number
  /** @throws Refusal for a prompt that is too long. */
  send(messages: readonly Message[]): void
  /** The agent gave up after a refusal. */
  giveUp(): void
  result(): { readonly invalid: Readonly<Record<WireShape, number>>; readonly overflows: number; readonly unrecovered: number }
}

/** A provider that counts with its own tokenizer and refuses in a real one's words. */
export function createProvider({
  window,
  skew,
  maxOutput,
  isMute,
}: {
  readonly window: number
  readonly skew: number
  readonly maxOutput: number
  readonly isMute: boolean
}): RefusingProvider {
  const invalid: Record<WireShape, number> = { 'openai-chat': 0, 'openai-responses': 0, anthropic: 0, gemini: 0 }
  let overflows = 0
  let unrecovered = 0
  let last = 0
  const known = new WeakMap<Message, number>()
  const tokensOf = (messages: readonly Message[]): number => {
    let total = 0
    for (const message of messages) {
      const tokens = known.get(message) ?? Math.ceil(estimateMessage(message, builtInEstimator) * skew)
      known.set(message, tokens)
      total += tokens
    }
    return total
  }
  return {
    tokensOf,
    lastTokens: () => last,
    send(messages) {
      if (validateOpenAIChat(toOpenAIChat(messages)).length > 0) invalid['openai-chat']++
      if (validateOpenAIResponses(toOpenAIResponses(messages)).length > 0) invalid['openai-responses']++
      if (validateAnthropic(toAnthropic(messages)).length > 0) invalid.anthropic++
      if (validateGemini(toGemini(messages)).length > 0) invalid.gemini++
      last = tokensOf(messages)
      if (last + maxOutput <= window) return
      overflows++
      throw new Refusal(isMute ? 'Your input exceeds the context window of this model' : `prompt is too long: ${last} tokens > ${window - maxOutput} maximum`)
    },
    giveUp: () => void unrecovered++,
    result: () => ({ invalid, overflows, unrecovered }),
  }
}
