import { uncalibrated } from '../../budget/calibrate.ts'
import { type Infeasible, InsufficientBudgetError } from '../../errors.ts'
import type { Tokens } from '../../history/message.ts'
import { usableOf } from '../../plan/context.ts'
import { planInPieces } from '../../plan/plan.ts'
import { inSlices } from '../platform/slices.ts'
import type { Planned } from './deciding/decide.ts'
import type { Held } from './memory.ts'
import type { Prepared } from './session-types.ts'

/** Whether a context is the one that was handed out last. */
export function isSent<M>(last: { readonly context: readonly M[] } | undefined, context: readonly M[]): boolean {
  return last?.context.length === context.length && context.every((message, at) => message === last.context[at])
}

/** Parts of a request; each is a culprit once at most. */
const mostParts = 7

/**
 * A context that fits by its texts alone and does not by what was learned, or is assumed of attachments: it is sent at its smallest, and what the provider says
 * is learned.
 * @param within Prepares the same within so many Tokens.
 * @throws InsufficientBudgetError when the texts alone are too large, when just this was refused, or when the caller added something that it can leave out.
 */
export async function smallest<M>(held: Held<M>, { plan, input }: Planned, within: (ceiling: Tokens) => Promise<Prepared<M>>): Promise<Prepared<M>> {
  const culprit = plan.decision.culprit as Infeasible
  const { state, overhead, limits, ceiling } = input
  const calibration = { ...uncalibrated, factor: Math.min(1, state.calibration.factor), attached: 0 }
  const { decision } = await inSlices(planInPieces({ ...input, state: { ...state, calibration } }))
  const { last } = held.memory
  const over = culprit.tokens - culprit.available
  if (decision.culprit || (overhead.memory > 0 && limits !== undefined) || over <= 0) throw new InsufficientBudgetError(decision.culprit ?? culprit)
  let least = usableOf(input) + over
  // Where the other parts alone are more than there is, that much more is needed, and the culprit does not say how much.
  for (let parts = mostParts, at: Infeasible | undefined = culprit; at?.available === 0 && parts > 0; parts--) {
    at = (await inSlices(planInPieces({ ...input, ceiling: least }))).decision.culprit
    if (at !== undefined) least += at.tokens - at.available
  }
  const prepared = await within(least)
  if (ceiling !== undefined && isSent(last, prepared.messages)) throw new InsufficientBudgetError(culprit)
  return prepared
}
