import { countInPieces, type TokenEstimator } from '../budget/estimate.ts'
import { withoutBinary } from '../history/binary.ts'
import { cutBefore } from '../history/cut-before.ts'
import type { Tokens } from '../history/message.ts'
import { finished, inStretches, type Pieces } from '../history/pieces.ts'
import type { ToolShape } from '../policy/policy.ts'
import { excerptsByName } from '../record/excerpts/condense.ts'
import { type Excerpts, leftOut } from '../record/excerpts/excerpts.ts'
import { shortenDiff } from './diff.ts'
import { shortenJson } from './json.ts'
import { countLines, whereWhole, withWhole } from './outputs.ts'

/** How much of one output is shown. The strictest limit decides. */
export interface ViewLimits {
  readonly tokens: Tokens
  /** Characters after which a line is cut. */
  readonly lineLength: number
  /** Bytes (UTF-8) of the whole. */
  readonly bytes?: number
}

/** What a note says of an output whose lines or data were cut, not the output itself. */
export const notAllShown = 'not all is shown'

/** Shapes that show whole lines from both ends: shares (0–1) of the room for head and tail, and most lines of each. */
const ends: Readonly<Partial<Record<ToolShape, readonly [head: number, tail: number, headLines: number, tailLines: number]>>> = {
  'head-tail': [0.6, 0.4, 60, 40], // docs/systems.md, "calibrated" 7
  'file-content': [0.5, 0.5, Infinity, Infinity],
  'match-list': [1, 0, Infinity, 0],
}

/**
 * A shorter view of one tool output, by the shape that the tool declared:
 * head and tail (60 + 40 lines), leading matches, balanced head and tail of a file, JSON that still parses, a diff with all its headers, or the
 * passages that name most.
 *
 * @returns The output itself when it is within the limits. Otherwise at most `limits.tokens`, closing with what was left out.
 */
export function viewOutput(output: string, declared: ToolShape, limits: ViewLimits, estimator: TokenEstimator, reference?: string): string {
  return finished(viewInPieces(output, declared, limits, { estimator, excerpts: excerptsByName }, reference))
}

interface ViewHelp {
  readonly estimator: TokenEstimator
  readonly excerpts: Excerpts
}

/** The same in pieces. */
export function* viewInPieces(output: string, declared: ToolShape, limits: ViewLimits, help: ViewHelp, reference?: string): Pieces<string> {
  const { estimator } = help
  const { tokens: mostTokens, lineLength: length, bytes: mostBytes = Infinity } = limits
  const readable = withoutBinary(output)
  yield
  // JSON of one long line is no line: cut like one, it would show its beginning and nothing else.
  const isLongLine = readable.length > length && readable.trim().split('\n', 4).length < 4
  const shape = declared === 'generic' && isLongLine && /^\s*[[{]/.test(readable) ? 'json' : declared
  const cut = (line: string): string => (line.length <= length ? line : `${line.slice(0, cutBefore(line, length))} [… ${line.length - length} characters]`)
  const text = shape === 'json' ? readable : yield* inStretches(readable, '', (lines) => lines.split('\n').map(cut).join('\n'))
  const tokens = yield* countInPieces(text, estimator)
  const bytes = yield* inStretches(text, 0, byteLength)
  if (tokens <= mostTokens && bytes <= mostBytes) return text === output ? text : withWhole(text, notAllShown, reference)
  // A limit in bytes becomes one in tokens at the text's own ratio.
  const most = bytes <= mostBytes ? mostTokens : Math.min(mostTokens, Math.floor((tokens * (mostBytes - 200)) / bytes))
  return yield* cutTo(text, yield* inStretches(output, 0, byteLength), shape, most, help, reference)
}

function* cutTo(text: string, whole: number, shape: ToolShape, tokens: Tokens, help: ViewHelp, reference: string | undefined): Pieces<string> {
  const { estimator, excerpts } = help
  /** What is left out of a view that is no head and tail. */
  const noted = (kept: string): string => {
    const lines = countLines(text) - countLines(kept)
    const left = `${lines > 0 ? `${lines} lines, ` : ''}${Math.max(0, whole - byteLength(kept))} bytes left out`
    return `${kept}\n[… ${left}${whereWhole(reference)} …]`
  }
  const note = estimator.count(noted(''))
  yield
  const room = tokens - 30 - (reference === undefined ? 0 : note)
  const kept = shape === 'json' ? shortenJson(text, room, estimator) : shape === 'diff' ? shortenDiff(text, room, estimator) : undefined
  // JSON stays JSON: its gaps are named inside.
  if (kept !== undefined) return shape === 'json' && reference === undefined ? kept : noted(kept)
  const lines = text.split('\n')
  // A few long lines have no head and tail worth the name.
  const [head, tail, headLines, tailLines] = (lines.length > 3 && ends[shape]) || [0, 0, 0, 0]
  const first = takeLines(lines, room * head, headLines, estimator)
  const last = takeLines(lines.slice(first.length).reverse(), room * tail, tailLines, estimator).reverse()
  if (first.length + last.length === 0) {
    // Its own note makes room for ours.
    const most = tokens - note + estimator.count(leftOut(text))
    return noted((yield* excerpts.one(text, most, estimator)).replace(/\n\[\d+ of \d+ characters left out\]$/, ''))
  }
  const shown = byteLength(first.join('\n')) + byteLength(last.join('\n'))
  const how = whereWhole(reference) || '; run the tool again with a narrower range to see them'
  const notice = `[… lines ${first.length + 1}–${lines.length - last.length}: ${lines.length - first.length - last.length} lines, ${whole - shown} bytes left out${how} …]`
  return [...first, notice, ...last].join('\n')
}

/** Bytes of a text in UTF-8. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length

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
