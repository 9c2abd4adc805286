import type { MessageCodec } from '../../../history/codec.ts'
import { type Message, mediaIn, type Part, partText } from '../../../history/message.ts'
import type { Pieces } from '../../../history/pieces.ts'
import { sameValue } from '../../../history/same-value.ts'
import { sumOf } from '../../../history/sum-of.ts'
import { marksOf } from '../../../state/forgotten.ts'

/**
 * Reads histories, each message once: a host may keep its objects or make them anew for every call. Recognizes histories that begin with what was handed out
 * before.
 */
export interface HistoryReader<M> {
  /** The full history behind what a framework hands over: some carry the compacted context forward and append to it. An array of its own: hosts append to theirs. */
  source(history: readonly M[]): readonly M[]
  /** @param source - An array that nobody changes afterwards. */
  read(source: readonly M[]): Pieces<readonly Message[]>
  /** Characters of what was read, about: what a conversation holds in memory. */
  size(): number
  /** What the history that was read last is known by once it is deleted. */
  said(): readonly string[]
  /** Remembers what was handed out for which source. */
  handedOut(source: readonly M[], context: readonly M[]): void
}

export function createHistoryReader<M>(codec: MessageCodec<M>): HistoryReader<M> {
  let lastSource: readonly M[] = []
  let lastMessages: readonly Message[] = []
  let size = 0
  let given: { readonly source: readonly M[]; readonly context: readonly M[] } = { source: lastSource, context: lastSource }

  return {
    source(history) {
      const { source, context } = given
      // A history that begins like the source is the source: its first messages may also be those of the context.
      const carried = context !== source && startsWith(history, context) && !startsWith(history, source.slice(0, context.length))
      return carried ? [...source, ...history.slice(context.length)] : history.slice()
    },
    *read(source) {
      const before = { source: lastSource, messages: lastMessages, size }
      // Most stand where they stood; objects that moved are known by themselves.
      let moved: Map<M, Message> | undefined
      let isOther = false
      const messages: Message[] = []
      for (const [at, message] of source.entries()) {
        if (at % readAtOnce === readAtOnce - 1) yield
        const stays = at < before.source.length && sameValue(message, before.source[at])
        if (at < before.source.length && !stays) moved ??= new Map(before.source.map((one, place) => [one, before.messages[place] as Message]))
        const said = stays ? (before.messages[at] as Message) : (moved?.get(message) ?? codec.read(message))
        const { protected: pinned = false } = said
        const isPinned = codec.protects?.(message) ?? pinned
        isOther ||= isPinned !== pinned
        messages.push(isPinned === pinned ? said : { ...said, protected: isPinned })
      }
      const known = moved === undefined && !isOther && messages.length >= before.messages.length ? before.messages.length : 0
      size = (known === 0 ? 0 : before.size) + sumOf(messages.slice(known), sizeOf)
      lastSource = source
      // The same messages are the same list: what was made of it holds.
      lastMessages = known > 0 && known === messages.length ? before.messages : messages
      return lastMessages
    },
    size: () => size,
    said: () => marksOf(lastMessages),
    handedOut(source, context) {
      // Where nothing of ours is in it, another conversation may begin so.
      const own = context !== source && new Set(source)
      given = { source, context: own && !context.every(own.has, own) ? context.slice() : source }
    },
  }
}

/** Messages that are compared, or read, in one piece. */
const readAtOnce = 256
/** Characters for a message and each of its parts besides their texts, and for each character of a text with what is remembered of it. */
const around = 200
const withMemory = 1.1

function sizeOf({ parts }: Message): number {
  return around + sumOf(parts, (part) => around + partText(part).length * withMemory + unread(part) + sumOf(mediaIn(part), ({ bytes = 0 }) => bytes))
}

/** Characters of what nothing is noted of. */
function unread(part: Part): number {
  return part.type === 'opaque' ? part.size : part.type === 'reasoning' ? part.text.length + (part.sealedSize ?? 0) : 0
}

function startsWith<M>(list: readonly M[], beginning: readonly M[]): boolean {
  return list.length >= beginning.length && beginning.every((item, at) => sameValue(list[at], item))
}
