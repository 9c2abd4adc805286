import type { ArrivalView } from '../budget/estimate.ts'
import { withoutBinary } from '../history/binary.ts'
import type { Message, ToolResultPart } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { isHeld } from '../partition/partition.ts'
import { type PruneHelp, viewText } from '../prune/ladder.ts'
import { withWhole } from '../prune/outputs.ts'
import { notAllShown } from '../prune/view.ts'
import { endsOnly } from '../record/excerpts/excerpts.ts'
import type { Edit } from '../state/checkpoint.ts'
import type { Context } from './context.ts'
import { rulesFor } from './retain.ts'

/**
 * What outputs are shown as from the moment they arrive. This follows from the output and the policy alone, so it is stored in no checkpoint and never changes.
 * Data written as text (a screenshot in base64, say) tells a model nothing and is not shown, whatever the policy.
 */
export function* arrivalEdits(context: Context): Pieces<readonly Edit[]> {
  const { tokens, reference, policy } = context.input
  const { view } = policy.prune
  // Most outputs are too short to be cut, whatever they hold: those are passed over by their length.
  const least = view.when === 'arrival' ? Math.min(leastData, view.tokens, view.lineLength, Math.max(200, (view.bytes ?? Infinity) / 3)) : leastData
  const found: Edit[] = []
  for (const [at, message] of context.messages.entries()) {
    for (const part of message.parts) {
      if (part.type !== 'tool-result' || part.output.length < least) continue
      const { tool, text, freed } = yield* tokens.viewOf(part, reference ? 'referenced' : 'plain', () => viewOnArrival(context, part, at))
      if (freed <= 0 || !mayShorten(context, at, tool)) continue
      found.push({ index: context.visible[at] as number, callId: part.callId, kind: 'view', text, freed, arrival: true })
    }
  }
  return found
}

function* viewOnArrival(context: Context, part: ToolResultPart, at: number): Pieces<ArrivalView> {
  const { tokens, estimator, policy } = context.input
  const { view } = policy.prune
  const { output } = part
  const size = tokens.ofOutput(part, context.messages[at])
  const help = pruneHelp(context)
  // Some wire formats name the tool in the call only.
  const tool = part.tool || context.pairs.find((pair) => pair.callId === part.callId && pair.result === at)?.tool || ''
  const without = withoutBinary(output)
  yield
  let text: string | undefined
  const isOver = (): boolean =>
    output.length * 3 > (view.bytes ?? Infinity) ||
    size > view.tokens ||
    (output.length > view.lineLength && output.split('\n').some((line) => line.length > view.lineLength))
  if (view.when === 'arrival' && isOver()) text = yield* viewText({ tool, output, whole: output }, view, help)
  else if (output.length - without.length >= leastData) text = withWhole(without, notAllShown, help.reference(output))
  return text === undefined ? { tool, text: '', freed: 0 } : { tool, text, freed: size - estimator.count(text) }
}

/** An output is shown without its data from so many characters of it on: a shorter stretch may be a key or an icon that the agent has to pass on. */
const leastData = 8_192

/** Whether a message's parts may be shown in other words at all. */
export function mayTouch(context: Context, at: number): boolean {
  return at >= context.barrierEnd && !isHeld(context.messages[at] as Message, context.input.policy.retain)
}

/** Whether an output may be shown shorter. Not what a provider's own tool returned: that stands in the reply, which the provider takes back unchanged only. */
export function mayShorten(context: Context, at: number, tool: string): boolean {
  return mayTouch(context, at) && context.messages[at]?.role !== 'assistant' && rulesFor(context, tool).keep !== 'always'
}

export function pruneHelp(context: Context): PruneHelp {
  const { estimator, excerpts = endsOnly, reference = () => undefined } = context.input
  return {
    estimator,
    excerpts,
    reference,
    toolPolicy: (tool) => rulesFor(context, tool),
  }
}
