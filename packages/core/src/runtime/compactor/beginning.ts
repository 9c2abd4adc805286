import type { MessageCodec } from '../../history/codec.ts'
import { digestsOf, identifies } from '../../history/digests.ts'
import { fingerprint, fingerprintOfParts } from '../../history/fingerprint.ts'
import { type Message, textLength } from '../../history/message.ts'
import { unnamed } from '../../state/keys.ts'

/** Messages by which a conversation is told from others that begin like it. More, and its own forks and edits would be strangers. */
const telling = 6

/**
 * The id of a conversation that nobody named, and the one that it had while it said less: known by what was said before the model's first reply, then up to
 * that, and from the seventh message on by the second to the sixth: hosts write a clock or a memory into the first. What is newest never counts then, as hosts append
 * reminders and take them back.
 */
export function conversationIds<M>(history: readonly M[], codec: MessageCodec<M>): readonly [id: string, ...earlier: string[]] {
  const messages: Message[] = []
  const idOf = (count: number): string => unnamed(fingerprint(messages, count))
  let reply = 0
  for (const one of history) {
    const message = codec.read(one)
    if (!identifies(message)) continue
    if (messages.length >= telling && reply) return [unnamed(fingerprintOfParts(messages, 1, messages.length)), idOf(reply)]
    messages.push(message)
    if (message.role === 'assistant') reply ||= messages.length
  }
  return reply === 0 ? [idOf(messages.length)] : [idOf(reply), idOf(reply - 1)]
}

/** Messages by which conversations with one id are told apart. */
const most = 24
/** Fewer that could differ tell nothing: what is newest comes and goes. */
const fewest = 3

/** Characters of a message from which on it counts for nothing: every call would take as long as it takes to hash it. */
const huge = 100_000

/** What a conversation says at its beginning: a digest for each message. */
export type Sketch = readonly string[]

export function sketchOf<M>(history: readonly M[], codec: MessageCodec<M>): Sketch {
  const messages = history.slice(0, most).map((one) => codec.read(one))
  return messages.filter((message) => identifies(message) && textLength(message) < huge).map(digestsOf)
}

/**
 * How much two sketches may be of one conversation, a part of which was edited: from where they part, half of what both say is the same.
 *
 * @param strictly Nothing may be edited.
 * @returns 0 where they are of two.
 */
export function likeness(a: Sketch = [], b: Sketch = [], strictly: boolean): number {
  const both = Math.min(a.length, b.length)
  let apart = 0
  let again = 0
  for (let at = 0; at < both; at++) {
    if (a[at] !== b[at]) apart++
    else if (apart > 0) again++
  }
  return apart === 0 || (!strictly && (apart + again < fewest || again >= apart)) ? 1 + both - apart : 0
}
