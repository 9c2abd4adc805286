import type { MessageCodec } from '../../history/codec.ts'
import { memoized } from '../../history/memoize.ts'
import { type Message, partText } from '../../history/message.ts'
import { sameValue } from '../../history/same-value.ts'

/**
 * Reads histories, each message once: a host may keep its objects or make them anew for every call. Recognizes histories that begin with what was handed out
 * before.
 */
export interface HistoryReader<M> {
  /** The full history behind what a framework hands over: some carry the compacted context forward and append to it. An array of its own: hosts append to theirs. */
  source(history: readonly M[]): readonly M[]
  /** @param source - An array that nobody changes afterwards. */
  read(source: readonly M[]): readonly Message[]
  /** Characters of what was read, about: what a conversation holds in memory. */
  size(): number
  /** Remembers what was handed out for which source. */
  handedOut(source: readonly M[], context: readonly M[]): void
}

export function createHistoryReader<M>(codec: MessageCodec<M>): HistoryReader<M> {
  const known = new WeakMap<object, Message>()
  let lastSource: readonly M[] = []
  let lastMessages: readonly Message[] = []
  let size = 0
  let given: { readonly source: readonly M[]; readonly context: readonly M[] } | undefined

  const readOne = (message: M): Message => {
    if (typeof message !== 'object' || message === null) return codec.read(message)
    return memoized(known, message, () => codec.read(message))
  }
  return {
    source(history) {
      if (given === undefined || given.context === given.source) return history.slice()
      const carried = startsWith(history, given.context)
      // A history that begins like the source is the source: its first messages may also be those of the context.
      return carried && !startsWith(history, given.source.slice(0, given.context.length))
        ? [...given.source, ...history.slice(given.context.length)]
        : history.slice()
    },
    read(source) {
      let same = 0
      const shared = Math.min(source.length, lastSource.length)
      while (same < shared && sameValue(source[same], lastSource[same])) same++
      if (same === source.length && same === lastSource.length) {
        lastSource = source
        return lastMessages
      }
      const messages = lastMessages.slice(0, same)
      for (let index = same; index < lastMessages.length; index++) size -= sizeOf(lastMessages[index] as Message)
      for (let index = same; index < source.length; index++) {
        messages.push(readOne(source[index] as M))
        size += sizeOf(messages[index] as Message)
      }
      lastSource = source
      lastMessages = messages
      return messages
    },
    size: () => size,
    handedOut(source, context) {
      given = { source, context: context === source ? source : context.slice() }
    },
  }
}

/** Characters for a message and each of its parts besides their texts. */
const around = 200

function sizeOf({ parts }: Message): number {
  return parts.reduce((sum, part) => sum + around + partText(part).length + (part.type === 'media' ? (part.bytes ?? 0) : 0), around)
}

function startsWith<M>(list: readonly M[], beginning: readonly M[]): boolean {
  return list.length >= beginning.length && beginning.every((item, at) => sameValue(list[at], item))
}
