import { withoutBinary } from '../history/binary.ts'
import type { Tokens } from '../history/message.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import type { Rung, RungName } from '../policy/policy.ts'
import { candidatesOf } from '../prune/custom-rung.ts'
import { rungCandidates, viewsOver } from '../prune/ladder.ts'
import { oldMedia } from '../prune/media.ts'
import { type Candidate, candidateFor, type PruneView, type VisibleOutput, whereWhole } from '../prune/outputs.ts'
import { endsOnly, leftOut } from '../record/excerpts/excerpts.ts'
import { arrivalEdits, pruneHelp } from './arrival.ts'
import { byPlace, type Context, editKey, type Measured, type PlanInput, usableOf } from './context.ts'
import { readContext, withEdits } from './read-context.ts'
import { measured } from './regions.ts'
import { initialRetention, keptBy, partitionContext } from './retain.ts'
import { pruneView } from './visible.ts'

const shownFor = new WeakMap<PlanInput, Context>()

/** The context as it is shown now, outputs seen as the policy wants them from their arrival on. Read once per input. */
export function readShown(input: PlanInput): Context {
  return finished(readShownInPieces(input))
}

/** `readShown` in pieces. */
export function* readShownInPieces(input: PlanInput): Pieces<Context> {
  const context = shownFor.get(input) ?? (yield* readContext(input, arrivalEdits))
  shownFor.set(input, context)
  return context
}

export function measureContext(input: PlanInput): Measured {
  return measured(readShown(input))
}

/** Climbs a ladder: each rung runs while the context is larger than the target; without a target all of them do. */
export function* shortenOutputs(context: Context, ladder: readonly RungName[], target: Tokens = 0): Pieces<Context> {
  let current = context
  for (const rung of ladder) {
    if (current.total <= target) continue
    if (current === context) for (const message of context.messages) yield* context.input.redacted?.ahead(message) ?? []
    const own = context.input.rungs?.find(({ name }) => name === rung)
    const view = pruneView(current)
    const candidates = rung === 'view' ? viewsOf(current, view, target) : own ? candidatesOf(own, view) : rungCandidates[rung as Rung](view)
    current = yield* replace(current, yield* candidates)
  }
  return current
}

/**
 * The rung `view`. Passages that name most are worth finding only in outputs that will be seen: in all of them where this rung is the last that is needed, else in those
 * that the policy keeps. The others go into a summary, and are cut to their ends, which is fast.
 */
function* viewsOf(context: Context, view: PruneView, target: Tokens): Pieces<readonly Candidate[]> {
  const { input } = context
  const byEnds = yield* rungCandidates.view({ ...view, excerpts: endsOnly })
  const shorter = yield* replace(context, byEnds)
  if (target === 0 || shorter.total <= target) return yield* rungCandidates.view(view)
  const isKept = keptBy(context, partitionContext(shorter, initialRetention(input.policy, usableOf(input))))
  const outputs = view.outputs.filter(({ index }) => isKept(index))
  const byName = byPlace(yield* rungCandidates.view({ ...view, outputs }))
  return byEnds.map((one) => byName.get(editKey(one)) ?? one)
}

/** The context with its newest attachments only, at most so many. */
export function keepMedia(context: Context, most: number): Pieces<Context> {
  return replace(context, oldMedia(pruneView(context), most))
}

/** The context with the outputs of its newest turns cut to `retain.outputTokens`, where the policy has that. */
export function* shortenNewest(context: Context): Pieces<Context> {
  const { outputTokens: most, turns } = context.input.policy.retain
  if (most === undefined) return context
  const newest = pruneView(context).outputs.filter(({ turn }) => turn < turns)
  return yield* replace(context, yield* viewsWithin(context, newest, most))
}

/** Views under their tools' shapes of the outputs that are longer than so many tokens. */
export function viewsWithin(context: Context, outputs: readonly VisibleOutput[], tokens: Tokens): Pieces<readonly Candidate[]> {
  const { lineLength } = context.input.policy.prune.view
  return viewsOver(outputs, tokens, { tokens, lineLength }, pruneHelp(context))
}

/** Least Tokens of an output that is worth shortening with others, and what the note at its end takes. */
const leastTogether = 120
const noteTokens = 16

/** Outputs shortened together: passages that name most, chosen across all of them, so that one output may get more room than another. Each ends with a note of what is left out. */
export function* viewsTogether(context: Context, outputs: readonly VisibleOutput[], tokens: Tokens): Pieces<readonly Candidate[]> {
  const { estimator } = context.input
  const help = pruneHelp(context)
  const long = outputs.filter((output) => output.tokens > leastTogether)
  const notes = long.map((output) => whereWhole(help.reference(output.whole)))
  const sources = long.map((output) => ({ text: withoutBinary(output.output), isError: output.isError }))
  const excerpts = yield* help.excerpts.together(sources, tokens - estimator.count(notes.join('')) - long.length * noteTokens, estimator)
  return long.map((output, at) => {
    const shown = excerpts[at] ?? ''
    return candidateFor(output, 'view', `${shown}\n${leftOut(output.output, shown, notes[at])}`.trimStart())
  })
}

/** The context with each candidate that is shorter than what is shown in its place. */
export function* replace(context: Context, candidates: readonly Candidate[]): Pieces<Context> {
  if (candidates.length === 0) return context
  const edits = new Map(context.edits)
  for (const { index: at, callId, kind, text, before } of candidates) {
    yield
    const index = context.visible[at] as number
    const key = editKey({ index, callId, kind })
    const freed = before - context.input.estimator.count(text)
    if (freed > (edits.get(key)?.freed ?? 0)) edits.set(key, { index, callId, kind, text, freed })
  }
  return withEdits(context, edits)
}
