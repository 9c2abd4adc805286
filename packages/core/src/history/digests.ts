import { bytesOf } from './bytes-of.ts'
import { asJson, isObject } from './json.ts'
import { memoized } from './memoize.ts'
import { type ApprovalPart, instructs, type Message, type Part, type ToolResultPart } from './message.ts'
import { omitUndefined } from './omit-undefined.ts'
import { hexOf, sha256 } from './sha256.ts'

/** Whether a message is part of what identifies a conversation: a time, a place, instructions change from call to call. */
export function identifies(message: Message): boolean {
  return !instructs(message) && message.parts.some(isSaid)
}

/** Indices of the messages that are. */
export const indicesOfSaid = (messages: readonly Message[]): readonly number[] => messages.flatMap((message, index) => (identifies(message) ? [index] : []))

/** The parts that say something of a conversation's identity. */
export function saidParts(message: Message): readonly Part[] {
  return instructs(message) ? [] : message.parts.filter(isSaid)
}

/** The digests of a message's parts that say something, one after another; empty where none does. */
export function digestsOf(message: Message): string {
  const each = saidParts(message).map((part) => sha256(field(message.role) + partFields(part)))
  return each.join('')
}

export function answers(part: Part): part is ToolResultPart | ApprovalPart {
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

/** A parameter, and the URL behind it, that is its signature, other at the next look at the same file: of AWS and Google, of CloudFront, Azure, Supabase. All else says what file it is. */
const signing =
  /^(?:x-(?:amz|goog)-[^=]+|awsaccesskeyid|googleaccessid|sig|signature|expires|key-pair-id)=.*[?&](?:x-(?:amz|goog)-)?sig(?:nature)?=|^policy=(?=.*[?&]signature=).*[?&]key-pair-id=|^s(?:[eprtv]|pr|k[estv]|k[ot]id)=(?=.*[?&]sig=)(?=.*[?&]sv=).*[?&]se=|^token=.*\/object\/sign\//i

function unsigned(data: unknown): unknown {
  const text: unknown = typeof data === 'string' ? data : Reflect.get(Object(data), 'href')
  if (typeof text !== 'string' || text.length > 8_192 || !/^https?:/.test(text)) return data
  const [place = '', query = ''] = text.split(/\?(.*)/s)
  const pairs = query.split('&')
  const kept = pairs.filter((pair) => !signing.test(pair + text))
  return kept.length === pairs.length ? data : [place, ...kept].join('?')
}

/** Any value of a framework, whole: bytes, URLs, objects whatever the order of their fields. Walks a list of its own: deep values need no deep stack. */
function valueFields(value: unknown): string {
  let fields = ''
  const open: unknown[] = [value]
  const places = new Map<object, number>()
  while (open.length > 0) {
    const next = open.pop()
    if (!isObject(next)) {
      fields += field(typeof next) + field(String(next))
      continue
    }
    const place = places.get(next)
    if (place !== undefined) {
      fields += field(`again ${place}`)
      continue
    }
    places.set(next, places.size)
    const bytes = bytesOf(next)
    const json = asJson(next)
    if (bytes) fields += field('bytes') + field(memoized(bytesDigests, next, () => hexOf(sha256(bytes))))
    else if (json) open.push(json())
    else if (Array.isArray(next)) {
      fields += field(`list ${next.length}`)
      for (let at = next.length - 1; at >= 0; at--) open.push(next[at])
    } else {
      const names = Object.keys(omitUndefined(next))
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
