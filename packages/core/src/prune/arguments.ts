import { losesDigits } from '../history/json.ts'
import type { Tokens } from '../history/message.ts'
import { parseInput } from '../record/texts/call-input.ts'
import { shortenValue } from './json.ts'
import { type Candidate, candidateFor, type PruneView, type VisibleCall } from './outputs.ts'

/** Characters that one token may hold at most, in texts worth keeping. */
const charactersPerToken = 4

/** Long texts inside the arguments of old calls: a file that was written is on the disk by now. */
export function oldArguments(view: PruneView): readonly Candidate[] {
  return shortened(view.calls(), view.prune.arguments)
}

/** Arguments of calls that failed: that they failed, and how, stands in their result. */
export function failedArguments({ calls, prune }: PruneView): readonly Candidate[] {
  const failed = calls().filter((call) => call.failed)
  return shortened(failed, { ...prune.errors, tokens: least })
}

/** Most entries of a list. */
const entries = 8

const least = 40 // Tokens of arguments below which nothing is won

function shortened(calls: readonly VisibleCall[], { steps, tokens }: { readonly steps: number; readonly tokens: Tokens }): readonly Candidate[] {
  return calls.flatMap((call) => {
    if (call.step < steps || call.tokens <= tokens) return []
    const text = shortenArguments(call.input, tokens * charactersPerToken)
    return text === undefined ? [] : candidateFor(call, 'arguments', text)
  })
}

/**
 * The same arguments with long texts cut: still JSON, the same fields, so that providers and tools can read them.
 *
 * @param room Characters for all texts together; short ones keep theirs.
 * @returns undefined when the input is no JSON object, would lose digits of a number, or nothing can be cut.
 */
export function shortenArguments(input: string, room: number): string | undefined {
  const fields = losesDigits(input) ? undefined : parseInput(input)
  if (!fields) return undefined
  const characters = Math.max(24, Math.floor(room / Math.max(1, Object.keys(fields).length)))
  const text = JSON.stringify(shortenValue(fields, characters, entries, Infinity))
  return text.length < input.length ? text : undefined
}
