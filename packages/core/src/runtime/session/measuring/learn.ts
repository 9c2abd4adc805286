import { calibrate, calibrateByRatio } from '../../../budget/calibrate.ts'
import { noteAccepted } from '../../../budget/learned-window.ts'
import { promptTokens, type TokenUsage } from '../../../budget/usage.ts'
import type { Message, Part, Tokens } from '../../../history/message.ts'
import { omitUndefined } from '../../../history/omit-undefined.ts'
import { sumOf } from '../../../history/sum-of.ts'
import type { Memory, Sent } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import { calibrationOf, measurementOf, servedName } from './measure.ts'

/** How many times what we sent a measured prompt may be, before a second one says the same: some servers report the sum of several calls. */
const most = 2
/** Tokens of a prompt that are believed whatever was sent: instructions and tools that nobody counted. */
const few = 1_750
/** How many times smaller than what we sent it may be: others report what their cache did not have. */
const least = 3.5
/** Share by which two readings that say the same may differ. */
const alike = 0.2

/** Estimate of messages that hold what a provider counts by rules of its own, or not at all: media, thoughts, items of its own. */
function unsure<M>({ tokens }: SessionParts<M>, messages: readonly Message[]): Tokens {
  const isSure = (part: Part): boolean => part.type === 'text' || part.type === 'tool-call' || (part.type === 'tool-result' && !part.attachments)
  return sumOf(messages, (message) => (message.parts.every(isSure) ? 0 : tokens.of(message)))
}

/** What a provider's count of what was sent teaches. */
export function learnUsage<M>(parts: SessionParts<M>, memory: Memory<M>, sent: Sent<M>, usage: TokenUsage): Memory<M> {
  const { clock, policy, emit } = parts
  const { state } = memory
  const { messages, length, checkpoint, served, fingerprint, estimate, total, media = 0 } = sent
  const before = (memory.refusals && memory.believed) || calibrationOf(parts, memory, served)
  if (checkpoint && state.anchor?.checkpoint !== checkpoint) emit('compact.continued', 'info', { checkpoint })
  const prompt = promptTokens(usage)
  const last = memory.last && { ...memory.last, at: clock.now() }
  const mostSent = prompt * least
  const learnedMedia = media * ((before.attached ?? 1) - 1)
  if (!(prompt > 0) || (mostSent < estimate && mostSent < estimate - unsure(parts, messages) - learnedMedia)) return { ...memory, last }
  // Another tokenizer makes a prompt larger by a factor, what nobody counted by a constant.
  const doubted = [prompt / total, prompt - total]
  const isSaidAgain = doubted.some((one, at) => Math.abs(one / (memory.doubted?.[at] ?? 0) - 1) <= alike)
  // Where attachments are most of a prompt, they are most of what a provider counts by rules of its own.
  if (prompt > Math.max(few, most * total) && !isSaidAgain && media * 2 < estimate) return { ...memory, last, doubted }
  const learn = policy.trigger.accounting === 'calibrated' ? calibrateByRatio : calibrate
  const calibration = noteAccepted(learn(before, estimate, prompt, media), prompt, served)
  // As it is estimated now.
  const counted = { length, checkpoint, ...served, ...omitUndefined({ fingerprint }), estimate: calibration.last?.estimate ?? estimate, usage }
  const anchor = measurementOf(messages, counted, state.anchor)
  // What another conversation learned of its window since stays.
  const since = parts.learned.get(servedName(served))?.learnedOf?.at ?? 0
  if (served.model && since <= (calibration.learnedOf?.at ?? since)) parts.learned.set(servedName(served), calibration)
  return { ...memory, last, doubted: undefined, state: { ...state, calibration, anchor } }
}
