import { memoized } from './memoize.ts'
import type { Message, Part } from './message.ts'
import { createSha256, type Sha256 } from './sha256.ts'

/** One message in a chain: the digest of what it says, and of all up to it where `before` was the chain so far. */
interface Link {
  readonly own: string
  before: string
  after: string
}

const links = new WeakMap<Message, Link>()

/**
 * Fingerprint of the first `count` messages: SHA-256 over roles, texts, tool names, call ids, arguments and results, media by their bytes, URL or file id, and
 * opaque items whole; no message ids and no times, which transports renew. Each message object is hashed once; then the digests are chained.
 *
 * @returns `count` and 64 hexadecimal digits, such as "12:9f3a…".
 */
export function fingerprint(messages: readonly Message[], count: number = messages.length): string {
  const end = Math.min(count, messages.length)
  let chain = ''
  for (let index = 0; index < end; index++) chain = linked(messages[index] as Message, chain)
  return `${end}:${chain === '' ? createSha256().hex() : chain}`
}

function linked(message: Message, before: string): string {
  const link = memoized(links, message, () => ({ own: digestOf(message), before: '', after: '' }))
  if (link.after === '' || link.before !== before) {
    link.before = before
    link.after = createSha256().text(before).text(link.own).hex()
  }
  return link.after
}

function digestOf(message: Message): string {
  const hash = createSha256()
  field(hash, message.role)
  for (const part of message.parts) addPart(hash, part)
  return hash.hex()
}

/** Every field carries its length: no two messages are the same bytes. */
function field(hash: Sha256, text: string): void {
  hash.text(`${text.length}:`).text(text.length < longText ? text : digestOfText(text))
}

function addPart(hash: Sha256, part: Part): void {
  field(hash, part.type)
  switch (part.type) {
    case 'text':
    case 'reasoning':
      field(hash, part.text)
      break
    case 'tool-call':
      field(hash, part.callId)
      field(hash, part.tool)
      field(hash, part.input)
      break
    case 'tool-result':
      field(hash, part.callId)
      field(hash, part.tool)
      field(hash, part.isError === true ? 'error' : '')
      field(hash, part.output)
      for (const attached of part.attachments ?? []) addPart(hash, attached)
      break
    case 'approval':
      field(hash, part.callId)
      field(hash, part.state)
      break
    case 'media':
      field(hash, part.mediaType)
      field(hash, part.name ?? '')
      addValue(hash, part.data ?? part.bytes)
      break
    case 'opaque':
      field(hash, part.kind)
      addValue(hash, part.value ?? part.size)
      break
    case 'marker':
      break
  }
}

/** Any value of a framework, whole: bytes, URLs, objects whatever the order of their fields. Walks a list of its own: deep values need no deep stack. */
function addValue(hash: Sha256, value: unknown): void {
  const open: unknown[] = [value]
  const places = new Map<object, number>()
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) {
      field(hash, typeof next)
      field(hash, String(next))
      continue
    }
    const place = places.get(next)
    if (place !== undefined) {
      field(hash, `again ${place}`)
      continue
    }
    places.set(next, places.size)
    if (next instanceof ArrayBuffer || ArrayBuffer.isView(next)) {
      field(hash, 'bytes')
      field(hash, digestOfBytes(next))
    } else if (typeof (next as { readonly toJSON?: unknown }).toJSON === 'function') {
      // Addresses and dates say what they are as JSON only.
      open.push((next as { toJSON(): unknown }).toJSON())
    } else if (Array.isArray(next)) {
      field(hash, `list ${next.length}`)
      for (let at = next.length - 1; at >= 0; at--) open.push(next[at])
    } else {
      const names = Object.keys(next).filter((name) => (next as Record<string, unknown>)[name] !== undefined)
      field(hash, `fields ${names.length}`)
      for (const name of names.sort().reverse()) open.push((next as Record<string, unknown>)[name], name)
    }
  }
}

/** Characters from which on a text is hashed by itself, once: pictures come as base64 in message objects that frameworks make anew for every call. */
const longText = 16_384
/** Characters of all texts whose digests are remembered: so many are kept alive. */
const mostRemembered = 8_000_000
const textDigests = new Map<string, string>()
let rememberedText = 0
const bytesDigests = new WeakMap<object, string>()

function digestOfText(text: string): string {
  const known = textDigests.get(text)
  if (known !== undefined) return known
  const digest = createSha256().text(text).hex()
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
  return memoized(bytesDigests, bytes, () => createSha256().bytes(view).hex())
}
