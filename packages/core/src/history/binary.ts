import { mapParts, mapText } from './map-texts.ts'
import type { Message } from './message.ts'

/** A stretch of a text that is data in letters: base64 (also broken into lines, or a data URL) or hexadecimal. */
export interface BinaryRun {
  readonly start: number
  readonly end: number
  /** From the data URL, or from the first bytes; undefined where neither says. */
  readonly mediaType: string | undefined
  readonly bytes: number
}

/** Letters of data in one run from which on it is no name, path or hash any more. */
const leastBinary = 256
/** Shortest line of data that was broken into lines; MIME has 76 letters, PEM 64. */
const leastLine = 60

/** How files begin, in base64. */
const beginnings: readonly (readonly [base64: string, mediaType: string])[] = [
  ['iVBORw0KGg', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi0', 'application/pdf'],
  ['UEsDB', 'application/zip'],
  ['H4sI', 'application/gzip'],
  ['SUQz', 'audio/mpeg'],
  ['T2dnU', 'audio/ogg'],
]

/** 1: a letter of base64, in either alphabet. */
const letters = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w+/-]/.test(String.fromCharCode(code))))

/** A look beyond the table, or beyond the text, would be slow. */
function isLetter(text: string, at: number): boolean {
  const code = at < text.length ? text.charCodeAt(at) : 0
  return code < 128 && letters[code] === 1
}

/** Where the letters end that begin here: many are faster to search than to go through. */
function endOfLetters(text: string, start: number): number {
  const far = start + leastBinary
  for (let end = start; end < far; end++) if (!isLetter(text, end)) return end
  return far + text.slice(far).search(/[^\w+/-]|$/)
}

/** All stretches of data in a text, in order. Looks at every sixtieth character, and around those that may belong to one. */
export function findBinary(text: string): readonly BinaryRun[] {
  const found: BinaryRun[] = []
  let from = 0
  for (let at = leastLine - 1; at < text.length; at += leastLine) {
    if (!isLetter(text, at)) continue
    let start = at
    while (start > from && isLetter(text, start - 1)) start--
    const [end, count] = runFrom(text, start)
    const run = count < leastLine ? undefined : runAt(text, start, end, count, from)
    if (run) {
      found.push(run)
      from = end
    }
    at = end
  }
  return found
}

/** Where a run ends that begins here, its line breaks and padding included, and how many letters it has. */
function runFrom(text: string, start: number): readonly [end: number, count: number] {
  let end = endOfLetters(text, start)
  let length = end - start
  let count = length
  while (length >= leastLine) {
    const after = end + lineBreak(text, end)
    const until = endOfLetters(text, after)
    length = until - after
    // A short line may end the data, but not a word that happens to follow it.
    if (length === 0 || (length < leastLine && !mayEnd(text, until))) break
    end = until
    count += length
  }
  while (text.charCodeAt(end) === 61) end++
  return [end, count]
}

/** Whether data may end before this place: at padding, a quote, an escape, a break or the end of the text. */
function mayEnd(text: string, at: number): boolean {
  return `="'\\\r\n`.includes(text.charAt(at))
}

/** Length of a line break at this place, also where JSON has escaped it; 0 for none. */
function lineBreak(text: string, at: number): number {
  return /^(\r?\n|(\\r)?\\n)/.exec(text.slice(at, at + 4))?.[0].length ?? 0
}

function runAt(text: string, start: number, end: number, count: number, from: number): BinaryRun | undefined {
  const lead = /data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,$/.exec(text.slice(Math.max(from, start - 120), start))
  const bytes = Math.floor(count * 0.75)
  if (lead !== null) return { start: start - lead[0].length, end, mediaType: lead[1], bytes }
  const sample = text.slice(start, Math.min(end, start + 600))
  if (count < leastBinary || !/\d/.test(sample)) return undefined
  if (/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(sample)) return /[a-f]/i.test(sample) ? { start, end, mediaType: undefined, bytes: count >> 1 } : undefined
  // Data has letters of all kinds; names, rulers and repeated characters have not.
  if (!/[a-z]/.test(sample) || !/[A-Z]/.test(sample)) return undefined
  return { start, end, mediaType: beginnings.find(([beginning]) => sample.startsWith(beginning))?.[1], bytes }
}

/**
 * The text with a note such as `[image/png, 4096 bytes, not shown as text]` in the place of each stretch of data: base64 or hexadecimal of 256 letters and more,
 * data URLs from 60 on. The text itself where there is none.
 */
export function withoutBinary(text: string): string {
  let shown = ''
  let from = 0
  for (const run of findBinary(text)) {
    shown += text.slice(from, run.start) + binaryNote(run)
    from = run.end
  }
  return shown + text.slice(from)
}

/** What stands in the place of data. Holds nothing that JSON would have to escape. */
export function binaryNote({ mediaType, bytes }: Pick<BinaryRun, 'mediaType' | 'bytes'>): string {
  return `[${mediaType ?? 'binary data'}, ${bytes} bytes, not shown as text]`
}

const readable = new WeakMap<Message, Message>()

/** A message as texts about it are made: data in its texts, arguments and outputs is named instead of repeated. The message itself where there is none. */
export function readableMessage(message: Message): Message {
  const known = readable.get(message)
  if (known) return known
  const read = mapParts(message, (part) => mapText(part, withoutBinary))
  // Most hold no data, and are looked through faster than they are remembered.
  if (read !== message) readable.set(message, read)
  return read
}
