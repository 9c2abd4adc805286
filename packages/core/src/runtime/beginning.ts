import type { MessageCodec } from '../history/codec.ts'
import { fingerprint } from '../history/fingerprint.ts'
import type { Message } from '../history/message.ts'

/** Messages up to the model's first reply, all while there is none. */
export function beginningOf<M>(history: readonly M[], codec: MessageCodec<M>): readonly Message[] {
  const messages: Message[] = []
  for (const message of history) {
    messages.push(codec.read(message))
    if (messages.at(-1)?.role === 'assistant') break
  }
  return messages
}

/** The id of a conversation that nobody named. */
export function conversationId(messages: readonly Message[]): string {
  return `conversation-${fingerprint(messages)}`
}
