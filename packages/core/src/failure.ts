import type { SummaryOrder } from './plan.ts'
import type { SummaryPolicy } from './policy.ts'
import type { SummaryRejection } from './summary/accept.ts'

/** What went wrong with one attempt at a summary. */
export type SummaryFailure = SummaryRejection | 'error' | 'overflow' | 'timeout'

/** What to try next. `shrink`: the share of the summariser's window that its input may take. */
export interface Attempt {
  readonly order: SummaryOrder
  readonly shrink: number
}

/**
 * The ladder after a failed attempt: a smaller input after an overflow (1 → 0.5 → 0.25), the fallback style once after anything else,
 * then the record made by code alone, which cannot fail.
 *
 * @returns The next attempt; its `order.askModel` is false on the last rung.
 */
export function planAfterFailure(attempt: Attempt, failure: SummaryFailure, policy: SummaryPolicy): Attempt {
  const { order, shrink } = attempt
  if (failure === 'overflow' && shrink > 0.25) return { order, shrink: shrink / 2 }
  if (failure !== 'timeout' && order.style !== policy.fallbackStyle) return { order: { ...order, style: policy.fallbackStyle }, shrink }
  return { order: { ...order, askModel: false }, shrink }
}
