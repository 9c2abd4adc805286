import { readFile, realpath } from 'node:fs/promises'
import type { CompactionReport } from '@precis/core'
import { type CompactSettings, compactTranscript } from '../compact.ts'
import { checkEncoding } from '../transcripts/encoding.ts'
import { onlyOne, unreadable } from '../transcripts/read-transcripts.ts'
import { heldUnder, parseTranscripts, type Transcript, withoutMark } from '../transcripts/transcript.ts'
import { TranscriptError } from '../transcripts/transcript-error.ts'
import { replaceUnchanged } from '../write.ts'
import { recordFor, valuesSeen } from './archive-file.ts'
import { noteInPlace, sha256 } from './compacted-in-place.ts'
import { type ArchivePlace, type OpenedArchive, withArchive } from './open-archive.ts'

export interface CompactedInPlace {
  readonly report: CompactionReport
  /** Absent where nothing had to be compacted, and so nothing was written. */
  readonly replaced?: Replaced
}

export interface Replaced {
  /** The file as it was, byte for byte. */
  readonly backup: string
  /** Under this name the archive holds the conversation. */
  readonly session: string
}

/**
 * Compacts a conversation and puts the result in the place of its file. Before that, the conversation is archived; the file stays beside itself under
 * another name, and is replaced whole, by a rename, and only if nobody wrote to it meanwhile.
 *
 * @throws TranscriptError and leaves the file as it is.
 */
export async function compactInPlace(path: string, settings: CompactSettings, place: ArchivePlace): Promise<CompactedInPlace> {
  // A link stays one: what it leads to is replaced.
  const file = await realpath(path).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  const was = await readFile(file).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  checkEncoding(was, path)
  const text = was.toString('utf8')
  const transcript = onlyOne(parseTranscripts(text, path), path)
  if (transcript.unfinished !== undefined)
    throw new TranscriptError(`${path} is being written: its last line is only half there.`, {
      hint: 'Wait until the session has ended, or write a new file: --out.',
    })
  if (!transcript.writable)
    throw new TranscriptError(`${path} is ${transcript.format}, which would be written back as neutral messages. Name a new file instead: --out.`)
  return withArchive(place, (open) => replaceArchived({ file, was, text, transcript }, settings, open))
}

interface Read {
  readonly file: string
  readonly was: Buffer
  readonly text: string
  readonly transcript: Transcript
}

async function replaceArchived(read: Read, settings: CompactSettings, open: OpenedArchive): Promise<CompactedInPlace> {
  const { file, was, transcript } = read
  const { messages, report } = await compactTranscript(transcript, settings)
  if (report.plan.decision.action === 'none') return { report }
  const { session, source, readings, was: values } = await recordFor(open, file, transcript)

  const backup = `${file}.${new Date().toISOString().replace(/[:.]/g, '-')}.bak`
  const written = transcript.write(messages)
  const next = writtenLike(read, written)
  const note = { file, backup, at: Date.now(), tokens: report.tokens, left: sha256(next), values: valuesSeen(written), archived: source.length }
  // Noted first: whatever ends this process, the file leads to all that is stored of it.
  await noteInPlace(open.storage, session, { ...note, was: values })
  await open.archive.saveTranscript(session, source, readings)
  if (!(await replaceUnchanged(file, next, was, backup)))
    throw new TranscriptError(`${file} was written to while it was compacted; it stays as it is.`, { hint: 'Try again when the session has ended.' })
  await noteInPlace(open.storage, session, note).catch(() => {}) // it is replaced: the file and its copy say so too
  return { report, replaced: { backup, session } }
}

/** In the form that the file had: lines, a list, or a request's body; with its byte order mark. */
function writtenLike({ was, text, transcript: { lines } }: Read, messages: readonly unknown[]): Buffer {
  const own = withoutMark(text)
  const mark = own === text ? '' : '\ufeff'
  const whole = wholeValue(own)
  if (whole === undefined) return Buffer.concat([Buffer.from(mark), ...linesLike(was.subarray(Buffer.byteLength(mark)), messages, lines)])
  const indent = /^[[{]\s*\n( +|\t)/.exec(own.trim())?.[1]
  const key = heldUnder(whole)
  return Buffer.from(`${mark}${JSON.stringify(key === undefined ? messages : { ...whole, [key]: messages }, null, indent)}\n`)
}

/** A line for each message: the very bytes that the file had where it was left alone, since JSON does not keep all digits of a number, nor text what is no UTF-8. */
function linesLike(was: Buffer, messages: readonly unknown[], lines: Transcript['lines']): readonly Buffer[] {
  const before = was.toString('latin1').split('\n') // a character for each byte
  const end = before[0]?.endsWith('\r') === true ? '\r' : ''
  return messages.map((message) => {
    const number = lines?.get(message)
    return number === undefined ? Buffer.from(`${JSON.stringify(message)}${end}\n`) : Buffer.from(`${before[number - 1]}\n`, 'latin1')
  })
}

/** The file's one JSON value; undefined for JSON Lines. */
function wholeValue(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    return Array.isArray(value) || heldUnder(value) !== undefined ? value : undefined
  } catch {
    return undefined
  }
}
