// How one conversation is kept within a window: with Précis, with nothing, by cutting it, by the provider.
import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import type { LanguageModel, ModelMessage } from 'ai'

export type WayName = 'Précis' | 'nothing' | 'head and tail' | 'the provider'

/** What the agent loop is given. */
export interface Way {
  readonly model: Exclude<LanguageModel, string>
  readonly prepareStep?: (step: { readonly messages: readonly ModelMessage[] }) => { messages: ModelMessage[] }
  readonly providerOptions?: Readonly<Record<string, never>>
}

const sizeOf = (message: ModelMessage): number => JSON.stringify(message).length

/** The first message, and the newest that leave an eighth of the window for the reply: never between a call and its result. */
function headAndTail(messages: readonly ModelMessage[], window: number): ModelMessage[] {
  const [first, ...rest] = messages
  if (first === undefined) return []
  // Three characters a token: code and logs have more of them than prose.
  let left = window * 0.85 * 3 - sizeOf(first)
  let start = rest.length
  for (let at = rest.length - 1; at >= 0 && left > 0; at--) {
    left -= sizeOf(rest[at] as ModelMessage)
    if (left > 0 && rest[at]?.role !== 'tool') start = at
  }
  return [first, ...rest.slice(start)]
}

/** What turns the provider's own compaction on, where its client has a setting for that. */
function ownCompaction(provider: string, window: number): object | undefined {
  const threshold = Math.round(window * 0.8)
  if (provider.startsWith('openai.')) return { openai: { contextManagement: [{ type: 'compaction', compactThreshold: threshold }] } }
  if (provider.startsWith('anthropic.'))
    return { anthropic: { contextManagement: { edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: threshold } }] } } }
  return undefined
}

/** @returns undefined where this provider has no such way. */
export function wayOf(name: WayName, model: Way['model'], limits: { readonly contextWindow: number; readonly maxOutput: number }): Way | undefined {
  const window = limits.contextWindow
  switch (name) {
    case 'Précis':
      return { model: withCompaction(model, { limits, storage: memoryStorage() }) }
    case 'nothing':
      return { model }
    case 'head and tail':
      return { model, prepareStep: ({ messages }) => ({ messages: headAndTail(messages, window) }) }
    case 'the provider': {
      const providerOptions = ownCompaction(model.provider, window) as Way['providerOptions']
      return providerOptions === undefined ? undefined : { model, providerOptions }
    }
  }
}

export const ways: readonly WayName[] = ['Précis', 'nothing', 'head and tail', 'the provider']
