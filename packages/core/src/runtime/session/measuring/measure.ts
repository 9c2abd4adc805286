import type { Calibration, ServedModel } from '../../../budget/calibrate.ts'
import { currentCalibration, isSameModel, seededCalibration } from '../../../budget/learned-window.ts'
import { fingerprint } from '../../../history/fingerprint.ts'
import type { Message, Tokens } from '../../../history/message.ts'
import { omitUndefined } from '../../../history/omit-undefined.ts'
import { sameValue } from '../../../history/same-value.ts'
import { digestName } from '../../../history/sha256.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import { type PlanInput, usableOf } from '../../../plan/context.ts'
import { fittingCheckpoint } from '../../../plan/fitting-checkpoint.ts'
import { excerptsByName } from '../../../record/excerpts/condense.ts'
import { marksOf } from '../../../state/forgotten.ts'
import { type CompactionState, type UsageAnchor, withoutAnchor } from '../../../state/state.ts'
import { isOpen } from '../../breaker.ts'
import { referenceOf } from '../../storage/output-reference.ts'
import type { Memory } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall } from '../session-types.ts'

/** What is asked of a plan, and what a refusal leaves it. */
export type Request = Pick<PlanInput, 'asked' | 'focus' | 'note' | 'ceiling' | 'summaryModelAway'>

/** All that a plan is made of: the conversation as it was read, the call, and what is remembered. */
export function inputOf<M>(
  parts: SessionParts<M>,
  memory: Memory<M>,
  messages: readonly Message[],
  call: ModelCall,
  more: Request & Pick<PlanInput, 'reference'> = {},
): PlanInput {
  const { last } = memory
  const { system, tools, memory: memoryTokens, passing } = call.overhead ?? {}
  const served = servedBy(call)
  const model = served.model ?? undefined
  // What a refusal says of a request holds for the next attempt, and is believed once that is accepted.
  const { learnedRequest } = (memory.refusals && memory.believed) || {}
  const calibration = { ...calibrationOf(parts, memory, served), ...(learnedRequest && { learnedRequest }) }
  const state = { ...measuredOn(memory.state, messages, served), calibration }
  const input: PlanInput = {
    messages,
    tokens: parts.tokens,
    estimator: parts.estimator,
    excerpts: excerptsByName,
    policy: parts.policy,
    limits: parts.limitsOf(model ?? ''),
    // What is no number counts as nothing.
    overhead: { system: system || 0, tools: tools || 0, memory: memoryTokens || 0, passing: passing || 0 },
    state,
    checkpoint: undefined,
    reference: parts.outputs && referenceOf,
    redacted: parts.redaction.redacted(),
    summaryModelAway: isOpen(parts.breakers, 'usual', parts.id, parts.clock.now()),
    warm: last !== undefined && parts.clock.now() - last.at < parts.policy.cost.cacheTtl,
    ...omitUndefined({
      model,
      maxOutput: askedReply(memory, call),
      provider: call.provider,
      settled: call.settled,
      tools: parts.tools,
      rungs: parts.rungs,
      rules: parts.rules,
    }),
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

/** The state without its last measurement where that was of another history, or of another model. */
function measuredOn(state: CompactionState, messages: readonly Message[], served: ServedModel): CompactionState {
  const { anchor } = state
  if (anchor === undefined) return state
  return isSameModel(anchor, served) && isMeasured(anchor, messages) ? state : withoutAnchor(state)
}

/** What was measured: a reader gives the same messages for what is said again. Their fingerprint takes its time: it is asked where they are gone, or came in other words. */
const measured = new WeakMap<UsageAnchor, readonly Message[]>()

/** The measurement of just these messages. What the one before was of is let go of: what was planned for these still holds that one, and so on, back to the first. */
export function measurementOf(messages: readonly Message[], anchor: UsageAnchor, before: UsageAnchor | undefined): UsageAnchor {
  measured.delete(before as UsageAnchor)
  measured.set(anchor, messages)
  return anchor
}

function isMeasured(anchor: UsageAnchor, messages: readonly Message[]): boolean {
  const before = anchor.fingerprint === undefined ? measured.get(anchor) : undefined
  if (before?.every((message, at) => message === messages[at])) return true
  const said = anchor.fingerprint ?? (before && fingerprint(before))
  return said === fingerprint(messages, anchor.length)
}

/** The memory without the history that it is of: what was measured and said is known by its fingerprint from then on. */
export function withoutHistory<M>(memory: Memory<M>): Memory<M> {
  const { last, state } = memory
  const anchor = state.anchor && { fingerprint: fingerprint(measured.get(state.anchor) ?? []), ...state.anchor }
  return {
    ...memory,
    state: anchor ? { ...state, anchor } : state,
    last: last && { fingerprint: fingerprint(last.messages), said: marksOf(last.messages), ...last, messages: [], context: [] },
  }
}

/** The model that a call goes to, and where: of an address, which may hold a key, nothing is kept but a hash, and of a hash itself. */
export function servedBy({ nextModel, model, endpoint }: ModelCall): ServedModel {
  const place = endpoint === undefined || /^[0-9a-f]{16}$/.test(endpoint) ? endpoint : digestName(endpoint)
  return { model: nextModel ?? model ?? null, endpoint: place }
}

/** A name for a model where it is served. */
export const servedName = ({ model, endpoint }: ServedModel): string => `${endpoint} ${model}`

/** How a model counts and what its window is, as far as this conversation knows, or others of this process where it has measured nothing. */
export function calibrationOf<M>(parts: SessionParts<M>, { state }: Memory<M>, served: ServedModel): Calibration {
  const now = parts.clock.now()
  const known = parts.learned.get(servedName(served))
  return seededCalibration(currentCalibration(state.calibration, served, now), known && currentCalibration(known, served, now))
}

/** The request that waits for the next call, if there is one. */
export function queuedRequest({ pending }: CompactionState): Request {
  if (pending === undefined) return {}
  return { asked: pending.by === 'agent' ? 'agent' : 'marker', ...omitUndefined({ focus: pending.focus }) }
}

/** Tokens that the model which is in use now can read, for its summaries. */
export function summaryWindow<M>(parts: SessionParts<M>, memory: Memory<M>, plan: CompactionPlan, messages: readonly Message[], call: ModelCall): Tokens {
  const { nextModel, endpoint: _of, ...current } = call
  const own = nextModel === undefined ? (plan.decision.usable ?? Infinity) : usableOf(inputOf(parts, memory, messages, current))
  return Number.isFinite(own) ? own : plan.decision.used
}

function askedReply<M>({ told }: Memory<M>, call: ModelCall): Tokens | undefined {
  const { maxOutput } = call
  return told !== undefined && isSameModel(told, servedBy(call)) && told.asked === maxOutput ? Math.max(told.reply, maxOutput ?? 0) : maxOutput
}
