import { condense } from '../condense.ts'
import type { TokenEstimator } from '../estimate.ts'
import type { Tokens } from '../message.ts'
import type { ToolShape } from '../policy.ts'

export interface ViewLimits {
  readonly tokens: Tokens
  /** Characters after which a line is cut. */
  readonly lineLength: number
}

const headLines = 60 // source: sources "calibrated", row 7
const tailLines = 40

/**
 * A shorter view of one tool output, by the shape that the tool declared:
 * head and tail (60 + 40 lines), leading matches, balanced head and tail of a file, or the passages that name most.
 *
 * @returns The output itself when it is within the limits. Otherwise at most `limits.tokens`, closing with what was left out.
 */
export function viewOutput(output: string, shape: ToolShape, limits: ViewLimits, estimator: TokenEstimator): string {
  const text = cutLines(output, limits.lineLength)
  if (estimator.count(text) <= limits.tokens) return text
  const lines = text.split('\n')
  // A few long lines have no head and tail worth the name.
  if (shape === 'generic' || lines.length < 4) return condense(text, limits.tokens, estimator)
  const room = limits.tokens - 30
  const [head, tail] = shape === 'match-list' ? [1, 0] : shape === 'head-tail' ? [0.6, 0.4] : [0.5, 0.5]
  const most = shape === 'head-tail' ? [headLines, tailLines] : [lines.length, lines.length]
  const first = takeLines(lines, room * head, most[0] as number, estimator)
  const last = tail === 0 ? [] : takeLines(lines.slice(first.length).reverse(), room * tail, most[1] as number, estimator).reverse()
  if (first.length + last.length === 0) return condense(text, limits.tokens, estimator)
  const shown = first.join('\n').length + last.join('\n').length
  const notice = `[… ${lines.length - first.length - last.length} lines, ${output.length - shown} characters left out; run the tool again with a narrower range to see them …]`
  return [...first, notice, ...last].join('\n')
}

function cutLines(text: string, length: number): string {
  if (text.length <= length) return text
  return text
    .split('\n')
    .map((line) => (line.length <= length ? line : `${line.slice(0, safeEnd(line, length))} [… ${line.length - length} characters]`))
    .join('\n')
}

function safeEnd(text: string, end: number): number {
  const code = text.charCodeAt(end)
  return code >= 0xdc00 && code < 0xe000 ? end - 1 : end
}

function takeLines(lines: readonly string[], budget: Tokens, most: number, estimator: TokenEstimator): string[] {
  const taken: string[] = []
  let spent = 0
  for (const line of lines) {
    spent += estimator.count(line) + 1
    if (spent > budget || taken.length >= most) break
    taken.push(line)
  }
  return taken
}
