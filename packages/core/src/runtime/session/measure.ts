import { type Calibration, currentCalibration, seededCalibration } from '../../budget/calibrate.ts'
import type { ModelLimits } from '../../budget/limits.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message, Tokens } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { sameValue } from '../../history/same-value.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import { type PlanInput, usableOf } from '../../plan/context.ts'
import { fittingCheckpoint } from '../../plan/fitting-checkpoint.ts'
import { type CompactionState, withoutAnchor } from '../../state/state.ts'
import type { Memory } from './memory.ts'
import type { SessionParts } from './session-parts.ts'
import type { ModelCall } from './session-types.ts'

/** What is asked of a plan, and what a refusal leaves it. */
export type Request = Pick<PlanInput, 'asked' | 'focus' | 'note' | 'ceiling' | 'summaryModelAway'>

/** All that a plan is made of: the conversation as it was read, the call, and what is remembered. */
export function inputOf<M>(
  parts: SessionParts<M>,
  memory: Memory<M>,
  messages: readonly Message[],
  call: ModelCall,
  more: Request & Pick<PlanInput, 'stored'> = {},
): PlanInput {
  const { last } = memory
  const { system, tools, memory: memoryTokens, passing } = call.overhead ?? {}
  const model = call.nextModel ?? call.model
  const state = { ...measuredOn(memory.state, messages), calibration: calibrationOf(parts, memory, model ?? null) }
  const limits: ModelLimits | undefined = typeof parts.limits === 'function' ? parts.limits(model ?? '') : parts.limits
  const input: PlanInput = {
    messages,
    tokens: parts.tokens,
    estimator: parts.estimator,
    policy: parts.policy,
    limits,
    // What is no number counts as nothing.
    overhead: { system: system || 0, tools: tools || 0, memory: memoryTokens || 0, passing: passing || 0 },
    state,
    checkpoint: undefined,
    stored: parts.outputs !== undefined,
    redacted: parts.redaction.redacted(),
    summaryModelAway: parts.breakers.isOpen(parts.summarizer.name),
    ...omitUndefined({ provider: call.provider, settled: call.settled, tools: parts.tools, rungs: parts.rungs, rules: parts.rules }),
    warm: last !== undefined && parts.clock.now() - last.at < parts.policy.cost.cacheTtl,
    ...omitUndefined({ model, maxOutput: replyOf(memory, call) }),
    ...more,
  }
  const found = { ...input, checkpoint: fittingCheckpoint(input, state.checkpoints) }
  const before = inputs.get(messages)
  if (before !== undefined && sameValue(before, found)) return before
  inputs.set(messages, found)
  return found
}

/** The newest for a list: one that says the same is the same, with all that was made of it. */
const inputs = new WeakMap<readonly Message[], PlanInput>()

/** The state without its last measurement where that was of another history. */
function measuredOn(state: CompactionState, messages: readonly Message[]): CompactionState {
  const { anchor } = state
  const same = anchor?.fingerprint === undefined || anchor.fingerprint === fingerprint(messages, anchor.length)
  return same ? state : withoutAnchor(state)
}

/** How a model counts and what its window is, as far as this conversation knows, or others of this process where it has measured nothing. */
export function calibrationOf<M>(parts: SessionParts<M>, { state }: Memory<M>, model: string | null): Calibration {
  const now = parts.clock.now()
  const known = model === null ? undefined : parts.learned.get(model)
  return seededCalibration(currentCalibration(state.calibration, model, now), known && currentCalibration(known, model, now))
}

/** The request that waits for the next call, if there is one. */
export function queuedRequest({ pending }: CompactionState): Request {
  if (pending === undefined) return {}
  return { asked: pending.by === 'agent' ? 'agent' : 'marker', ...omitUndefined({ focus: pending.focus }) }
}

/** Tokens that the model which is in use now can read, for its summaries. */
export function summaryWindow<M>(parts: SessionParts<M>, memory: Memory<M>, plan: CompactionPlan, messages: readonly Message[], call: ModelCall): Tokens {
  const { nextModel, ...current } = call
  const own = nextModel === undefined ? (plan.decision.usable ?? Infinity) : usableOf(inputOf(parts, memory, messages, current))
  return Number.isFinite(own) ? own : plan.decision.used
}

function replyOf<M>({ told }: Memory<M>, { model, nextModel, maxOutput }: ModelCall): Tokens | undefined {
  return told !== undefined && told.model === (nextModel ?? model) && told.asked === maxOutput ? Math.max(told.reply, maxOutput ?? 0) : maxOutput
}
