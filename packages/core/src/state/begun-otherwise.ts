import { identifies } from '../history/digests.ts'
import { fingerprint, fingerprintOfParts } from '../history/fingerprint.ts'
import { hashOf } from '../history/hash.ts'
import { type Message, textOf } from '../history/message.ts'
import type { Redactor } from '../privacy/redactor.ts'
import type { Checkpoint } from './checkpoint.ts'
import { placedOn } from './placed.ts'

/** What a checkpoint knows of its beginning, to go on where the first message is another one. */
type Beginning = NonNullable<Checkpoint['began']>

/** Messages behind the first one that have to be the same, at least. */
const leastAlike = 4
/** Share of a sketch that two first messages have in common where one is the other with a clock or a memory changed in it. */
const leastShared = 0.5
/** Digits of one word, words of a sketch, and characters of a message that are looked at. */
const [digits, words, looked] = [3, 32, 20_000]

/** Index of the first message that says something; -1 where none does. */
const firstSaid = (messages: readonly Message[]): number => messages.findIndex(identifies)

/** What has to be the same: all that is covered behind the first message, and what that holds besides its words. */
function unchanging(messages: readonly Message[], first: number, covered: number): string {
  const { role, parts } = messages[first] as Message
  const besides = parts.filter(({ type }) => type !== 'text')
  return fingerprintOfParts(messages, first + 1, covered) + (besides.length > 0 ? fingerprint([{ role, parts: besides }]) : '')
}

/** How the first `covered` messages begin, where the first of them stays whole beside the summary: another one in its place is shown as it is. */
export function beginningOf(messages: readonly Message[], covered: number, kept: readonly number[], redact: Redactor): Beginning | undefined {
  const first = firstSaid(messages)
  return kept.includes(first) ? { behind: unchanging(messages, first, covered), sketch: sketchOf(messages[first] as Message, redact) } : undefined
}

/**
 * The newest checkpoint that applies to a history but for a part of its first message, as it lies on it: some hosts write a clock or what they remember into that,
 * anew each time. Everything behind it that the checkpoint covers is the same, and the first message itself is shown as it is now.
 */
export function begunOtherwise(checkpoints: readonly Checkpoint[], messages: readonly Message[], redact: Redactor): Checkpoint | undefined {
  const first = firstSaid(messages)
  if (first < 0) return undefined
  const sketch = sketchOf(messages[first] as Message, redact)
  for (const checkpoint of checkpoints.toReversed()) {
    const { began, covered } = checkpoint
    if (!began || covered <= first + leastAlike || covered >= messages.length || sharedBy(began.sketch, sketch) < leastShared) continue
    if (unchanging(messages, first, covered) === began.behind)
      return placedOn({ ...checkpoint, fingerprint: fingerprint(messages, covered), began: { ...began, sketch } }, messages)
  }
  return undefined
}

/** Of its words the smallest hashes: few bits each, and no numbers, so that nobody reads in it what the message says. */
function sketchOf(message: Message, redact: Redactor): string {
  const text = redact(textOf(message).slice(0, looked)).toLowerCase()
  const found = [...text.matchAll(/\p{L}+/gu)].map(([word]) => hashOf(word).slice(-digits))
  return [...new Set(found)].sort().slice(0, words).join('')
}

/** Which share of the smallest hashes of both together both have. */
function sharedBy(some: string, others: string): number {
  const [one, other] = [some, others].map((sketch) => new Set(sketch.match(/.{3}/g)))
  const all = [...new Set([...(one ?? []), ...(other ?? [])])].sort().slice(0, words)
  return all.filter((hash) => one?.has(hash) && other?.has(hash)).length / Math.max(1, all.length)
}
