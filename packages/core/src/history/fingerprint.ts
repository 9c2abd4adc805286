import { memoized } from './memoize.ts'
import { type ApprovalPart, instructs, type Message, type Part, type ToolResultPart } from './message.ts'
import type { Pieces } from './pieces.ts'
import { digestLength, digestOfHex, hexOf, putHex, sha256 } from './sha256.ts'

/** A list as it was read last, and the digest of each of its beginnings: their bytes, one digest after another. */
interface Chain {
  readonly messages: Message[]
  marks: Uint8Array
}

/** By the first message that says something: a list that goes on from there is read from where it is another. */
const chains = new WeakMap<Message, Chain>()
/** Of each message, the digests of its parts that say something, one after another. */
const digests = new WeakMap<Message, string>()
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
  return hexOf(markAt(chainOf(messages), Math.min(count, messages.length)))
}

/** How many of the messages, at least, say what has this fingerprint. @returns -1 when no beginning does. */
export function placeOf(messages: readonly Message[], fingerprint: string): number {
  const { marks } = chainOf(messages)
  const digest = bytesOf(digestOfHex(fingerprint), new Uint8Array(digestLength), 0)
  for (let place = 0; place <= messages.length; place++) {
    let at = 0
    while (at < digestLength && marks[place * digestLength + at] === digest[at]) at++
    if (at === digestLength) return place
  }
  return -1
}

/** The digest of each beginning, from none of the messages to all. It holds until another list is read that begins with the same message. */
function chainOf(messages: readonly Message[]): Chain {
  const first = messages.find(identifies)
  const chain = (first && chains.get(first)) ?? { messages: [], marks: bytesOf(nothing, new Uint8Array(digestLength * (messages.length + 1)), 0) }
  let same = 0
  while (same < messages.length && isAlike(chain.messages[same], messages[same] as Message)) same++
  if (same === chain.messages.length && same === messages.length) return chain
  chain.messages.length = same
  const size = digestLength * (messages.length + 1)
  if (size > chain.marks.length) {
    const { marks } = chain
    chain.marks = new Uint8Array(size + (size >> 3))
    chain.marks.set(marks)
  }
  const callsAt = new Map<string, number>()
  let mark = markAt(chain, same)
  for (const [at, message] of messages.entries()) {
    const distances = distancesIn(message, callsAt)
    if (at < same) continue
    mark = linked(message, mark, distances)
    bytesOf(mark, chain.marks, at + 1)
    chain.messages.push(message)
  }
  if (first !== undefined) chains.set(first, chain)
  return chain
}

function markAt({ marks }: Chain, place: number): string {
  return String.fromCharCode(...marks.subarray(place * digestLength, (place + 1) * digestLength))
}

function bytesOf(digest: string, marks: Uint8Array, place: number): Uint8Array {
  for (let at = 0; at < digestLength; at++) marks[place * digestLength + at] = digest.charCodeAt(at)
  return marks
}

/** Reads what was not read before, message by message: the fingerprint of a long history that is new to a process takes a while. */
export function* readForFingerprint(messages: readonly Message[]): Pieces<void> {
  const first = messages.find(identifies)
  const known = (first && chains.get(first))?.messages ?? []
  for (const [at, message] of messages.entries()) {
    if (known[at] === message) continue
    digestsOf(message)
    yield
  }
}

function isAlike(before: Message | undefined, message: Message): boolean {
  return before === message || (before !== undefined && !identifies(before) && !identifies(message))
}

/** Whether a message is part of what identifies a conversation. */
export function identifies(message: Message): boolean {
  return digestsOf(message) !== ''
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

function linked(message: Message, mark: string, distances: readonly number[]): string {
  const own = digestsOf(message)
  if (own === '') return mark
  let answered = 0
  return message.parts.filter(isSaid).reduce((chain, part, at) => {
    const distance = answers(part) ? `${distances[answered++]}` : ''
    putHex(chain, link, 0)
    putHex(own.slice(at * digestLength), link, 64)
    for (let digit = 0; digit < distance.length; digit++) link[128 + digit] = distance.charCodeAt(digit)
    return sha256(link.subarray(0, 128 + distance.length))
  }, mark)
}

/** What one part adds to a chain: two digests in digits, and how far back its call stands. */
const link = new Uint8Array(160)

function digestsOf(message: Message): string {
  return memoized(digests, message, () => {
    // A time, a place: instructions change from call to call.
    if (instructs(message)) return ''
    const each = message.parts.filter(isSaid).map((part) => sha256(field(message.role) + partFields(part)))
    return each.join('')
  })
}

function answers(part: Part): part is ToolResultPart | ApprovalPart {
  return part.type === 'tool-result' || part.type === 'approval'
}

/** Parts that hosts leave out or put in as they like say nothing of a conversation's identity. */
function isSaid(part: Part): boolean {
  return part.type !== 'reasoning' && part.type !== 'marker' && !(part.type === 'text' && part.text === '')
}

/** Every field carries its length: no two messages are the same bytes. */
function field(text: string): string {
  return `${text.length}:${text.length < longText ? text : digestOfText(text)}`
}

function partFields(part: Part): string {
  const fields = field(part.type)
  switch (part.type) {
    case 'text':
      return fields + field(part.text)
    case 'tool-call':
      return fields + field(part.tool) + field(part.input)
    case 'tool-result':
      return fields + field(part.tool) + field(part.isError === true ? 'error' : '') + field(part.output) + (part.attachments ?? []).map(partFields).join('')
    case 'approval':
      return fields + field(part.state)
    case 'media':
      return fields + field(part.mediaType) + field(part.name ?? '') + valueFields(unsigned(part.data) ?? part.bytes)
    case 'opaque':
      return fields + field(part.kind) + valueFields(part.value ?? part.size)
    case 'reasoning':
    case 'marker':
      return fields
  }
}

/** What storages put into a URL to sign it: the next look at the same file has others. AWS, Google, Azure, CloudFront. */
const signing = /^(?:x-(?:amz|goog)-.+|awsaccesskeyid|googleaccessid|signature|expires|policy|key-pair-id|sig|se|st|sp|sv|sr|spr|skoid|sktid|skt|ske|sks|skv)$/i

function unsigned(data: unknown): unknown {
  const text: unknown = typeof data === 'string' ? data : Reflect.get(Object(data), 'href')
  if (typeof text !== 'string' || text.length > 8_192 || !/^https?:/.test(text) || !text.includes('?')) return data
  const [place = '', query = ''] = text.split(/\?(.*)/s)
  const kept = query.split('&').filter((pair) => !signing.test(pair.split('=', 1)[0] as string))
  return kept.length === query.split('&').length ? data : [place, ...kept].join('?')
}

/** Any value of a framework, whole: bytes, URLs, objects whatever the order of their fields. Walks a list of its own: deep values need no deep stack. */
function valueFields(value: unknown): string {
  let fields = ''
  const open: unknown[] = [value]
  const places = new Map<object, number>()
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) {
      fields += field(typeof next) + field(String(next))
      continue
    }
    const place = places.get(next)
    if (place !== undefined) {
      fields += field(`again ${place}`)
      continue
    }
    places.set(next, places.size)
    if (next instanceof ArrayBuffer || ArrayBuffer.isView(next)) {
      fields += field('bytes') + field(digestOfBytes(next))
    } else if (typeof (next as { readonly toJSON?: unknown }).toJSON === 'function') {
      // Addresses and dates say what they are as JSON only.
      open.push((next as { toJSON(): unknown }).toJSON())
    } else if (Array.isArray(next)) {
      fields += field(`list ${next.length}`)
      for (let at = next.length - 1; at >= 0; at--) open.push(next[at])
    } else {
      const names = Object.keys(next).filter((name) => (next as Record<string, unknown>)[name] !== undefined)
      fields += field(`fields ${names.length}`)
      for (const name of names.sort().reverse()) open.push((next as Record<string, unknown>)[name], name)
    }
  }
  return fields
}

/** Characters from which on a text is hashed by itself, once: pictures come as base64 in message objects that frameworks make anew for every call. */
const longText = 16_384
/** Characters of all texts whose digests are remembered: so many are kept alive. */
const mostRemembered = 8_000_000
const textDigests = new Map<string, string>()
let rememberedText = 0
const bytesDigests = new WeakMap<object, string>()

function digestOfText(text: string): string {
  // What a broken host puts where a text belongs says nothing.
  if (typeof text !== 'string') return hexOf(sha256(''))
  const known = textDigests.get(text)
  if (known !== undefined) return known
  const digest = hexOf(sha256(text))
  if (text.length > mostRemembered) return digest
  textDigests.set(text, digest)
  rememberedText += text.length
  for (const [oldest] of textDigests) {
    if (rememberedText <= mostRemembered) break
    textDigests.delete(oldest)
    rememberedText -= oldest.length
  }
  return digest
}

function digestOfBytes(bytes: ArrayBuffer | ArrayBufferView): string {
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return memoized(bytesDigests, bytes, () => hexOf(sha256(view)))
}
