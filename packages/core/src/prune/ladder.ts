import { withoutBinary } from '../history/binary.ts'
import type { Rung } from '../policy/policy.ts'
import { condense } from '../record/condense.ts'
import { agedOutputs, outputsOverBudget } from './age.ts'
import { failedArguments, oldArguments } from './arguments.ts'
import { oldMedia } from './media.ts'
import { type Candidate, candidateFor, type PruneView, type VisibleOutput } from './outputs.ts'
import { supersededOutputs } from './supersede.ts'
import { type ViewLimits, viewOutput } from './view.ts'

/** What each rung would show instead, oldest first. A new rung: its name in `rungs` of the policy, a function in a file of this room, a line here. */
export const rungCandidates: Readonly<Record<Rung, (view: PruneView) => readonly Candidate[]>> = {
  superseded: supersededOutputs,
  errors: failedArguments,
  arguments: oldArguments,
  aged: agedOutputs,
  'output-budget': outputsOverBudget,
  media: (view) => oldMedia(view),
  view: longOutputs,
  condensed: condensedOutputs,
}

/** Outputs longer than the policy's view, as a view by their tool's shape. */
function longOutputs(view: PruneView): readonly Candidate[] {
  const { outputs, prune } = view
  return outputs.filter((output) => output.shown > prune.view.tokens).map((output) => candidateFor(output, 'view', viewText(output, prune.view, view)))
}

/** Older outputs, as their most telling passages. */
function condensedOutputs({ outputs, prune, estimator }: PruneView): readonly Candidate[] {
  const { tokens, steps } = prune.condense
  return outputs
    .filter((output) => output.step >= steps && output.shown > tokens * 1.2)
    .map((output) => candidateFor(output, 'condensed', condense(withoutBinary(output.output), tokens, estimator)))
}

/** What views are made with. */
export type PruneHelp = Pick<PruneView, 'estimator' | 'reference' | 'toolPolicy'>

/** One output as a view by its tool's shape; the note at its end names the reference where there is one. */
export function viewText({ tool, output, whole }: Pick<VisibleOutput, 'tool' | 'output' | 'whole'>, limits: ViewLimits, help: PruneHelp): string {
  return viewOutput(output, help.toolPolicy(tool).shape ?? 'generic', limits, help.estimator, help.reference(whole))
}
