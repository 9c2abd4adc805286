import { readFile, stat } from 'node:fs/promises'
import { checkEncoding } from './encoding.ts'
import { readOpenCodeStorage } from './opencode-storage.ts'
import { parseTranscripts, type Transcript } from './transcript.ts'
import { TranscriptError } from './transcript-error.ts'

/** Bytes that are read as one text. */
export const largestWhole: number = 256 * 2 ** 20

/**
 * Reads the conversations of a file: JSON Lines or one JSON value; messages, or objects that hold `messages`.
 * The shape of the messages is found by looking at them.
 *
 * @throws TranscriptError naming the line and what was expected.
 */
export async function readTranscripts(path: string): Promise<readonly Transcript[]> {
  let text: string
  try {
    const size = path === '-' ? 0 : (await stat(path)).size
    if (size > largestWhole)
      throw new TranscriptError(
        `${path} has ${Math.round(size / 2 ** 20)} MB; whole files are read up to ${largestWhole / 2 ** 20} MB. "inspect" and "compact" read JSON Lines of any size: compact it first.`,
      )
    text = (await readOpenCodeStorage(path)) ?? utf8(path === '-' ? await readInput() : await readFile(path), path === '-' ? 'standard input' : path)
  } catch (error) {
    throw error instanceof TranscriptError ? error : unreadable(path, error)
  }
  return parseTranscripts(text, path === '-' ? 'standard input' : path)
}

export function unreadable(
  path: string,
  error: unknown,
  hint: string = 'compactctl without arguments lists the sessions of agents on this machine.',
): TranscriptError {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  const known: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder', EACCES: 'you may not read it' }
  return new TranscriptError(`Cannot read ${path}: ${known[code ?? ''] ?? String(message)}.`, {
    cause: error,
    hint,
  })
}

/** The file's one conversation. @throws TranscriptError where it holds several. */
export async function onlyTranscript(path: string): Promise<Transcript> {
  return onlyOne(await readTranscripts(path), path)
}

/** @throws TranscriptError */
export function onlyOne(transcripts: readonly Transcript[], path: string): Transcript {
  const [transcript] = transcripts
  if (transcript === undefined || transcripts.length > 1)
    throw new TranscriptError(`${path} holds ${transcripts.length} conversations; this takes one.`, { hint: 'Write the one you mean to a file of its own.' })
  return transcript
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

function utf8(bytes: Buffer, name: string): string {
  checkEncoding(bytes, name)
  return bytes.toString('utf8')
}
