import { binaryNote, findBinary } from './binary.ts'
import { jsonText } from './json.ts'
import type { MediaPart, OpaquePart, TextPart } from './message.ts'

/** A file, a picture or a recording as a framework has it. */
export interface Attachment {
  /** Where nobody says, a data URL does. */
  readonly mediaType?: string | undefined
  /** Bytes, base64, a data URL, a URL or a file id. */
  readonly data?: unknown
  readonly name?: string | undefined
}

/** Kinds of files that providers take as text, besides `text/…`. Pictures made of text are pictures. */
const textual = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|x-ndjson|csv|sql|javascript|typescript|x-sh)\b)/

/**
 * An attachment as planning sees it. A text file is the text that will be sent, so that it is counted, quoted and summarized like any other;
 * where its content is elsewhere, and for all other kinds, it is media.
 */
export function readAttachment({ mediaType: said, data, name }: Attachment): TextPart | MediaPart {
  const stated = typeof data === 'string' ? dataUrl.exec(data)?.[1] : undefined
  const known = said === undefined || said.endsWith('*') ? (stated ?? said ?? 'application/octet-stream') : said
  const mediaType = known.includes('/') ? known : `${known}/*`
  const text = textual.test(mediaType) ? textOfData(data) : undefined
  if (text !== undefined) return { type: 'text', text: name === undefined ? text : `${name}:\n${text}` }
  const bytes = bytesOfData(data)
  return {
    type: 'media',
    mediaType,
    ...(bytes !== undefined && { bytes }),
    ...(name !== undefined && { name }),
    ...(data !== undefined && { data }),
  }
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?[^,]*?(;base64)?,/
/** Other places that data may be in. */
const elsewhere = /^(?:[a-z][a-z0-9+.-]*:\/\/|file-[\w-]+$)/i

function textOfData(data: unknown): string | undefined {
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return decode(data)
  if (typeof data !== 'string' || elsewhere.test(data)) return undefined
  const lead = dataUrl.exec(data)
  if (lead !== null && lead[2] === undefined) return decodeURIComponentOr(data.slice(lead[0].length))
  const body = lead === null ? data : data.slice(lead[0].length)
  // What is no base64 is the text itself.
  if (body.length % 4 !== 0 || !/^[\w+/-]*={0,2}$/.test(body)) return data
  try {
    return decode(Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0)))
  } catch {
    return data
  }
}

function decode(bytes: ArrayBuffer | ArrayBufferView): string {
  return new TextDecoder().decode(bytes as Uint8Array) // the types of Node take no view of any kind
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function bytesOfData(data: unknown): number | undefined {
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return data.byteLength
  if (typeof data !== 'string' || elsewhere.test(data)) return undefined
  return Math.floor((data.length - (dataUrl.exec(data)?.[0].length ?? 0)) * 0.75)
}

/** What is known about an item that nobody reads. */
export interface OpaqueOptions {
  /** Stands for all before it: a provider's own compaction. */
  readonly barrier?: boolean
  /** Type of the data inside, where its kind says so: a generated image. Default: what the data begins like. */
  readonly mediaType?: string
}

/**
 * An item that planning keeps whole. Pictures and recordings inside it are counted as such and not by their letters; other data (encrypted content, say) is counted
 * by its length, as it is sent and billed. Total: a value that is no JSON counts by its type's name.
 */
export function readOpaque(kind: string, value: unknown, { barrier, mediaType }: OpaqueOptions = {}): OpaquePart {
  const { text, attachments } = readValue(value, mediaType)
  return { type: 'opaque', kind, size: text.length, value, ...(attachments.length > 0 && { attachments }), ...(barrier === true && { barrier }) }
}

/**
 * A value as JSON (a text as it is), with a note such as `[image/png, 4096 bytes, not shown as text]` in the place of each picture or recording, and these as `attachments`.
 * Total: what JSON cannot say is written as `jsonText` does.
 *
 * @param mediaType Type of the data inside, where the caller knows it. Default: what the data begins like.
 */
export function readValue(value: unknown, mediaType?: string): { readonly text: string; readonly attachments: readonly MediaPart[] } {
  const attachments: MediaPart[] = []
  const attach = (found: string, data: unknown, bytes: number): string => {
    attachments.push({ type: 'media', mediaType: found, bytes, data })
    return binaryNote({ mediaType: found, bytes })
  }
  function read(this: unknown, name: string, inner: unknown): unknown {
    // A Buffer has been written as JSON by now.
    const raw = (this as Readonly<Record<string, unknown>>)[name]
    if (raw instanceof ArrayBuffer || ArrayBuffer.isView(raw)) return attach(mediaType ?? 'application/octet-stream', raw, raw.byteLength)
    if (typeof inner !== 'string' || inner.length < 256) return inner
    if (mediaType !== undefined && /^[\w+/-]+={0,2}$/.test(inner)) return attach(mediaType, inner, Math.floor(inner.length * 0.75))
    const [run] = findBinary(inner)
    const whole = run !== undefined && run.start === 0 && run.end === inner.length
    return whole && run.mediaType !== undefined ? attach(run.mediaType, inner, run.bytes) : inner
  }
  try {
    return { text: typeof value === 'string' ? value : (JSON.stringify(value, read) ?? 'null'), attachments }
  } catch {
    return { text: jsonText(value), attachments: [] }
  }
}
