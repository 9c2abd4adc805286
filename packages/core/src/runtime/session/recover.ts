import { classifyError } from '../../budget/overflow.ts'
import { InsufficientBudgetError } from '../../errors.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { takenOver } from './committing/take-over.ts'
import { learnRefusal } from './measuring/learn-refusal.ts'
import { inputOf, type Request } from './measuring/measure.ts'
import type { Held } from './memory.ts'
import { prepare } from './prepare.ts'
import { read } from './read.ts'
import type { SessionParts } from './session-parts.ts'
import type { ModelCall, Prepared } from './session-types.ts'
import { isSent } from './smallest.ts'

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
  const { last } = held.memory
  const attempts: Request[] = []
  let isStated = false
  if (refusal.kind === 'malformed') attempts.push({})
  else {
    const { messages } = read(parts, history)
    const { memory, ceilings } = learnRefusal(parts, held.memory, refusal, messages, call)
    held.memory = memory
    // What another process has compacted meanwhile may fit as it is.
    const news = await takenOver(parts, memory, messages)
    if (news !== undefined) held.memory = news
    if (news !== undefined && inputOf(parts, news, messages, call).checkpoint?.id !== (last?.checkpoint ?? undefined))
      attempts.push(omitUndefined({ ceiling: ceilings[0] }))
    for (const ceiling of ceilings) attempts.push({ asked: 'overflow', ceiling })
    // Fewer attachments, with all texts.
    if (!ceilings.length) attempts.push({})
    isStated = ceilings.length > 1
  }
  let first: unknown
  for (const request of attempts) {
    try {
      const prepared = await prepare(parts, held, history, call, request)
      if (isSent(last, prepared.messages)) continue
      parts.emit('compact.recovered', 'warning', { from: refusal.kind, tokens_after: prepared.report.tokens.after })
      return prepared
    } catch (failure) {
      if (!InsufficientBudgetError.isInstance(failure)) throw failure
      first ??= failure
    }
  }
  // Where no number says what has to fit, the refusal itself says more.
  if (isStated && first !== undefined) throw first
  return undefined
}
