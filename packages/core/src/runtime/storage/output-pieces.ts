import { CompactionError } from '../../errors.ts'
import { cutBefore } from '../../history/cut-before.ts'
import { cutBetweenSecrets } from '../../privacy/redact-cut.ts'
import { type Redactor, redacting } from '../../privacy/redactor.ts'
import { byteLength } from '../../prune/view.ts'
import { inSlices } from '../platform/slices.ts'
import type { StorageDriver } from './driver.ts'
import { type Manifest, type OutputLine, outputsRoot, refOf, storedManifest, type ToolOutputRef } from './output-store.ts'

/** Characters of one piece. */
const pieceLength = 1_000_000

const keyOf = (id: string, piece: number): string => `${outputsRoot}${id}/${String(piece).padStart(6, '0')}.txt`

/** Writes an output in pieces, without its secrets. @returns What says how it lies there, which is not written yet. */
export async function writePieces(
  storage: StorageDriver,
  id: string,
  output: string | AsyncIterable<string>,
  redact: Redactor | undefined,
  signal: AbortSignal | undefined,
): Promise<Manifest> {
  const firstLines: number[] = []
  let byteSize = 0
  let lineCount = 1
  let pieces = 0
  const write = async (text: string): Promise<void> => {
    signal?.throwIfAborted()
    firstLines.push(lineCount)
    byteSize += byteLength(text)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineCount++
    await storage.put(keyOf(id, pieces++), text, signal === undefined ? {} : { signal })
  }
  // A text is redacted before it is cut: a piece of JSON is no JSON, and does not say which names stand above a secret.
  const chunks = typeof output !== 'string' ? piecesOf(output) : piecesOf([redact === undefined ? output : await inSlices(redacting(redact, output), signal)])
  for await (const piece of redact === undefined || typeof output === 'string' ? chunks : redacted(chunks, redact)) await write(piece)
  if (pieces === 0) await write('')
  return { id, byteSize, lineCount, firstLines, at: Date.now() }
}

/** The lines of a stored output, from one on. */
export async function* linesOf(storage: StorageDriver, known: ReadonlyMap<string, Manifest>, id: string, offset = 1): AsyncGenerator<OutputLine> {
  const manifest = await manifestOf(storage, known, id)
  if (manifest === undefined) throw new CompactionError(`Nothing is stored under "${id}". Use an id as it stands behind "ref=".`)
  // A line may reach over several pieces: begin with the last piece that begins at or before the wanted line.
  let piece = Math.max(
    0,
    manifest.firstLines.findLastIndex((first) => first <= offset),
  )
  while (piece > 0 && manifest.firstLines[piece] === offset) piece--
  let number = manifest.firstLines[piece] ?? 1
  let column = 1
  let open = ''
  for (; piece < manifest.firstLines.length; piece++) {
    const found = await storage.get(keyOf(id, piece))
    if (found === undefined) throw new CompactionError(`A part of "${id}" is missing from the storage.`)
    const texts = (open + found.body).split('\n')
    open = texts.pop() ?? ''
    for (const text of texts) {
      if (number >= offset) yield { number, column, text }
      number++
      column = 1
    }
    // An endless line is handed on in parts: nobody holds it whole.
    if (open.length > 2 * pieceLength) {
      if (number >= offset) yield { number, column, text: open }
      column += open.length
      open = ''
    }
  }
  // The end of a line that was handed on in parts may be empty; an empty line is not.
  if (number >= offset && (open !== '' || column === 1)) yield { number, column, text: open }
}

/** Joins and cuts chunks to pieces; a piece ends with a line where it can, and never inside a surrogate pair. */
async function* piecesOf(chunks: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let open = ''
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length || from === 0; from += pieceLength) {
      open += chunk.slice(from, from + pieceLength)
      while (open.length >= pieceLength) {
        const line = open.lastIndexOf('\n', pieceLength - 1)
        const end = line > pieceLength / 2 ? line + 1 : cutBefore(open, pieceLength)
        yield open.slice(0, end)
        open = open.slice(end)
      }
      if (chunk.length === 0) break
    }
  }
  if (open !== '') yield open
}

/** Each piece without its secrets, also those that lie across the border of two. */
async function* redacted(pieces: AsyncIterable<string>, redact: Redactor): AsyncGenerator<string> {
  let open = ''
  for await (const piece of pieces) {
    if (open !== '') {
      const whole = open + piece
      const cut = cutBetweenSecrets(whole, open.length, redact)
      if (cut > 0) yield redact(whole.slice(0, cut))
      open = whole.slice(cut)
    } else open = piece
  }
  if (open !== '') yield redact(open)
}

/** How the output with this id is stored, as far as it is `known` or there. */
async function manifestOf(driver: StorageDriver, known: ReadonlyMap<string, Manifest>, id: string): Promise<Manifest | undefined> {
  return known.get(id) ?? (/^out-[0-9a-f]{16}$/.test(id) ? storedManifest(driver, id) : undefined)
}

/** The name of the output with this id. */
export async function findOutput(driver: StorageDriver, known: ReadonlyMap<string, Manifest>, id: string): Promise<ToolOutputRef | undefined> {
  const manifest = await manifestOf(driver, known, id)
  return manifest && refOf(manifest)
}
