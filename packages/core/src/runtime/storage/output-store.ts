import type { ToolDefinition } from '../../history/tool.ts'
import type { Redactor } from '../../privacy/redactor.ts'

/** Names one stored output. */
export interface ToolOutputRef {
  readonly id: string
  /** Bytes in UTF-8. */
  readonly byteSize: number
  readonly lineCount: number
}

/** Whole tool outputs, in pieces of about a megabyte, so that neither writing nor reading one ever holds more than a piece. */
export interface ToolOutputStore {
  readonly keep: 'shortened' | 'all'
  /** Stores a text under an id made of its content: the same text twice is one entry. Pieces of a stream get an id of their own. */
  save(output: string | AsyncIterable<string>, options?: SaveOptions): Promise<ToolOutputRef>
  /** @returns undefined when nothing is stored under this id. */
  find(id: string): Promise<ToolOutputRef | undefined>
  /** Lines from `offset` (the first line is 1) on. */
  lines(id: string, offset?: number): AsyncIterable<OutputLine>
  /** Deletes what none of these texts names (states, checkpoints, transcripts, live contexts). @returns ids that were deleted. */
  gc(reachable: Iterable<string> | AsyncIterable<string>): Promise<readonly string[]>
  /** `tool_output_cache` and `tool_output_cache_grep`, for the model. */
  tools(): readonly ToolDefinition[]
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
