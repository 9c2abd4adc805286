import { CompactionError } from '../../errors.ts'
import { cutBefore } from '../../history/cut-before.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { digestName } from '../../history/sha256.ts'
import { nameOutputsBy, referenceOf } from '../../plan/arrival.ts'
import { cutBetweenSecrets } from '../../privacy/redact-cut.ts'
import { type Redactor, redacting } from '../../privacy/redactor.ts'
import { byteLength } from '../../prune/view.ts'
import { inSlices } from '../platform/slices.ts'
import type { StorageDriver } from './driver.ts'
import { givenStorage } from './given-storage.ts'
import { type Manifest, manifestKey, type OutputLine, outputsRoot, type SaveOptions, type ToolOutputRef, type ToolOutputStore } from './output-store.ts'
import { readOutputTool, searchOutputTool } from './output-tools.ts'

/** Which outputs are stored, and what is redacted in them. */
export interface ToolOutputStoreOptions {
  /** `shortened`: an output is stored when the model is shown less than all of it. `all`: every output is. Default: as the policy says, `prune.store`. */
  readonly keep?: 'shortened' | 'all'
  /** Applied before writing. Default: none; a compactor that is given the store applies its own. */
  readonly redact?: Redactor
}

const day = 86_400_000

/** Characters of one piece. */
const pieceLength = 1_000_000

/**
 * A store for whole tool outputs over any storage, for the option `outputs` of an adapter or a compactor.
 *
 * @throws StorageError from its methods, when the storage fails.
 */
export function createToolOutputStore(storage: StorageDriver, options: ToolOutputStoreOptions = {}): ToolOutputStore {
  nameOutputsBy(digestName)
  const driver = givenStorage(storage)
  const keyOf = (id: string, piece: number): string => `${outputsRoot}${id}/${String(piece).padStart(6, '0')}.txt`
  const known = new Map<string, Manifest>()

  const storedManifest = async (id: string): Promise<Manifest | undefined> => {
    const found = await driver.get(manifestKey(id))
    return found === undefined ? undefined : (JSON.parse(found.body) as Manifest)
  }
  const manifestOf = async (id: string): Promise<Manifest | undefined> => {
    const before = known.get(id)
    if (before !== undefined) return before
    return isReference(id) ? storedManifest(id) : undefined
  }

  const putManifest = async (manifest: Manifest, signal: AbortSignal | undefined): Promise<void> => {
    await driver.put(manifestKey(manifest.id), JSON.stringify(manifest), signal === undefined ? {} : { signal })
  }

  const save = async (output: string | AsyncIterable<string>, { signal, redact = options.redact }: SaveOptions = {}): Promise<ToolOutputRef> => {
    const id = typeof output === 'string' ? referenceOf(output) : `out-${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`
    // Another process may have deleted what this one remembers.
    const before = typeof output === 'string' ? await storedManifest(id) : undefined
    if (before !== undefined) {
      const { leaving, ...rest } = before
      // Whoever stores it again needs it as long as one who stores it now: said once a day, and to whoever is about to delete it.
      if (leaving || Date.now() - (before.at ?? 0) > day) await putManifest({ ...rest, at: Date.now() }, signal)
      return refOf(before)
    }
    const firstLines: number[] = []
    let byteSize = 0
    let lineCount = 1
    let pieces = 0
    const write = async (text: string): Promise<void> => {
      signal?.throwIfAborted()
      firstLines.push(lineCount)
      byteSize += byteLength(text)
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineCount++
      await driver.put(keyOf(id, pieces++), text, signal === undefined ? {} : { signal })
    }
    // A text is redacted before it is cut: a piece of JSON is no JSON, and does not say which names stand above a secret.
    const chunks = typeof output !== 'string' ? piecesOf(output) : piecesOf([redact === undefined ? output : await inSlices(redacting(redact, output), signal)])
    for await (const piece of redact === undefined || typeof output === 'string' ? chunks : redacted(chunks, redact)) await write(piece)
    if (pieces === 0) await write('')
    const manifest: Manifest = { id, byteSize, lineCount, firstLines, at: Date.now() }
    // Written last: an output without it was never stored.
    await putManifest(manifest, signal)
    remember(known, manifest)
    return refOf(manifest)
  }

  async function* lines(id: string, offset = 1): AsyncGenerator<OutputLine> {
    const manifest = await manifestOf(id)
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
      const found = await driver.get(keyOf(id, piece))
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

  const store: ToolOutputStore = {
    storage: driver,
    ...omitUndefined({ keep: options.keep }),
    save,
    async find(id) {
      const manifest = await manifestOf(id)
      return manifest === undefined ? undefined : refOf(manifest)
    },
    lines,
    gc: async (reachable, options) => (await import('./collect-outputs.ts')).collectOutputs(driver, reachable, (id) => known.delete(id), options),
    tools: () => [readOutputTool(store), searchOutputTool(store)],
  }
  return store
}

const refOf = ({ id, byteSize, lineCount }: Manifest): ToolOutputRef => ({ id, byteSize, lineCount })

function isReference(id: string): boolean {
  return /^out-[0-9a-f]{16}$/.test(id)
}

const mostKnown = 1_000

function remember(known: Map<string, Manifest>, manifest: Manifest): void {
  if (known.size >= mostKnown) known.delete(known.keys().next().value as string)
  known.set(manifest.id, manifest)
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
