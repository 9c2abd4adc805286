import { replyReserve } from '../../../budget/limits.ts'
import { answerRefusal, type Overflow } from '../../../budget/refusal.ts'
import type { Message, Tokens } from '../../../history/message.ts'
import { usableOf } from '../../../plan/context.ts'
import { requestOf } from '../../../plan/request-limits.ts'
import { measureContext } from '../../../plan/shorten.ts'
import { initialState, withoutAnchor } from '../../../state/state.ts'
import { type Memory, withState } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall } from '../session-types.ts'
import { calibrationOf, inputOf, servedBy, servedName } from './measure.ts'

/** What a provider's refusal teaches; the last accepted measurement is none of what was refused. `ceilings`: how small the next attempt has to be. */
export function learnRefusal<M>(
  parts: SessionParts<M>,
  before: Memory<M>,
  refusal: Overflow,
  messages: readonly Message[],
  call: ModelCall,
): { readonly memory: Memory<M>; readonly ceilings: readonly Tokens[] } {
  const reply = refusal.reply ?? refusal.sent
  const attempt = before.refusals + 1
  const served = servedBy(call)
  const told = reply === undefined ? before.told : { ...served, asked: call.maxOutput, reply }
  const memory = { ...before, refusals: attempt, told }
  const input = inputOf(parts, memory, messages, call)
  const { limits, maxOutput } = input
  // Another call of this session may have been sent since.
  const { last } = memory
  const { estimate, total, media } = last?.messages.every((message, at) => message === messages[at]) ? last : measureContext(input)
  const published = limits === undefined ? Infinity : usableOf({ ...input, state: initialState })
  const reserve = (contextWindow: Tokens): Tokens => replyReserve({ ...limits, contextWindow }, parts.policy.trigger.outputCap, maxOutput)
  const { calibration, ceilings, believed } = answerRefusal(calibrationOf(parts, memory, served), refusal, {
    estimate,
    total,
    media,
    holds: requestOf(input),
    ...served,
    attempt,
    published,
    reserve,
    at: parts.clock.now(),
  })
  if (served.model) parts.learned.set(servedName(served), calibration)
  return { memory: withState({ ...memory, believed }, { ...withoutAnchor(memory.state), calibration }), ceilings }
}
