import type { ToolDefinition } from '../../history/tool.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import type { StorageDriver } from './driver.ts'

export const outputsRoot = 'outputs/'
export const manifestKey = (id: string): string => `${outputsRoot}${id}/manifest.json`

/** Names one stored output. */
export interface ToolOutputRef {
  readonly id: string
  /** Bytes in UTF-8. */
  readonly byteSize: number
  readonly lineCount: number
}

/** How an output is stored: written last, so that one without it was never stored. */
export interface Manifest extends ToolOutputRef {
  /** Number of the first line that begins in each piece; line 1 begins in piece 0. */
  readonly firstLines: readonly number[]
  /** When it was stored, or stored again, in milliseconds since 1970; absent: by a version that did not say. */
  readonly at?: number
  /** Somebody is about to delete it, unless it is stored again meanwhile. */
  readonly leaving?: boolean
}

/** What names it. */
export const refOf = ({ id, byteSize, lineCount }: Manifest): ToolOutputRef => ({ id, byteSize, lineCount })

/** How the output with this id is stored; undefined where it is not. */
export async function storedManifest(driver: StorageDriver, id: string): Promise<Manifest | undefined> {
  const found = await driver.get(manifestKey(id))
  return found === undefined ? undefined : (JSON.parse(found.body) as Manifest)
}

/** Whole tool outputs, in pieces of about a megabyte, so that neither writing nor reading one ever holds more than a piece. */
export interface ToolOutputStore {
  /** What it writes to. */
  readonly storage?: StorageDriver
  /** Which outputs are stored; absent: as the policy says. */
  readonly keep?: 'shortened' | 'all'
  /** Stores a text under an id made of its content: the same text twice is one entry. Pieces of a stream get an id of their own. */
  save(output: string | AsyncIterable<string>, options?: SaveOptions): Promise<ToolOutputRef>
  /** @returns undefined when nothing is stored under this id. */
  find(id: string): Promise<ToolOutputRef | undefined>
  /** Lines from `offset` (the first line is 1) on. */
  lines(id: string, offset?: number): AsyncIterable<OutputLine>
  /**
   * Deletes what none of these texts names (states, checkpoints, transcripts, live contexts). The texts are read only when there is something to delete, and
   * when reading them fails nothing is.
   * @returns ids that were deleted.
   */
  gc(reachable: Iterable<string> | AsyncIterable<string>, options?: OutputGcOptions): Promise<readonly string[]>
  /** `tool_output_cache` and `tool_output_cache_grep`, for the model. */
  tools(): readonly ToolDefinition[]
}

/** Which outputs `gc` looks at. */
export interface OutputGcOptions {
  /** Only those that were stored, or stored again, before this time (milliseconds since 1970). Where no time is known an output counts as stored at the first look. Default: all. */
  readonly storedBefore?: number
  /** Only these ids. What they are needed for is gone: where the texts cannot all be read now, the next look takes them whatever their age. */
  readonly forgotten?: readonly string[]
  /** Is told of what could not be noted, for want of room, say: that output is left for the next look. */
  readonly failed?: (key: string, error: unknown) => void
  /** Deletes nothing and writes nothing. */
  readonly dryRun?: boolean
  /** Stops it: rejects with its reason before anything is deleted, and says what was deleted after that. */
  readonly signal?: AbortSignal
}

/** A line, or a part of one that is too long to be held whole: `column` says where it begins in its line, from 1 on. */
export interface OutputLine {
  readonly number: number
  readonly column: number
  readonly text: string
}

/** How one output is stored: until when to try, and what is redacted in it. */
export interface SaveOptions {
  readonly signal?: AbortSignal
  readonly redact?: Redactor
}
