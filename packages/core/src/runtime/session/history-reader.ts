import type { MessageCodec } from '../../history/codec.ts'
import { memoized } from '../../history/memoize.ts'
import type { Message } from '../../history/message.ts'

/** Reads histories, each message object once, and recognizes histories that begin with what was handed out before. */
export interface HistoryReader<M> {
  /** A copy of the full history behind what a framework hands over: some carry the compacted context forward and append to it. */
  source(history: readonly M[]): readonly M[]
  read(source: readonly M[]): readonly Message[]
  /** Remembers what was handed out for which source. */
  handedOut(source: readonly M[], context: readonly M[]): void
}

export function createHistoryReader<M>(codec: MessageCodec<M>): HistoryReader<M> {
  const known = new WeakMap<object, Message>()
  let lastSource: readonly M[] = []
  let lastMessages: readonly Message[] = []
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
      while (same < shared && source[same] === lastSource[same]) same++
      if (same === source.length && same === lastSource.length) return lastMessages
      const messages = lastMessages.slice(0, same)
      for (let index = same; index < source.length; index++) messages.push(readOne(source[index] as M))
      // A copy: hosts append to their own array.
      lastSource = source.slice()
      lastMessages = messages
      return messages
    },
    handedOut(source, context) {
      given = { source, context: context === source ? source : context.slice() }
    },
  }
}

function startsWith<M>(list: readonly M[], beginning: readonly M[]): boolean {
  return list.length >= beginning.length && beginning.every((item, at) => list[at] === item)
}
