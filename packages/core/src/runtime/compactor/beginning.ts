import type { MessageCodec } from '../../history/codec.ts'
import { identifies } from '../../history/digests.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'

/** Messages by which a conversation is told from others that begin like it. More, and its own forks and edits would be strangers. */
const telling = 6

/**
 * The id of a conversation that nobody named, and the one that it had while it said less: known by what was said before the model's first reply, then up to
 * that, and from the seventh message on by the first six. What is newest never counts then, as hosts append reminders and take them back.
 */
export function conversationIds<M>(history: readonly M[], codec: MessageCodec<M>): readonly [id: string, ...earlier: string[]] {
  const messages: Message[] = []
  const idOf = (count: number): string => `conversation-${fingerprint(messages, count)}`
  let [said, reply] = [0, 0]
  for (const one of history) {
    const message = codec.read(one)
    if (identifies(message) && ++said > telling && reply > 0) return [idOf(messages.length), idOf(reply)]
    messages.push(message)
    if (reply === 0 && message.role === 'assistant') reply = messages.length
  }
  return reply === 0 ? [idOf(messages.length)] : [idOf(reply), idOf(reply - 1)]
}
