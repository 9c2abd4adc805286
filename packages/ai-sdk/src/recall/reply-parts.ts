// A reply as later requests carry it, and the marks by which parts of a look-up's round are known in a stored conversation.

import { recallTool } from '@precis/core'
import { attempt, withoutParagraph } from '@precis/core/adapters'
import type { SdkMessage } from '@precis/wire/ai-sdk'
import type { ReplyPart, StreamPart } from '../provider-call.ts'

type PromptPart = Exclude<SdkMessage['content'], string>[number]

/** Our slot beside the provider's own. */
export const slot = 'precis'

/** A call that somebody has to answer: the agent, or we. */
export const isCall = ({ type, providerExecuted }: ReplyPart): boolean => type === 'tool-call' && providerExecuted !== true
/** What a reply waits for: the answer to a call, or a person's leave for what the provider will run. */
export const isAsked = (part: ReplyPart): boolean => isCall(part) || part.type === 'tool-approval-request'
export const isOurs = (part: ReplyPart): boolean => isCall(part) && part.toolName === recallTool.name

/** A reply as the assistant's message of the next request: what the provider signed or numbered goes back with it. */
export function toPrompt(content: readonly ReplyPart[]): SdkMessage {
  return { role: 'assistant', content: content.flatMap(promptPart) }
}

function promptPart(part: ReplyPart): readonly PromptPart[] {
  const { providerMetadata, ...rest } = part
  const own = { ...rest, ...(providerMetadata !== undefined && { providerOptions: providerMetadata }) }
  switch (part.type) {
    case 'source':
    case 'tool-approval-request':
      return []
    case 'text':
      return part.text === '' ? [] : [own]
    case 'tool-call':
      return [{ ...own, input: parsed(part.input) }]
    case 'tool-result': {
      const { result, isError, ...call } = own as typeof own & { readonly result?: unknown; readonly isError?: boolean }
      return [{ ...call, output: { type: isError === true ? 'error-json' : 'json', value: result ?? null } }]
    }
    default:
      return [own]
  }
}

/** Arguments as a prompt has them: what is no JSON cannot be sent back. */
export function parsed(input: unknown): unknown {
  return typeof input === 'string' ? attempt<unknown>(() => JSON.parse(input), {}) : (input ?? {})
}

/** The results of our calls, as one part each. */
export function toResults(calls: readonly ReplyPart[], answers: readonly string[]): readonly PromptPart[] {
  return calls.map(({ toolCallId, toolName }, at) => ({ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: answers[at] ?? '' } }))
}

/** A part that belongs to a later round of its call: in a stored message all before it was said before a look-up. */
export function marked<P extends ReplyPart>(part: P, round: number): P {
  return round === 0 ? part : { ...part, providerMetadata: { ...part.providerMetadata, [slot]: { ...part.providerMetadata?.[slot], round } } }
}

/** A thought or a text of which the provider knows no item any more: what it came with is not stored beside it. */
export function withoutItem<P extends ReplyPart>(part: P): P {
  return /^(?:text|reasoning)(?:-end)?$/.test(part.type) ? { ...part, providerMetadata: {} } : part
}

/** Look-ups are all that a reply asks for. */
export const looksUpOnly = (content: readonly ReplyPart[]): boolean => content.some(isOurs) && content.every((part) => !isAsked(part) || isOurs(part))

/**
 * A reply without its look-ups, where these are all that it called. What stands before the first of them, a thought or words, and all behind it loses its item;
 * what led to something else, a search of the provider's say, stays as it came.
 */
export function withoutLookUps<P extends ReplyPart>(content: readonly P[]): readonly P[] {
  const first = content.findIndex(isOurs)
  let begin = first
  if (content[first - 1]?.type === 'text') begin--
  else while (content[begin - 1]?.type === 'reasoning') begin--
  return content.flatMap((part, at) => (isOurs(part) ? [] : [at >= begin ? withoutItem(part) : part]))
}

/** A reply of which thoughts alone are left has nothing to be sent back. */
export const wordsOf = <P extends ReplyPart>(content: readonly P[]): readonly P[] => (content.every(({ type }) => type === 'reasoning') ? [] : content)

/** Parts of a stream that begin something which is stored, and those whose metadata would take the place of the beginning's. */
const beginnings = new Set(['text-start', 'reasoning-start', 'tool-call', 'file', 'reasoning-file', 'custom'])
const named = new Set(['text-start', 'text-delta', 'text-end', 'reasoning-start', 'reasoning-delta', 'reasoning-end'])

/** The same in a stream, where rounds may not share ids. */
export function markedInStream(part: StreamPart, round: number): StreamPart {
  if (round === 0) return part
  const own = named.has(part.type) ? { ...part, id: `${part.id}-${round}` } : part
  return beginnings.has(own.type) || (named.has(own.type) && own.providerMetadata !== undefined) ? marked(own, round) : own
}

const roundOf = (part: PromptPart): number => {
  const round = part?.providerOptions?.[slot]?.['round']
  return typeof round === 'number' ? round : 0
}

/** Where the newest round of an assistant's message begins; 0 where it has one alone. */
function newestRound(content: SdkMessage['content']): number {
  if (!Array.isArray(content)) return 0
  const newest = content.reduce((most, part) => Math.max(most, roundOf(part)), 0)
  return newest === 0 ? 0 : content.findIndex((part) => roundOf(part) === newest)
}

/** A thought of which the provider knows nothing any more. */
const isSpent = ({ type, providerOptions = {} }: PromptPart): boolean => type === 'reasoning' && Object.keys(providerOptions).every((name) => name === slot)

/** What may stand without what it came with. */
const independent = new Set(['text', 'file'])

/** A thought that is no item of its provider's: a signed one has to begin its message, an item stands right before what it led to. */
const isThought = ({ type, providerOptions }: PromptPart): boolean =>
  type === 'reasoning' && !Object.values(providerOptions ?? {}).some((own) => own?.['itemId'] !== undefined)

/**
 * A prompt in which nothing of a look-up's round is left but words and files, behind the thoughts of the newest one: its thoughts and its items are refused
 * without the call that they led to, and so is a message of spent thoughts alone. Follows from the prompt alone, so every process makes the same of it.
 */
export function withoutRounds(prompt: readonly SdkMessage[]): readonly SdkMessage[] {
  if (!prompt.some(({ role, content }) => role === 'assistant' && newestRound(content) > 0)) return prompt
  return prompt.flatMap((message) => {
    const begin = message.role === 'assistant' ? newestRound(message.content) : 0
    if (begin === 0 || typeof message.content === 'string') return [message]
    const before = message.content.slice(0, begin).flatMap((part) => {
      const { providerOptions: _items, ...plain } = part
      return independent.has(part.type) ? [plain as PromptPart] : []
    })
    const newest = message.content.slice(begin)
    const content = newest.toSpliced(newest.findLastIndex(isThought) + 1, 0, ...before)
    return content.every(isSpent) ? [] : [{ ...message, content }]
  })
}

/** A message without what was said before its newest round: that stands in the round itself. */
export function newestRoundOnly(message: SdkMessage): SdkMessage {
  if (typeof message.content === 'string') return message
  const newest = message.content.reduce((most, part) => Math.max(most, roundOf(part)), 0)
  const begin = newestRound(message.content)
  const own = message.content.filter((part, at) => at >= begin && (roundOf(part) === newest || !independent.has(part.type)))
  if (own.length === message.content.length) return message
  const first = own.findIndex(({ type }) => type === 'text')
  return { ...message, content: own.map((part, at) => (at === first ? { ...part, text: withoutParagraph(String(part['text'])) } : part)) }
}

/** A reply as one stream tells it. */
export function createCollector() {
  const parts: ReplyPart[] = []
  const open = new Map<string, number>()
  return {
    parts: parts as readonly ReplyPart[],
    add(part: StreamPart): void {
      const [, kind, event] = /^(text|reasoning)-(start|delta|end)$/.exec(part.type) ?? []
      const { providerMetadata } = part
      const metadata = providerMetadata === undefined ? {} : { providerMetadata }
      if (kind === undefined) {
        if (kept.has(part.type) && part.preliminary !== true) parts.push(part)
        return
      }
      const key = `${kind} ${part.id}`
      if (event === 'start') {
        open.set(key, parts.length)
        parts.push({ type: kind, text: '', ...metadata })
        return
      }
      const at = open.get(key)
      const before = at === undefined ? undefined : parts[at]
      if (at === undefined || before === undefined) return
      parts[at] = { ...before, text: `${before.text}${typeof part.delta === 'string' ? part.delta : ''}`, ...metadata }
    },
  }
}

const kept = new Set(['tool-call', 'tool-result', 'file', 'reasoning-file', 'custom', 'source', 'tool-approval-request'])
