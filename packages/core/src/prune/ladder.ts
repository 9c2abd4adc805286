import { withoutBinary } from '../history/binary.ts'
import type { Tokens } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import type { Rung } from '../policy/policy.ts'
import { agedOutputs, outputsOverBudget } from './age.ts'
import { failedArguments, oldArguments } from './arguments.ts'
import { oldMedia } from './media.ts'
import { type Candidate, candidateFor, type PruneView, type VisibleOutput } from './outputs.ts'
import { supersededOutputs } from './supersede.ts'
import { type ViewLimits, viewInPieces } from './view.ts'

/** What each rung would show instead, oldest first. A new rung: its name in `rungs` of the policy, a function in a file of this room, a line here. */
export const rungCandidates: Readonly<Record<Rung, (view: PruneView) => Pieces<readonly Candidate[]>>> = {
  superseded: supersededOutputs,
  errors: atOnce(failedArguments),
  arguments: atOnce(oldArguments),
  aged: agedOutputs,
  'output-budget': outputsOverBudget,
  media: atOnce(oldMedia),
  view: longOutputs,
  condensed: condensedOutputs,
}

/** Outputs longer than the policy's view, as a view by their tool's shape. */
function longOutputs(view: PruneView): Pieces<readonly Candidate[]> {
  const limits = view.prune.view
  return viewsOver(view.outputs, Math.max(limits.tokens, limits.above ?? 0), limits, view)
}

/** Views by their tools' shapes of the outputs of which more than so many tokens are shown. */
export function* viewsOver(outputs: readonly VisibleOutput[], tokens: Tokens, limits: ViewLimits, help: PruneHelp): Pieces<readonly Candidate[]> {
  const found: Candidate[] = []
  for (const output of outputs) if (output.shown > tokens) found.push(candidateFor(output, 'view', yield* viewText(output, limits, help)))
  return found
}

/** Older outputs, as their most telling passages. */
function* condensedOutputs({ outputs, prune, estimator, excerpts }: PruneView): Pieces<readonly Candidate[]> {
  const { tokens, steps } = prune.condense
  const found: Candidate[] = []
  for (const output of outputs) {
    if (output.step < steps || output.shown <= tokens * 1.2) continue
    found.push(candidateFor(output, 'condensed', yield* excerpts.one(withoutBinary(output.output), tokens, estimator)))
  }
  return found
}

/** A rung that looks at each thing once. */
function atOnce(find: (view: PruneView) => readonly Candidate[]): (view: PruneView) => Pieces<readonly Candidate[]> {
  return function* (view) {
    yield
    return find(view)
  }
}

/** What views are made with. */
export type PruneHelp = Pick<PruneView, 'estimator' | 'excerpts' | 'reference' | 'toolPolicy'>

/** One output as a view by its tool's shape; the note at its end names the reference where there is one. */
export function viewText({ tool, output, whole }: Pick<VisibleOutput, 'tool' | 'output' | 'whole'>, limits: ViewLimits, help: PruneHelp): Pieces<string> {
  return viewInPieces(output, help.toolPolicy(tool).shape ?? 'generic', limits, help, help.reference(whole))
}
