import { classifyError } from '../../budget/overflow.ts'
import { InsufficientBudgetError } from '../../errors.ts'
import type { CompactionSession, Prepared } from '../session/session-types.ts'
import type { LookUpTurn } from './turn-types.ts'

/**
 * A session that measures a refused request as it went out: with our tool, the rounds of look-ups and what came back by itself. Where nothing smaller can be
 * made beside those, or that is refused too, they are left out.
 */
export function recovering<M>(
  session: Pick<CompactionSession<M>, 'recover' | 'beforeModelCall'>,
  { callOf, goOnWithout }: Pick<LookUpTurn<M, never, never>, 'callOf' | 'goOnWithout'>,
): Pick<CompactionSession<M>, 'recover'> {
  let refusals = 0
  return {
    async recover(history, error, call = {}) {
      const smaller = (): Promise<Prepared<M> | undefined> => session.recover(history, error, callOf(call))
      if (classifyError(error).kind !== 'overflow') return smaller()
      let failed: unknown
      const found = await smaller().catch((failure: unknown) => {
        if (!InsufficientBudgetError.isInstance(failure)) throw failure
        failed = failure
      })
      const leftOut = (found === undefined || refusals++ > 0) && goOnWithout()
      if (found !== undefined) return found
      if (leftOut) return session.beforeModelCall(history, callOf(call))
      if (failed !== undefined) throw failed
      return undefined
    },
  }
}
