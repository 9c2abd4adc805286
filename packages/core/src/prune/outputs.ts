import type { Tokens } from '../message.ts'
import { type CompactionPolicy, toolPolicy } from '../policy.ts'

/** One tool output as it is shown now, with the call that made it. */
export interface VisibleOutput {
  readonly index: number
  readonly callId: string
  readonly tool: string
  /** Serialised arguments of the call; "" when the call is not part of the history. */
  readonly input: string
  readonly output: string
  readonly tokens: Tokens
  readonly isError: boolean
  /** Ordinal of its tool step, counted from the newest: 0 is the newest. */
  readonly step: number
}

/** A shorter text for one output, before it is known whether it is worth it. */
export interface Candidate {
  readonly output: VisibleOutput
  readonly text: string
}

/** Whether a policy lets the outputs of this tool be shortened. */
export function isPrunable(policy: CompactionPolicy, tool: string): boolean {
  return toolPolicy(policy.prune, tool).keep !== 'always'
}

/**
 * What stands in the place of an output that is not shown any more: tool, arguments, size, first line. A reader can tell
 * whether to ask for it again.
 */
export function reference(output: VisibleOutput, why: string): string {
  const first = firstLine(output.output)
  const lines = countLines(output.output)
  const starts = first === '' ? '' : `; began "${first}"`
  return `[${why}: ${output.tool}(${clip(output.input, 120)}) returned ${lines} line${lines === 1 ? '' : 's'}, ${output.output.length} characters${starts}]`
}

function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? ''
  return clip(line.trim(), 80)
}

function clip(text: string, length: number): string {
  if (text.length <= length) return text
  const code = text.charCodeAt(length)
  return `${text.slice(0, code >= 0xdc00 && code < 0xe000 ? length - 1 : length)}…`
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
