import type { TokenEstimator } from '../budget/estimate.ts'
import { withoutBinary } from '../history/binary.ts'
import type { Tokens } from '../history/message.ts'
import type { PrunePolicy, ToolPolicy } from '../policy/policy.ts'
import type { Excerpts } from '../record/excerpts/excerpts.ts'
import { clip } from '../record/texts/truncate.ts'
import type { Edit } from '../state/checkpoint.ts'

/** One tool output as it is shown now, with the call that made it. */
export interface VisibleOutput {
  readonly index: number
  readonly callId: string
  readonly tool: string
  /** Serialized arguments of the call; "" when the call is not part of the history. */
  readonly input: string
  /** As it may be stored. */
  readonly output: string
  /** As the tool returned it: what it is kept under, and compared by. */
  readonly whole: string
  /** Of the whole output, attachments included. */
  readonly tokens: Tokens
  /** Of what is shown of it now. */
  readonly shown: Tokens
  readonly isError: boolean
  /** Attachments inside the output. */
  readonly media: number
  /** Ordinal of its tool step, counted from the newest: 0 is the newest. */
  readonly step: number
  /** User turns that began after it: 0 is the running turn. */
  readonly turn: number
}

/** The arguments of one answered call as they are shown now. */
export interface VisibleCall {
  readonly index: number
  readonly callId: string
  readonly tool: string
  readonly input: string
  readonly tokens: Tokens
  readonly step: number
  /** Its result was an error. */
  readonly failed: boolean
}

/** Attachments of one message, or of one tool output. */
export interface VisibleMedia {
  readonly index: number
  /** "" for the message's own. */
  readonly callId: string
  /** Text that stands beside them: the output they came with. */
  readonly text: string
  readonly descriptions: readonly string[]
  readonly tokens: Tokens
}

/** What the rungs look at: everything that may be shown shorter, oldest first. Nothing of the newest group, nothing pinned. */
export interface PruneView {
  readonly outputs: readonly VisibleOutput[]
  /** With the outputs of the newest group: what is newest makes older ones worthless. */
  readonly allOutputs: readonly VisibleOutput[]
  readonly calls: () => readonly VisibleCall[]
  readonly media: () => readonly VisibleMedia[]
  readonly prune: PrunePolicy
  readonly estimator: TokenEstimator
  readonly excerpts: Excerpts
  /** Tokens of the usable window; Infinity when unlimited. */
  readonly usable: Tokens
  /** Tokens of the whole window. */
  readonly window: Tokens
  /** Id under which an output can be had again by the model; undefined when nothing is stored. */
  readonly reference: (output: string) => string | undefined
  readonly toolPolicy: (tool: string) => ToolPolicy
}

/** A shorter text for one thing, before it is known whether it is worth it. `before`: Tokens of the whole. */
export interface Candidate {
  readonly index: number
  readonly callId: string
  readonly kind: Edit['kind']
  readonly before: Tokens
  readonly text: string
}

type Shown = Pick<VisibleOutput, 'index' | 'callId' | 'tokens'>

export const candidateFor = ({ index, callId, tokens: before }: Shown, kind: Edit['kind'], text: string): Candidate => ({ index, callId, kind, before, text })

/**
 * What stands in the place of an output that is not shown any more: tool, arguments, size, first line, and how it can be had again.
 * A reader can tell whether to ask for it.
 */
export function placeholder(output: VisibleOutput, why: string, reference: string | undefined): string {
  const first = firstLine(withoutBinary(output.output))
  const lines = countLines(output.output)
  const starts = first === '' ? '' : `; began "${first}"`
  const attached = output.media > 0 ? ` and ${output.media} attachment${output.media === 1 ? '' : 's'}` : ''
  return `[${why}: ${output.tool}(${clip(withoutBinary(output.input), 120)}) returned ${lines} line${lines === 1 ? '' : 's'}, ${output.output.length} characters${attached}${starts}${whereWhole(reference)}]`
}

/** How the model can have a stored output again: the end of a note about it; "" where nothing is stored. */
export function whereWhole(reference: string | undefined): string {
  return reference === undefined ? '' : `; whole output: ref=${reference}`
}

/** A text with a note on a line of its own that says how the whole can be had; the text alone where nothing is stored. */
export function withWhole(text: string, what: string, reference: string | undefined): string {
  return reference === undefined ? text : `${text}\n[… ${what}${whereWhole(reference)} …]`
}

export function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? ''
  return clip(line.trim(), 80)
}

export function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
