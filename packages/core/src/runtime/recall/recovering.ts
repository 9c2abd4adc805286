import { classifyError } from '../../budget/overflow.ts'
import { InsufficientBudgetError } from '../../errors.ts'
import type { CompactionSession, Prepared } from '../session/session-types.ts'
import type { LookUpTurn } from './turn-types.ts'

/**
 * A session that measures a refused request as it went out: with our tool, the rounds of look-ups and what came back by itself. Where nothing smaller can be
 * made beside what this call looked up, that is left out.
 */
export function recovering<M>(
  session: Pick<CompactionSession<M>, 'recover' | 'beforeModelCall'>,
  { callOf, current, goOnWithout }: Pick<LookUpTurn<M, never, never>, 'callOf' | 'current' | 'goOnWithout'>,
): Pick<CompactionSession<M>, 'recover'> {
  return {
    async recover(history, error, call = {}) {
      const smaller = (): Promise<Prepared<M> | undefined> => session.recover(history, error, callOf(call))
      if (current().length === 0 || classifyError(error).kind !== 'overflow') return smaller()
      const found = await smaller().catch((failure: unknown) => {
        if (!InsufficientBudgetError.isInstance(failure)) throw failure
      })
      if (found !== undefined) return found
      goOnWithout()
      return session.beforeModelCall(history, callOf(call))
    },
  }
}
