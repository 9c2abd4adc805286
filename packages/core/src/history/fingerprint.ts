import { answers, digestsOf, identifies, saidParts } from './digests.ts'
import { instructs, type Message, textLength } from './message.ts'
import type { Pieces } from './pieces.ts'
import { bytesOfHex, digestLength, flat, hexOf, putHex, sha256 } from './sha256.ts'
import { sumOf } from './sum-of.ts'

/** A list as it was read last: what was found of it lies in bytes, one digest after another, as a text for each message would take twice as much. */
interface Chain {
  readonly messages: Message[]
  /** The digest of each beginning, from none of the messages on. */
  marks: Uint8Array
  /** The digests of all parts that say something, and how many there are. */
  parts: Uint8Array
  count: number
}

/** By the first message that says something: a list that goes on from there is read from where it is another. */
const chains = new WeakMap<Message, Chain>()
/** Of messages that are in no chain yet, or not any more, the digests of their parts. */
const loose = new WeakMap<Message, string>()
const nothing = sha256('')

/**
 * Fingerprint of the first `count` messages: SHA-256 over what a conversation says, so that any process that is given it recognizes it.
 *
 * In: who speaks, texts, tool names, arguments, results and which call they answer, media by their bytes, URL or file id, opaque items whole.
 * Out: system and developer messages, reasoning, ids, times, provider options, cache marks, how parts are packed into messages, signatures in URLs.
 *
 * @returns 64 hexadecimal digits.
 */
export function fingerprint(messages: readonly Message[], count: number = messages.length): string {
  const length = Math.min(count, messages.length)
  return hexOf(textAt(chainOf(messages, length).marks, length))
}

/** How many of the messages, at least, say what has this fingerprint. @returns -1 when no beginning does. */
export function placeOf(messages: readonly Message[], fingerprint: string): number {
  const { marks } = chainOf(messages, messages.length)
  const digest = bytesOfHex(fingerprint)
  for (let place = 0; place <= messages.length; place++) {
    let at = 0
    while (at < digestLength && marks[place * digestLength + at] === digest[at]) at++
    if (at === digestLength) return place
  }
  return -1
}

/** Fingerprint of the parts that messages say from one up to, but not with, another, whatever stands before them. @returns 64 hexadecimal digits. */
export function fingerprintOfParts(messages: readonly Message[], from: number, to: number): string {
  const { parts } = chainOf(messages, to)
  return hexOf(sha256(parts.subarray(partsIn(messages, from) * digestLength, partsIn(messages, to) * digestLength)))
}

/** Fingerprints of the parts that so many messages in a row say, for each of them that as many stand from on. @param said - Indices of messages that say something, in order, none left out. */
export function fingerprintsOfRows(messages: readonly Message[], said: readonly number[], row: number): readonly string[] {
  const { parts } = chainOf(messages, (said.at(-1) ?? -1) + 1)
  let end = partsIn(messages, said[0] ?? 0)
  const ends = [end, ...said.map((index) => (end += saidParts(messages[index] as Message).length))]
  return ends.slice(0, -row).map((begin, at) => hexOf(sha256(parts.subarray(begin * digestLength, (ends[at + row] as number) * digestLength))))
}

/** How many parts the first messages say. */
const partsIn = (messages: readonly Message[], count: number): number => sumOf(messages.slice(0, count), (message) => saidParts(message).length)

/** The chain of a list, with as many of its messages at least. It holds until another list is read that begins with the same message. */
function chainOf(messages: readonly Message[], length: number): Chain {
  const { chain, same } = begun(messages)
  if (same >= length) return chain
  const read = messages.slice(0, length)
  chain.marks = withRoom(chain.marks, length + 1)
  chain.parts = withRoom(chain.parts, chain.count + partsIn(read.slice(same), length))
  const callsAt = new Map<string, number>()
  let mark = textAt(chain.marks, same)
  for (const [at, message] of read.entries()) {
    const distances = distancesIn(message, callsAt)
    if (at < same) continue
    const own = loose.get(message) ?? digestsOf(message)
    mark = linked(message, own, mark, distances)
    putBytes(mark, chain.marks, at + 1)
    putBytes(own, chain.parts, chain.count)
    chain.count += own.length / digestLength
    chain.messages.push(message)
    loose.delete(message)
  }
  const first = messages.find(identifies)
  if (first) chains.set(first, chain)
  return chain
}

/** The chain that a list goes on from, and how many of its messages are the list's own: the others leave it, where the list has others in their place. */
function begun(messages: readonly Message[]): { readonly chain: Chain; readonly same: number } {
  const first = messages.find(identifies)
  const chain = (first && chains.get(first)) ?? { messages: [], marks: putBytes(nothing, new Uint8Array(digestLength), 0), parts: new Uint8Array(), count: 0 }
  let same = 0
  while (same < messages.length && isAlike(chain.messages[same], messages[same] as Message)) same++
  if (same === messages.length) return { chain, same }
  while (chain.messages.length > same) {
    const message = chain.messages.pop() as Message
    const end = chain.count
    chain.count -= saidParts(message).length
    loose.set(message, textAt(chain.parts, chain.count, end))
  }
  return { chain, same }
}

/** Some digests of a row, as a text. */
function textAt(bytes: Uint8Array, from: number, to: number = from + 1): string {
  return flat(bytes.subarray(from * digestLength, to * digestLength))
}

function putBytes(digests: string, bytes: Uint8Array, place: number): Uint8Array {
  for (let at = 0; at < digests.length; at++) bytes[place * digestLength + at] = digests.charCodeAt(at)
  return bytes
}

/** Bytes for so many digests, and for some more in a list that grows. */
function withRoom(bytes: Uint8Array, digests: number): Uint8Array {
  const size = digestLength * digests
  if (size <= bytes.length) return bytes
  const moved = new Uint8Array(size * 1.06)
  moved.set(bytes)
  return moved
}

/** Characters that are read in one piece, about. */
const readAtOnce = 300_000
/** What a message takes besides its texts, as characters. */
const around = 300

/** Reads what was not read before, piece by piece: the fingerprint of a long history that is new to a process takes a while. */
export function* readForFingerprint(messages: readonly Message[]): Pieces<void> {
  for (let read = begun(messages).same; read < messages.length; ) {
    for (let size = 0; read < messages.length && size < readAtOnce; read++) size += around + textLength(messages[read] as Message)
    chainOf(messages, read)
    yield
  }
}

function isAlike(before: Message | undefined, message: Message): boolean {
  return before === message || (before !== undefined && !identifies(before) && !identifies(message))
}

/** How far back the calls stand that a message's results answer. */
function distancesIn(message: Message, callsAt: Map<string, number>): readonly number[] {
  const distances: number[] = []
  for (const part of instructs(message) ? [] : message.parts) {
    if (answers(part)) distances.push(callsAt.size - (callsAt.get(part.callId) ?? callsAt.size))
    else if (part.type === 'tool-call') callsAt.set(part.callId, callsAt.size)
  }
  return distances
}

function linked(message: Message, own: string, mark: string, distances: readonly number[]): string {
  if (own === '') return mark
  let answered = 0
  return saidParts(message).reduce((chain, part, at) => {
    const distance = answers(part) ? `${distances[answered++]}` : ''
    putHex(chain, digits, 0)
    putHex(own.slice(at * digestLength), digits, digestLength)
    for (let digit = 0; digit < distance.length; digit++) link[128 + digit] = distance.charCodeAt(digit)
    return sha256(link.subarray(0, 128 + distance.length))
  }, mark)
}

/** What one part adds to a chain: two digests in digits, and how far back its call stands. */
const link = new Uint8Array(160)
const digits = new Uint16Array(link.buffer)
