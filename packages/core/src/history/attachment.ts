import { attempt } from './attempt.ts'
import { binaryNote, findBinary } from './binary.ts'
import { bytesOf } from './bytes-of.ts'
import { jsonText } from './json.ts'
import type { MediaPart, OpaquePart, TextPart } from './message.ts'
import { omitUndefined } from './omit-undefined.ts'

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
  return mediaPart(mediaType, data, bytesOfData(data), name)
}

/** Where a document's bytes are at hand, its pages are counted once, when somebody asks. */
function mediaPart(mediaType: string, data: unknown, bytes: number | undefined, name?: string): MediaPart {
  const part = { type: 'media', mediaType, ...omitUndefined({ bytes, name, data }) } as const
  if (bytes === undefined || mediaType !== 'application/pdf') return part
  let pages: number | undefined
  return {
    ...part,
    get pages() {
      pages ??= pagesIn(data as string | Uint8Array, bytes)
      return pages
    },
  }
}

/** Bytes, or letters of base64, that are looked at from either end of a long document: in all three milliseconds or less. */
const looked = 262_144
/** Most pages that a provider reads: Gemini's. */
const mostPages = 1_000
/** Bytes of a page where nothing says how many there are: what says it may be compressed. */
const pageBytes = 200_000
/** A page; how many a page tree has; how many the first object of a document for the web says it has. */
const pageMarks = /\/Type\s*\/Page\b|\/(?:Count|N(?=\s+\d+\s*\/T\s))\s+(\d+)/g

/** Pages of a PDF. Where its marks are compressed, or its data is of another alphabet: at least three, by its size. */
function pagesIn(data: string | Uint8Array, bytes: number): number {
  const start = typeof data === 'string' ? leadOf(data) : 0
  const ends = () => (bytes > 2 * looked ? [data.slice(start, start + looked), data.slice(-looked)] : [data.slice(start)])
  const text = attempt(
    () =>
      ends()
        .map((end) => (typeof end === 'string' ? atob(end) : decode(end, 'latin1')))
        .join(''),
    '',
  )
  const counts = Array.from(text.matchAll(pageMarks), ([, count = 0]) => Number(count))
  return Math.min(mostPages, Math.max(counts.filter((count) => count === 0).length, ...counts) || Math.max(3, Math.round(bytes / pageBytes)))
}

const leadOf = (data: string): number => dataUrl.exec(data)?.[0].length ?? 0

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?[^,]*?(;base64)?,/
/** Other places that data may be in. */
const elsewhere = /^(?:[a-z][a-z0-9+.-]*:\/\/|file-[\w-]+$)/i

function textOfData(data: unknown): string | undefined {
  const bytes = bytesOf(data)
  if (bytes) return decode(bytes)
  if (typeof data !== 'string' || elsewhere.test(data)) return undefined
  const [lead = '', , isBase64] = dataUrl.exec(data) ?? []
  const body = data.slice(lead.length)
  if (lead !== '' && isBase64 === undefined) return attempt(() => decodeURIComponent(body), body)
  // What is no base64 is the text itself.
  if (body.length % 4 !== 0 || !/^[\w+/-]*={0,2}$/.test(body)) return data
  return attempt(() => decode(Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0))), data)
}

function decode(bytes: Uint8Array, letters?: 'latin1'): string {
  return new TextDecoder(letters).decode(bytes)
}

function bytesOfData(data: unknown): number | undefined {
  if (typeof data !== 'string') return bytesOf(data)?.length
  return elsewhere.test(data) ? undefined : Math.floor((data.length - leadOf(data)) * 0.75)
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
    attachments.push(mediaPart(found, data, bytes))
    return binaryNote({ mediaType: found, bytes })
  }
  function read(this: unknown, name: string, inner: unknown): unknown {
    // A Buffer has been written as JSON by now.
    const raw = (this as Readonly<Record<string, unknown>>)[name]
    const bytes = bytesOf(raw)
    if (bytes) return attach(mediaType ?? 'application/octet-stream', raw, bytes.length)
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
