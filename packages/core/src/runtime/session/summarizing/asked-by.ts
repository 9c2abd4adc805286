import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import type { PlanInput } from '../../../plan/context.ts'
import { readShown } from '../../../plan/shorten.ts'
import { isAutomatic, type TriggerReason } from '../../../state/reason.ts'

/** Whether somebody asked for it who is not the loop itself. */
export function isPersonal(input: PlanInput, reason: TriggerReason): boolean {
  if (reason !== 'marker') return !isAutomatic(reason)
  return (readShown(input).marker?.auto ?? input.state.pending?.by === 'loop') !== true
}

/** Whether a person asked: who waits for it gets the better writer. */
export function isForPerson(plan: CompactionPlan, input: PlanInput): boolean {
  const { reason } = plan.decision
  return plan.summary?.focus !== undefined || (reason !== 'agent' && isPersonal(input, reason))
}
