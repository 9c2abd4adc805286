import { calibrate, calibrateByRatio, noteAccepted } from '../../budget/calibrate.ts'
import { promptTokens, type TokenUsage } from '../../budget/usage.ts'
import type { Message, Part, Tokens } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { sum } from '../../plan/context.ts'
import { calibrationOf, measurementOf, servedName } from './measure.ts'
import type { Memory } from './memory.ts'
import type { SessionParts } from './session-parts.ts'

/** How many times larger or smaller than what we sent a measured prompt may be: some servers report the sum of several calls, others what their cache did not have. */
const believable = 3.5

/** Estimate of messages that hold what a provider counts by rules of its own, or not at all: media, thoughts, items of its own. */
function unsure<M>({ tokens }: SessionParts<M>, messages: readonly Message[]): Tokens {
  const isSure = (part: Part): boolean => part.type === 'text' || part.type === 'tool-call' || (part.type === 'tool-result' && !part.attachments)
  return sum(messages.map((message) => (message.parts.every(isSure) ? 0 : tokens.of(message))))
}

/** What a provider's count of the newest prompt teaches. Nothing, before anything was sent. */
export function learnUsage<M>(parts: SessionParts<M>, memory: Memory<M>, usage: TokenUsage): Memory<M> {
  if (memory.last === undefined) return memory
  const { clock, policy } = parts
  const prompt = promptTokens(usage)
  const last = { ...memory.last, at: clock.now() }
  const isAtLeast = (least: Tokens): boolean => prompt * believable >= least
  const isReading =
    prompt > 0 && prompt <= believable * Math.max(last.total, 500) && (isAtLeast(last.estimate) || isAtLeast(last.estimate - unsure(parts, last.messages)))
  if (!isReading) return { ...memory, last }
  const learn = policy.trigger.accounting === 'calibrated' ? calibrateByRatio : calibrate
  const { state } = memory
  const { messages, length, checkpoint, served, fingerprint, estimate } = last
  const anchor = measurementOf(messages, { length, checkpoint, ...served, ...omitUndefined({ fingerprint }), estimate, usage })
  const calibration = noteAccepted(learn(calibrationOf(parts, memory, served), estimate, prompt), prompt, served)
  if (served.model !== null) parts.learned.set(servedName(served), calibration)
  return { ...memory, last, state: { ...state, calibration, anchor } }
}
