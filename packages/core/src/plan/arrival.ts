import { withoutBinary } from '../history/binary.ts'
import { hashOf } from '../history/hash.ts'
import { memoized } from '../history/memoize.ts'
import type { Message, ToolResultPart } from '../history/message.ts'
import { type PruneHelp, viewText } from '../prune/ladder.ts'
import { withWhole } from '../prune/outputs.ts'
import { notAllShown, type ViewLimits } from '../prune/view.ts'
import type { Edit } from '../state/checkpoint.ts'
import type { Context, PlanInput } from './context.ts'
import { rulesFor } from './retain.ts'

/** What outputs are shown as from their arrival on: depends on the output and the policy alone, so it needs no checkpoint and never changes. Data written as text (a screenshot in base64, say) tells a model nothing and is never shown, whatever the policy. */
export function arrivalEdits(context: Context): readonly Edit[] {
  const { input } = context
  const { view } = input.policy.prune
  const help = pruneHelp(context)
  const found: Edit[] = []
  context.messages.forEach((message, at) => {
    if (!mayTouch(context, at)) return
    for (const part of message.parts) {
      if (part.type !== 'tool-result') continue
      const isLong = view.when === 'arrival' && isOverView(part, view, input)
      if (!isLong && !holdsData(part)) continue
      // Some wire formats name the tool in the call only.
      const tool = part.tool || (context.pairs.find((pair) => pair.callId === part.callId && pair.result === at)?.tool ?? '')
      if (rulesFor(context, tool).keep === 'always') continue
      const text = input.tokens.viewOf(part, input.stored === true ? 'referenced' : 'plain', () =>
        isLong
          ? viewText({ tool, output: part.output, whole: part.output }, view, help)
          : withWhole(withoutBinary(part.output), notAllShown, help.reference(part.output)),
      )
      const freed = input.tokens.ofOutput(part) - input.estimator.count(text)
      if (freed > 0) found.push({ index: context.visible[at] as number, callId: part.callId, kind: 'view', text, freed, arrival: true })
    }
  })
  return found
}

/** Characters of data from which on an output is shown without it: less may be a key or an icon that the agent has to hand on. */
const leastData = 8_192
const dataIn = new WeakMap<ToolResultPart, boolean>()

function holdsData(part: ToolResultPart): boolean {
  if (part.output.length < leastData) return false
  return memoized(dataIn, part, () => part.output.length - withoutBinary(part.output).length >= leastData)
}

/** Cheap refusals first: most outputs are small. */
function isOverView(part: ToolResultPart, view: ViewLimits, input: PlanInput): boolean {
  const { length } = part.output
  if (length > view.lineLength && part.output.split('\n').some((line) => line.length > view.lineLength)) return true
  return (view.bytes !== undefined && length * 3 > view.bytes && length > 200) || (length > view.tokens && input.tokens.ofOutput(part) > view.tokens)
}

/** Whether a message's parts may be shown in other words at all. */
export function mayTouch(context: Context, at: number): boolean {
  const message = context.messages[at] as Message
  return at >= context.barrierEnd && message.protected !== true && !context.input.policy.retain.roles.includes(message.role)
}

export function pruneHelp(context: Context): PruneHelp {
  const { estimator, stored } = context.input
  return {
    estimator,
    reference: (output) => (stored === true ? referenceOf(output) : undefined),
    toolPolicy: (tool) => rulesFor(context, tool),
  }
}

/** Id of a stored output: the same text has the same id. */
export function referenceOf(output: string): string {
  return `out-${hashOf(output)}`
}
