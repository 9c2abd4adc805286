import type { CompactionSession } from '../session/session-types.ts'
import type { LookUpTurn } from './turn.ts'

/** A session that measures a refused request as it went out: with our tool, the rounds of look-ups and what came back by itself. */
export function recovering<M>(
  session: Pick<CompactionSession<M>, 'recover'>,
  { callOf }: Pick<LookUpTurn<M, never, never>, 'callOf'>,
): Pick<CompactionSession<M>, 'recover'> {
  return { recover: (history, error, call = {}) => session.recover(history, error, callOf(call)) }
}
