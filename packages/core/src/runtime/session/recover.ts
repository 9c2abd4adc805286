import { classifyError } from '../../budget/overflow.ts'
import { InsufficientBudgetError } from '../../errors.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { learnRefusal } from './learn-refusal.ts'
import type { Request } from './measure.ts'
import type { Held } from './memory.ts'
import { prepare } from './prepare.ts'
import { read } from './read.ts'
import type { SessionParts } from './session-parts.ts'
import type { ModelCall, Prepared } from './session-types.ts'

/**
 * A smaller or mended context after a refusal; undefined when compaction cannot help, or would send the same again.
 * @throws InsufficientBudgetError when what must stay is larger than the window that the refusal states.
 */
export async function recover<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  history: readonly M[],
  error: unknown,
  call: ModelCall,
): Promise<Prepared<M> | undefined> {
  const refusal = classifyError(error, parts.errorPatterns)
  if (refusal.kind === 'other' || refusal.kind === 'output') return undefined
  const sent = held.memory.last?.context
  const attempts: Request[] = []
  if (refusal.kind === 'malformed') attempts.push({})
  else {
    const { memory, ceilings } = learnRefusal(parts, held.memory, refusal, read(parts, history).messages, call)
    held.memory = memory
    for (const ceiling of ceilings) attempts.push({ asked: 'overflow', ...omitUndefined({ ceiling }) })
  }
  const prepared = await firstThatFits(attempts, (request) => prepare(parts, held, history, call, request))
  if (prepared === undefined) return undefined
  const { messages, report } = prepared
  if (sent?.length === messages.length && messages.every((message, at) => message === sent[at])) return undefined
  parts.emit('compact.recovered', 'warning', { from: refusal.kind, tokens_after: report.tokens.after })
  return prepared
}

/** @throws The first InsufficientBudgetError, where a number says what has to fit; without one the refusal itself says more. */
async function firstThatFits<T>(attempts: readonly Request[], attempt: (request: Request) => Promise<T>): Promise<T | undefined> {
  let first: unknown
  for (const request of attempts) {
    try {
      return await attempt(request)
    } catch (failure) {
      if (!InsufficientBudgetError.isInstance(failure)) throw failure
      first ??= failure
    }
  }
  if (attempts.length > 1) throw first
  return undefined
}
