import { resolveAmount } from '../budget/limits.ts'
import { withoutBinary } from '../history/binary.ts'
import type { Tokens } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import { type Candidate, candidateFor, type PruneView, placeholder, type VisibleOutput } from './outputs.ts'

/**
 * Old outputs become references: walks from the newest output back, lets the last user turns, the last tool steps and `protect` tokens pass,
 * and offers the rest if it frees at least `minimum` together. In a session of one long turn, steps alone protect.
 * Outputs already replaced are passed over, not stopped at.
 *
 * @returns Oldest first; empty when the gain is too small.
 */
export function* agedOutputs(view: PruneView): Pieces<readonly Candidate[]> {
  const { age } = view.prune
  const protect = resolveAmount(age.protect, view.usable)
  const byTurns = view.outputs.some((output) => output.turn >= age.userTurns)
  const steps = byTurns ? age.steps : Math.max(age.steps, 2)
  const found: Candidate[] = []
  let passed = 0
  let freed = 0
  for (const output of view.outputs.toReversed()) {
    if (output.step < steps || (byTurns && output.turn < age.userTurns)) continue
    passed += output.shown
    if (passed <= protect) continue
    freed += yield* referTo(output, view, found)
  }
  return freed >= resolveAmount(age.minimum, view.usable) ? found.reverse() : []
}

/** Excerpt (Tokens) of an output that cannot be had again: by running the tool it would come out otherwise, and it is stored nowhere. */
const excerpt = 120

/** Adds the reference that an output becomes, where it is shorter. @returns Tokens that it frees. */
function* referTo(output: VisibleOutput, view: PruneView, found: Candidate[]): Pieces<Tokens> {
  yield
  const { estimator, excerpts } = view
  const reference = view.reference(output.whole)
  let text = placeholder(output, 'old output, not shown any more', reference)
  if (reference === undefined && view.toolPolicy(output.tool).reproducible === false)
    text += `\n${yield* excerpts.one(withoutBinary(output.output), excerpt, estimator)}`
  const gain = output.shown - estimator.count(text)
  if (gain <= 0) return 0
  found.push(candidateFor(output, 'aged', text))
  return gain
}

/** All outputs together stay within their budget: beyond it the oldest become references, down to three quarters, so that the next outputs do not rewrite the prompt again. */
export function* outputsOverBudget(view: PruneView): Pieces<readonly Candidate[]> {
  const { fraction, least, most } = view.prune.outputBudget
  const budget = Math.min(most, Math.max(least, view.window === Infinity ? most : Math.floor(view.window * fraction)))
  let total = sumOf(view.allOutputs, (output) => output.shown)
  if (total <= budget) return []
  const found: Candidate[] = []
  for (const output of view.outputs) {
    if (total <= budget * 0.75) break
    total -= yield* referTo(output, view, found)
  }
  return found
}
