import type { MessageCodec } from '../../history/codec.ts'
import { identifies } from '../../history/digests.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'

/**
 * Messages by which a conversation is told from others that begin like it, as it grows: agents that are given one task begin with the same steps. More at once,
 * and its own forks and edits would be strangers.
 */
const telling = [6, 12, 24]

/**
 * The ids of a conversation that nobody named, the newest first: known by what was said before the model's first reply, then up to that, from the seventh
 * message on by the first six, then by twelve and by twenty-four. What is newest never counts then, as hosts append reminders and take them back.
 */
export function conversationIds<M>(history: readonly M[], codec: MessageCodec<M>): readonly [id: string, ...earlier: string[]] {
  const messages: Message[] = []
  const idOf = (count: number): string => `conversation-${fingerprint(messages, count)}`
  const grown: string[] = []
  let [said, reply] = [0, 0]
  for (const one of history) {
    const message = codec.read(one)
    if (identifies(message) && ++said > (telling[grown.length] as number) && reply > 0) grown.unshift(idOf(messages.length))
    if (grown.length === telling.length) break
    messages.push(message)
    if (reply === 0 && message.role === 'assistant') reply = messages.length
  }
  if (reply === 0) return [idOf(messages.length)]
  return [...grown, idOf(reply), ...(grown.length > 0 ? [] : [idOf(reply - 1)])] as [string, ...string[]]
}
