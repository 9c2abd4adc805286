import type { Message } from '../../../history/message.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import type { PlanInput } from '../../../plan/context.ts'
import { planInPieces } from '../../../plan/plan.ts'
import { inSlices } from '../../platform/slices.ts'
import { inputOf, type Request } from '../measuring/measure.ts'
import type { Memory } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall } from '../session-types.ts'

export interface Planned {
  readonly plan: CompactionPlan
  readonly input: PlanInput
}

const plans = new WeakMap<PlanInput, CompactionPlan>()

async function planned(input: PlanInput, signal: AbortSignal | undefined): Promise<CompactionPlan> {
  const plan = plans.get(input) ?? (await inSlices(planInPieces(input), signal))
  plans.set(input, plan)
  return plan
}

/**
 * The pure decision, with what it needs from outside: vectors for what is related, a store that took the whole outputs. Remembers nothing.
 * @throws CompactionError when the context takes the place of the history and the outputs could not be stored; the abort reason of `call.signal`.
 */
export async function decide<M>(parts: SessionParts<M>, memory: Memory<M>, messages: readonly Message[], call: ModelCall, request: Request): Promise<Planned> {
  let input = inputOf(parts, memory, messages, call, request)
  let plan = await planned(input, call.signal)
  const again = async (more: Partial<PlanInput>): Promise<void> => {
    input = { ...input, ...more }
    plan = await planned(input, call.signal)
  }
  if (call.nextModel !== undefined && plan.decision.action !== 'none' && input.asked === undefined) await again({ asked: 'downshift' })
  if (plan.summary && input.policy.retain.semantic) {
    const { relatedTo } = await import('./related.ts')
    const related = await relatedTo(parts, plan, input, call.signal)
    if (related.size > 0) await again({ related })
  }
  // A reference that leads nowhere is worse than none.
  if (parts.kept && !(await (await import('./keep-outputs.ts')).outputsKept(parts, memory.state, plan, messages, call))) await again({ reference: undefined })
  return { plan, input }
}
