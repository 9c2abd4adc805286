import type { SummaryPolicy } from '../policy/policy.ts'
import type { SummaryRejection } from '../summary/accept.ts'
import type { SummaryOrder } from './compaction-plan.ts'

/** What went wrong with one attempt at a summary. */
export type SummaryFailure = SummaryRejection | 'error' | 'overflow' | 'timeout'

/** What to try next. `shrink`: the share of the summarizer's window that its input may take. */
export interface Attempt {
  readonly order: SummaryOrder
  readonly shrink: number
  /** The request goes behind the messages as last sent. Tried once; after that the span is sent as text. */
  readonly ride: boolean
}

/**
 * The ladder after a failed attempt: a smaller input after an overflow (1 → 0.5 → 0.25), the fallback style once after anything else
 * but a timeout and prose that is too short, then what the policy wants in an emergency: the record made by code, or a notice. Neither can fail.
 *
 * @returns The next attempt; its author is no model on the last rung.
 */
export function planAfterFailure(attempt: Attempt, failure: SummaryFailure, policy: SummaryPolicy): Attempt {
  const { order, shrink } = attempt
  if (attempt.ride) return { ...attempt, ride: false }
  if (failure === 'overflow' && shrink > 0.25) return { ...attempt, shrink: shrink / 2 }
  if (failure !== 'timeout' && failure !== 'too-short' && order.style !== policy.fallbackStyle)
    return { ...attempt, order: { ...order, style: policy.fallbackStyle } }
  return { ...attempt, order: { ...order, author: withoutModel(policy) } }
}

/** Who writes where no model can. */
export function withoutModel({ emergencyAuthor }: SummaryPolicy): 'record' | 'notice' {
  return emergencyAuthor === 'model' ? 'record' : emergencyAuthor
}
