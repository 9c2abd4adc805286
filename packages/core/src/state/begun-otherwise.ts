import { identifies } from '../history/digests.ts'
import { fingerprint, placeBehind } from '../history/fingerprint.ts'
import { type Message, textOf } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import type { Checkpoint } from './checkpoint.ts'
import { placedOn } from './placed.ts'

type Beginning = NonNullable<Checkpoint['began']>

/** Messages behind the first one that have to be the same, at least. */
const leastAlike = 4
/** Share of a sketch that two first messages have in common where one is the other with a clock or a memory changed in it. */
const leastShared = 0.5
/** Characters of a run, hashes of a sketch, and characters of a message that are looked at. */
const [run, hashes, looked] = [4, 32, 20_000]

/** Index of the first message that says something; -1 where none does. */
const firstSaid = (messages: readonly Message[]): number => messages.findIndex(identifies)

/** How a history begins, where its first message stays whole beside the summary: another one in its place is shown as it is. */
export function beginningOf(messages: readonly Message[], kept: readonly number[]): Beginning | undefined {
  const first = firstSaid(messages)
  return kept.includes(first) ? beginningAt(messages, first) : undefined
}

const beginningAt = (messages: readonly Message[], first: number): Beginning => ({
  digest: fingerprint(messages, first + 1),
  sketch: sketchOf(textOf(messages[first] as Message).slice(0, looked)),
})

/**
 * The newest checkpoint that applies to a history but for a part of its first message, as it lies on it: some hosts write a clock or what they remember into that,
 * anew each time. Everything behind it that the checkpoint covers is the same, and the first message itself is shown as it is now.
 */
export function* begunOtherwise(checkpoints: readonly Checkpoint[], messages: readonly Message[]): Pieces<Checkpoint | undefined> {
  const first = firstSaid(messages)
  if (first < 0) return undefined
  const began = beginningAt(messages, first)
  for (const checkpoint of checkpoints.toReversed()) {
    const before = checkpoint.began
    if (before === undefined || sharedBy(before.sketch, began.sketch) < leastShared) continue
    const end = yield* placeBehind(messages, first, before.digest, checkpoint.fingerprint)
    if (end > first + leastAlike && end < messages.length) return placedOn({ ...checkpoint, fingerprint: fingerprint(messages, end), began }, messages)
  }
  return undefined
}

function sketchOf(text: string): string {
  const found = new Set<number>()
  for (let at = 0; at + run <= text.length; at++) {
    let hash = 0x811c9dc5
    for (let step = 0; step < run; step++) hash = Math.imul(hash ^ text.charCodeAt(at + step), 0x01000193)
    found.add((hash ^ (hash >>> 16)) & 0xffff)
  }
  return [...found]
    .sort((a, b) => a - b)
    .slice(0, hashes)
    .map((hash) => hash.toString(16).padStart(4, '0'))
    .join('')
}

/** Which share of the smallest hashes of both texts together both have. */
function sharedBy(some: string, others: string): number {
  const [one, other] = [some, others].map((sketch) => new Set(sketch.match(/.{4}/g)))
  const both = [...new Set([...(one ?? []), ...(other ?? [])])].sort().slice(0, hashes)
  return both.filter((hash) => one?.has(hash) && other?.has(hash)).length / Math.max(1, both.length)
}
