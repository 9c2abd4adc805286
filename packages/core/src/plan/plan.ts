import { leastWindow } from '../budget/limits.ts'
import { InvalidConfigurationError } from '../errors.ts'
import { isMarker, type Message } from '../history/message.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import type { Asked } from '../state/reason.ts'
import { unchanged } from './build-plan.ts'
import type { CompactionPlan } from './compaction-plan.ts'
import { type Context, type PlanInput, replyOf, usableOf, windowOf, withoutPassing } from './context.ts'
import { isWorthRewriting } from './cost.ts'
import { isWorthIt, planSummary } from './plan-summary.ts'
import { withinRequest } from './request-limits.ts'
import { readShownInPieces, shortenOutputs } from './shorten.ts'
import { decideTrigger, type TriggerDecision } from './trigger.ts'

/**
 * The one composition: what is shown now → is there need → shorten outputs, cheapest loss first → keep the newest, summarize the rest,
 * giving up retention step by step until it fits → if nothing else helps, drop, at last without a summary; if that does not help either, say what is at fault.
 * Pure: the same input gives the same plan. A dry run is a plan that nobody executed.
 *
 * @returns Indices into `input.messages`. What cannot be made to fit is `decision.action: 'infeasible'`, with its culprit.
 * @throws InvalidConfigurationError where nobody knows the limits and `trigger.unknownLimits` is "error"; for limits that are no numbers of tokens.
 */
export function planCompaction(input: PlanInput): CompactionPlan {
  return finished(planInPieces(input))
}

/** The same in pieces. */
export function* planInPieces(input: PlanInput): Pieces<CompactionPlan> {
  const { limits, policy } = input
  if (!limits && policy.trigger.unknownLimits === 'error' && !input.asked) {
    throw new InvalidConfigurationError('limits', input.model ?? null, 'none are known for this model: give them, or set trigger.unknownLimits to "no-trigger"')
  }
  const plan = yield* planWithin(input)
  const window = limits?.contextWindow || input.state.calibration.learnedWindow || Infinity
  const reply = replyOf(input, { ...limits, contextWindow: window })
  const warned = (plan: CompactionPlan): CompactionPlan => ({
    ...plan,
    warnings: [...plan.warnings, `a reply of ${reply} tokens does not fit into the window of ${window} beside what must stay: ask for less`],
  })
  const { action, usable } = plan.decision
  if (action !== 'infeasible') return reply >= window || Number(usable) > usableOf(input) ? warned(plan) : plan
  // The agent goes on with a shorter reply rather than not at all.
  for (const part of input.ceiling === undefined ? [4, 16] : []) {
    const maxOutput = Math.floor(window / part)
    if (maxOutput >= reply) continue
    const smaller = yield* planWithin({ ...input, maxOutput })
    if (smaller.decision.action === 'infeasible') continue
    return warned({ ...smaller, decision: { ...smaller.decision, reason: plan.decision.reason } })
  }
  return usableOf(input) < leastWindow ? plan : yield* planWithin({ ...input, alone: true })
}

function* planWithin(input: PlanInput): Pieces<CompactionPlan> {
  const { policy } = input
  const shown = yield* readShownInPieces(input)
  const { context: whole, over } = yield* withinRequest(shown)
  const usable = usableOf(input)
  const asked = input.asked ?? (shown.marker ? 'marker' : over > 1 ? 'bytes' : undefined)
  const decision = decideTrigger(policy.trigger, {
    used: whole.used,
    usable,
    window: windowOf(input),
    asked,
    provider: input.provider,
    sizeAfter: input.state.breaker.sizeAfter,
    passing: input.overhead.passing,
  })
  if (!whole.visible.length) return unchanged(shown, shown, { ...decision, action: 'none' })
  if (decision.action === 'none') return yield* maintained(shown, whole, decision)

  // Bytes over the limit are brought down in proportion: texts are most of them once the attachments are gone.
  const target = over > 1 ? Math.min(decision.target, Math.floor((whole.total / over) * 0.8)) : decision.target
  const aimed = { ...decision, target }
  const { context: lighter } = yield* withinRequest(yield* readShownInPieces(withoutPassing(input)))
  // What passes goes with a compaction: where all the rest would fit, something of it makes way.
  const context = lighter.total > target ? lighter : whole
  // What would be rewritten by the next call is rewritten now, as the prompt's beginning changes anyway.
  const shortened = yield* shortenOutputs(yield* shortenOutputs(context, policy.prune.maintain), policy.prune.ladder, target)
  const plan =
    !wantsSummary(asked, input.focus) && shortened.total <= target && isWorthIt(shown, shortened.total, aimed)
      ? unchanged(shown, shortened, aimed)
      : yield* planSummary(shown, whole, shortened, aimed, usable)
  return asked === 'marker' ? withoutMarkers(plan, input.messages) : plan
}

/** Somebody asked for a summary, not only for room. */
function wantsSummary(asked: Asked | undefined, focus: string | undefined): boolean {
  return asked === 'agent' || asked === 'marker' || asked === 'background' || (asked === 'manual' && focus !== undefined)
}

/** A marker is done with, whatever came of it: nothing to free is an answer too. */
function withoutMarkers(plan: CompactionPlan, messages: readonly Message[]): CompactionPlan {
  const markers = plan.keep.filter((index) => isMarker(messages[index] as Message))
  if (!markers.length) return plan
  const { decision } = plan
  return {
    ...plan,
    decision: decision.action === 'none' ? { ...decision, action: 'prune' } : decision,
    keep: plan.keep.filter((index) => !markers.includes(index)),
    summarize: [...plan.summarize, ...markers].sort((a, b) => a - b),
    repairs: plan.repairs.filter((repair) => !markers.includes(repair.index)),
  }
}

/** Below the trigger: attachments beyond what a request may carry go, and the rungs of maintenance run where they pay. */
function* maintained(shown: Context, context: Context, decision: TriggerDecision): Pieces<CompactionPlan> {
  const pruned = yield* shortenOutputs(context, shown.input.policy.prune.maintain)
  if (pruned.edits.size === shown.edits.size && pruned.total === shown.total) return unchanged(shown, shown, decision)
  const reason = context.total === shown.total ? 'maintenance' : 'bytes'
  const plan = unchanged(shown, pruned, { ...decision, action: 'prune', reason })
  return reason === 'bytes' || paysOff(plan, shown.input) ? plan : unchanged(shown, shown, decision)
}

/** Whether a plan that nobody needs yet may be carried out now, by what it costs and saves. */
export function paysOff({ tokens, prefix, summary }: CompactionPlan, { policy, warm = false }: PlanInput): boolean {
  const call = { summaryPrompt: summary ? tokens.before - tokens.after : 0, summaryReply: summary?.tokens ?? 0 }
  return isWorthRewriting(policy.cost, { ...tokens, prefix, ...call, warm })
}
