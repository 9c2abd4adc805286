import { createReadStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { checkEncoding } from './encoding.ts'
import { quotedLine } from './quoted-line.ts'
import { largestWhole, unreadable } from './read-transcripts.ts'
import { createUsage, type RecordedUsage } from './recorded-usage.ts'
import { heldBy, holdingNone, isUnfinished, notHolding, shapeOf, type Transcript } from './transcript.ts'
import { TranscriptError } from './transcript-error.ts'

/** A conversation that is read while it is used: memory is that of what is looked at, not of the file. */
export interface Log extends Omit<Transcript, 'messages' | 'usage' | 'lines'> {
  /** What the log says that its calls used, as far as it was gone through. */
  readonly usage?: () => RecordedUsage | undefined
  /** Can be gone through once, and before the next log of the file. */
  readonly messages: AsyncIterable<unknown>
}

/** Told of every megabyte: bytes read, bytes of the file. */
export type Progress = (done: number, all: number) => void

/** Told of the line that is left out because it is only half written. */
export type OnUnfinished = (line: number) => void

/** Bytes of one line. Longer ones could not be one text. */
const longestLine = 256 * 2 ** 20
/** Values and bytes by which the shape of a log is found. */
const head = { values: 256, bytes: 2 * 2 ** 20 }

interface Line {
  readonly number: number
  readonly value: object
  readonly bytes: number
}

/** Whether a file is too large to be read as one text. */
export async function isLarge(path: string): Promise<boolean> {
  return path !== '-' && ((await stat(path).catch(() => undefined))?.size ?? 0) > largestWhole
}

/**
 * The conversations of a file of JSON Lines: one for each line that holds `messages`, or one whose messages are the lines.
 *
 * @throws TranscriptError naming the line and what was expected.
 */
export async function* logsOf(path: string, onProgress?: Progress, onUnfinished?: OnUnfinished): AsyncGenerator<Log> {
  const name = path === '-' ? 'standard input' : path
  if (path !== '-')
    await access(path, constants.R_OK).catch((error: unknown) => {
      throw unreadable(path, error)
    })
  const lines = linesOf(path, name, path === '-' ? undefined : onProgress, onUnfinished)
  const first = await lines.next()
  if (first.done === true) throw new TranscriptError(`${name} is empty. Expected messages as JSON Lines.`)
  if (heldBy(first.value.value) === undefined) {
    yield await oneLog(first.value, lines, name)
    return
  }
  yield heldLog(first.value, name)
  for await (const line of lines) yield heldLog(line, name)
}

/** The conversation that one line holds. */
function heldLog({ number, value }: Line, file: string): Log {
  const held = heldBy(value)
  if (held === undefined) throw notHolding(`${file}, line ${number}`)
  const { id } = value as { readonly id?: unknown }
  const name = typeof id === 'string' ? id : `${file}#${number}`
  const { read, rest = () => [], ...shape } = shapeOf(held, name)
  return { name, ...shape, messages: each([...held.flatMap(read), ...rest()]) }
}

async function oneLog(first: Line, lines: AsyncGenerator<Line>, name: string): Promise<Log> {
  const seen = [first]
  let bytes = first.bytes
  while (seen.length < head.values && bytes < head.bytes) {
    const line = await lines.next()
    if (line.done === true) break
    seen.push(line.value)
    bytes += line.value.bytes
  }
  const {
    read,
    rest = () => [],
    ...shape
  } = shapeOf(
    seen.map(({ value }) => value),
    name,
  )
  const usage = createUsage()
  async function* messages(): AsyncGenerator<unknown> {
    let found = 0
    for await (const { value } of chained(seen, lines)) {
      usage.add(value)
      const whole = read(value)
      found += whole.length
      yield* whole
    }
    const last = rest()
    yield* last
    if (found + last.length === 0) throw holdingNone(name, shape.format)
  }
  return { name, ...shape, usage: usage.result, messages: messages() }
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

/** Takes out of `first` what was gone through, so that it is not held until the end. */
async function* chained<T>(first: T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  while (first.length > 0) yield first.shift() as T
  yield* rest
}

/** @throws TranscriptError */
async function* linesOf(path: string, name: string, onProgress: Progress | undefined, onUnfinished?: OnUnfinished): AsyncGenerator<Line> {
  let number = 0
  const chunks = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 2 ** 20 })
  for await (const { bytes, open } of splitLines(onProgress === undefined ? chunks : told(chunks, (await stat(path)).size, onProgress), name)) {
    number++
    const text = bytes.toString('utf8').trim()
    if (text === '') continue
    const value = parseLine(text)
    if (value !== undefined) yield { number, value, bytes: bytes.length }
    else if (isUnfinished(text, open && number > 1)) return onUnfinished?.(number)
    else throw notAnObject(text, `${name}, line ${number}`)
  }
}

async function* told(chunks: AsyncIterable<Buffer | string>, all: number, onProgress: Progress): AsyncGenerator<Buffer | string> {
  let done = 0
  for await (const chunk of chunks) {
    onProgress(done, all)
    done += chunk.length
    yield chunk
  }
  onProgress(all, all)
}

function parseLine(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  return undefined
}

function notAnObject(text: string, place: string): TranscriptError {
  const isWhole = text.startsWith('[') || text === '{'
  return new TranscriptError(`${place}: expected a JSON object, found ${quotedLine(text)}.`, {
    hint: isWhole
      ? 'One JSON value over many lines cannot be read piece by piece: write one message a line.'
      : 'Each line of a JSON Lines file holds one message.',
  })
}

/** Lines as bytes, `open` where the line feed is missing: a character may lie across two chunks, a line feed never does. */
async function* splitLines(chunks: AsyncIterable<Buffer | string>, name: string): AsyncGenerator<{ readonly bytes: Buffer; readonly open: boolean }> {
  let [parts, length, isFirst]: [Buffer[], number, boolean] = [[], 0, true]
  for await (const given of chunks) {
    let chunk = typeof given === 'string' ? Buffer.from(given) : given
    if (isFirst) checkEncoding(chunk, name)
    isFirst = false
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10)) {
      yield { bytes: Buffer.concat([...parts, chunk.subarray(0, end)]), open: false }
      ;[parts, length, chunk] = [[], 0, chunk.subarray(end + 1)]
    }
    parts.push(chunk)
    length += chunk.length
    if (length > longestLine) throw new TranscriptError(`${name} has a line of more than ${longestLine / 2 ** 20} MB: too long for one message.`)
  }
  if (length > 0) yield { bytes: Buffer.concat(parts), open: true }
}
