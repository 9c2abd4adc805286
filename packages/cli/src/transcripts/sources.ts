import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { glob, isDynamicPattern } from 'tinyglobby'
import { readTranscripts, unreadable } from './read-transcripts.ts'
import type { Transcript } from './transcript.ts'
import { TranscriptError } from './transcript-error.ts'

/** A file to read. `named`: the caller wrote this very path, so that it must hold a transcript. */
export interface Source {
  readonly path: string
  readonly named: boolean
}

const transcripts = '**/*.{jsonl,json}'
const mostNames = 3
const mostReasons = 10

/** The files that some arguments mean: files, folders (whose `.jsonl` and `.json` files are taken), patterns, and `-`. @throws TranscriptError */
export async function filesOf(args: readonly string[]): Promise<readonly Source[]> {
  const found: Source[] = []
  for (const path of args) {
    const known =
      path === '-' ? undefined : await stat(path).catch((error: unknown) => (isDynamicPattern(path) ? undefined : Promise.reject(unreadable(path, error))))
    if (path === '-' || known?.isDirectory() === false) found.push({ path, named: true })
    else {
      const names = known === undefined ? await glob(path) : (await glob(transcripts, { cwd: path })).map((one) => join(path, one))
      // Nobody named these: a link may lead to what never ends, or what waits for somebody to write.
      const ends = await Promise.all(
        names.map((one) =>
          stat(one).then(
            (it) => !it.isCharacterDevice() && !it.isFIFO(),
            () => true,
          ),
        ),
      )
      const inside = names.filter((_, at) => ends[at])
      if (inside.length === 0)
        throw new TranscriptError(known === undefined ? `No file matches ${path}.` : `${path} holds no .jsonl or .json file.`, {
          hint: 'Name a transcript, or run compactctl alone: it lists the sessions of agents on this machine.',
        })
      found.push(...inside.sort().map((one) => ({ path: one, named: false })))
    }
  }
  return found.filter(({ path }, at) => found.findIndex((one) => one.path === path) === at)
}

/**
 * Reads each file, one after another. Files that a folder or a pattern brought along and that are no transcripts, or broken ones, are left out; `onLeftOut` is
 * told which, and what is wrong with the broken ones.
 *
 * @throws TranscriptError where a named file is none, or none is left.
 */
export async function readEach<T>(
  sources: readonly Source[],
  read: (path: string) => Promise<readonly T[]>,
  onLeftOut: (text: string) => void,
): Promise<readonly T[]> {
  const found: T[] = []
  const [others, broken]: [string[], string[]] = [[], []]
  for (const { path, named } of sources) {
    try {
      found.push(...(await read(path)))
    } catch (error) {
      if (named || !(error instanceof TranscriptError)) throw error
      if (error.isOther) others.push(path)
      else broken.push(error.message)
    }
  }
  if (others.length > 0) {
    const more = others.length > mostNames ? `, and ${others.length - mostNames} more` : ''
    onLeftOut(`${others.length === 1 ? '1 file holds' : `${others.length} files hold`} no transcript: ${others.slice(0, mostNames).join(', ')}${more}.`)
  }
  for (const message of broken.slice(0, mostReasons)) onLeftOut(`left out: ${message}`)
  if (broken.length > mostReasons) onLeftOut(`left out: ${broken.length - mostReasons} more that cannot be read.`)
  if (found.length === 0)
    throw new TranscriptError('None of the files holds a transcript that can be read.', {
      hint: 'compactctl reads JSON and JSON Lines of agents: see "compactctl inspect --help".',
    })
  return found
}

/** The conversations of files, folders and patterns. @param onNote - Told of files and half-written lines that are left out. @throws TranscriptError */
export async function readAll(
  args: readonly string[],
  onNote: { leftOut(text: string): void; unfinished(path: string, line: number): void },
): Promise<readonly Transcript[]> {
  const read = async (path: string): Promise<readonly Transcript[]> => {
    const own = await readTranscripts(path)
    for (const { unfinished } of own) if (unfinished !== undefined) onNote.unfinished(path, unfinished)
    return own
  }
  return readEach(await filesOf(args), read, onNote.leftOut)
}
