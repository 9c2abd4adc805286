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

/** `planCompaction` in pieces: a long history does not keep the event loop from others. */
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
  // Nothing fits beside a reply of this length. A shorter one is planned for, a quarter of the window or a sixteenth, so that the agent can go on.
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
  const { context: limited, over } = yield* withinRequest(shown)
  const usable = usableOf(input)
  const asked = input.asked ?? (shown.marker ? 'marker' : over > 1 ? 'bytes' : undefined)
  const decision = decideTrigger(policy.trigger, {
    used: limited.used,
    usable,
    window: windowOf(input),
    asked,
    provider: input.provider,
    sizeAfter: input.state.breaker.sizeAfter,
    passing: input.overhead.passing,
  })
  if (!limited.visible.length) return unchanged(shown, shown, { ...decision, action: 'none' })
  if (decision.action === 'none') return yield* maintained(shown, limited, decision)

  // Too many bytes: the target comes down in proportion, and a fifth more. Attachments have been taken out by now, so most bytes are text, as tokens are.
  const target = over > 1 ? Math.min(decision.target, Math.floor((limited.total / over) * 0.8)) : decision.target
  const aimed = { ...decision, target }
  const { context: lighter } = yield* withinRequest(yield* readShownInPieces(withoutPassing(input)))
  // `lighter` is without old look-ups, which any compaction takes away. Where that alone reaches the target, the plan starts from the context with them, so that
  // something of the history makes way as well.
  const context = lighter.total > target ? lighter : limited
  // Maintenance first: it would change the prompt's beginning at one of the next calls, and this plan changes it in any case.
  const shortened = yield* shortenOutputs(yield* shortenOutputs(context, policy.prune.maintain), policy.prune.ladder, target)
  const plan =
    !wantsSummary(asked, input.focus) && shortened.total <= target && isWorthIt(shown, shortened.total, aimed)
      ? unchanged(shown, shortened, aimed)
      : yield* planSummary(shown, limited, shortened, aimed)
  return asked === 'marker' ? withoutMarkers(plan, input.messages) : plan
}

/** Whether somebody asked for a summary: shorter outputs alone would not do. */
function wantsSummary(asked: Asked | undefined, focus: string | undefined): boolean {
  return asked === 'agent' || asked === 'marker' || asked === 'background' || (asked === 'manual' && focus !== undefined)
}

/** The plan with the markers (requests for a compaction that stand in the history) taken out: they are met, even where there was nothing to free. */
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

/** The plan below the trigger: takes out attachments beyond what a request may carry, and runs the rungs of `prune.maintain` where that pays. */
function* maintained(shown: Context, context: Context, decision: TriggerDecision): Pieces<CompactionPlan> {
  const pruned = yield* shortenOutputs(context, shown.input.policy.prune.maintain)
  if (pruned.edits.size === shown.edits.size && pruned.total === shown.total) return unchanged(shown, shown, decision)
  const reason = context.total === shown.total ? 'maintenance' : 'bytes'
  const plan = unchanged(shown, pruned, { ...decision, action: 'prune', reason })
  return reason === 'bytes' || paysOff(plan, shown.input) ? plan : unchanged(shown, shown, decision)
}

/** Whether a plan that is not needed yet is worth its cost: `cost` of the policy. */
export function paysOff({ tokens, prefix, summary }: CompactionPlan, { policy, warm = false }: PlanInput): boolean {
  const call = { summaryPrompt: summary ? tokens.before - tokens.after : 0, summaryReply: summary?.tokens ?? 0 }
  return isWorthRewriting(policy.cost, { ...tokens, prefix, ...call, warm })
}
