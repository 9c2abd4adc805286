import { type Message, type MessageCodec, neutralCodec } from '@precis/core'
import type { AdapterUnderTest } from '../adapter-case.ts'
import { byPart, joined } from '../adapter-cases.ts'

/** A framework's way of writing messages. */
export interface Framework {
  readonly codec: MessageCodec<unknown>
  make(history: readonly Message[]): readonly unknown[]
  read(messages: readonly unknown[]): readonly Message[]
}

/** The framework's messages for neutral ones, each made once, and the way back. */
export function frameworkOf(adapter: AdapterUnderTest<never> | undefined): Framework {
  if (adapter === undefined) {
    const same = (messages: readonly unknown[]): readonly Message[] => messages as readonly Message[]
    return { codec: neutralCodec as MessageCodec<unknown>, make: (history) => history, read: same }
  }
  const { codec, make, splits } = adapter as unknown as AdapterUnderTest<unknown>
  const made = new WeakMap<Message, readonly unknown[]>()
  const makeOne = (message: Message): readonly unknown[] => {
    const pieces = splits === 'parts' || (splits === 'results' && message.role === 'tool') ? byPart(message) : [message]
    const own = made.get(message) ?? pieces.map(make)
    made.set(message, own)
    return own
  }
  const known = new WeakMap<object, Message>()
  const readOne = (message: unknown): Message => {
    const read = known.get(message as object) ?? codec.read(message)
    known.set(message as object, read)
    return read
  }
  return {
    codec,
    make: (history) => history.flatMap(makeOne),
    read: (messages) => joined(messages.map(readOne), splits === undefined ? {} : { splits }),
  }
}
