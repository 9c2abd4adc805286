import type { Edit } from './checkpoint.ts'
import { type Context, editKey, type PlanInput, usableOf, withEdits } from './context.ts'
import { resolveAmount } from './limits.ts'
import type { Message, Tokens } from './message.ts'
import { toolPolicy } from './policy.ts'
import { agedOutputs } from './prune/age.ts'
import { type Candidate, isPrunable, type VisibleOutput } from './prune/outputs.ts'
import { supersededOutputs } from './prune/supersede.ts'
import { viewOutput } from './prune/view.ts'

/** The rungs that need no summary, cheapest loss first; a rung runs only if the one before did not reach the target. */
export function shortenOutputs(context: Context, target: Tokens): Context {
  const { policy } = context.input
  const newest = context.groups.at(-1)?.start ?? 0
  let current = context
  const rung = (candidates: () => readonly (Candidate & { readonly kind: Edit['kind'] })[]): void => {
    if (current.total > target) current = replaceOutputs(current, candidates())
  }
  const open = (): readonly VisibleOutput[] =>
    current.outputs().filter((output) => output.index < newest && mayShorten(current, output) && !isEdited(current, output))
  if (policy.prune.supersede)
    rung(() =>
      supersededOutputs(current.outputs().filter((output) => output.index >= newest || mayShorten(current, output))).filter(
        (found) => found.output.index < newest && !isEdited(current, found.output),
      ),
    )
  const { age } = policy.prune
  if (age !== undefined) {
    const usable = Math.min(usableOf(context.input), Number.MAX_SAFE_INTEGER)
    const limits = { protect: resolveAmount(age.protect, usable), minimum: resolveAmount(age.minimum, usable), steps: age.steps }
    rung(() => agedOutputs(open(), limits).map((found) => ({ ...found, kind: 'aged' as const })))
  }
  rung(() =>
    open()
      .filter((output) => output.tokens > policy.prune.view.tokens)
      .map((output) => viewOf(context.input, output, policy.prune.view.tokens)),
  )
  return current
}

export function viewOf(input: PlanInput, output: VisibleOutput, tokens: Tokens): Candidate & { readonly kind: 'view' } {
  const { prune } = input.policy
  const shape = toolPolicy(prune, output.tool).shape ?? 'generic'
  return { output, kind: 'view', text: viewOutput(output.output, shape, { tokens, lineLength: prune.view.lineLength }, input.estimator) }
}

export function mayShorten(context: Context, output: VisibleOutput): boolean {
  const message = context.messages[output.index] as Message
  if (output.index < context.barrierEnd) return false
  return message.protected !== true && !context.input.policy.retain.roles.includes(message.role) && isPrunable(context.input.policy, output.tool)
}

function isEdited(context: Context, output: VisibleOutput): boolean {
  return context.edits.has(editKey(context.visible[output.index] as number, output.callId))
}

/** Takes each candidate that is smaller than what it replaces. */
export function replaceOutputs(context: Context, candidates: readonly (Candidate & { readonly kind: Edit['kind'] })[]): Context {
  const edits = new Map(context.edits)
  for (const { output, text, kind } of candidates) {
    const index = context.visible[output.index] as number
    const freed = output.tokens - context.input.estimator.count(text)
    const before = edits.get(editKey(index, output.callId))?.freed ?? 0
    if (freed > before) edits.set(editKey(index, output.callId), { index, callId: output.callId, kind, text, freed })
  }
  return withEdits(context, edits)
}
