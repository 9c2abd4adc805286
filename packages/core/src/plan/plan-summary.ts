import { shareOf } from '../budget/share.ts'
import type { Tokens } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import type { Retention } from '../partition/partition.ts'
import { summaryPlan, unchanged } from './build-plan.ts'
import type { CompactionPlan } from './compaction-plan.ts'
import { type Context, representedIn, usableOf } from './context.ts'
import { type Aim, bareRetention, culpritOf, fit, fitTail, mustStay, relaxations, roomForRequests, withFewerMedia } from './fit.ts'
import { goalsFor } from './goals.ts'
import { shortenNewest } from './shorten.ts'
import type { TriggerDecision } from './trigger.ts'

/** What a token of a summary and its record is worth beside one of all that stays whole. Source: npm run evals, 0.5 to 1.9 tried. */
const besideWhole = 1

/** Said where a firm tail gave way, and where next to nothing of any stays. */
const less = 'less stays than `retain`'

/**
 * @param original As shown now. @param base The same, within the request's other limits: what is sent when nothing else is done.
 */
export function* planSummary(original: Context, base: Context, pruned: Context, decision: TriggerDecision, usable: Tokens): Pieces<CompactionPlan> {
  const { input } = original
  const { policy } = input
  const { firm } = policy.retain
  const budget = usable === Infinity ? original.used : usable
  const relaxed = relaxations(policy, budget)
  const shortened = yield* withFewerMedia(yield* shortenNewest(pruned), budget)
  const warnings: string[] = []
  // Overheads measured in excess of the estimate count against the target too.
  const excess = Math.max(0, original.used - original.total)
  const { target } = decision
  // Either could use as much as there is; what a summary cannot use is found per retention.
  const share = shareOf(target, besideWhole, original.total, original.total)
  /** Looked at only where the target is out of reach. */
  const outOfReach = () => {
    const floor = mustStay(shortened, budget) + excess
    return { floor, requests: roomForRequests(shortened, budget), ...goalsFor(original, { floor, target, budget }) }
  }
  const plans = function* (): Generator<Aim & { readonly retentions: Iterable<Retention> }> {
    const first = firm ? relaxed.slice(0, 1) : relaxed
    if (target < budget) yield { goal: target, retentions: first, share, most: () => target }
    const { between, roomy, floor, requests } = outOfReach()
    const small = Math.max(roomForRequests(shortened, budget, representedIn(shortened)), Math.min(share, Math.max(0, between - floor) / 2))
    const beside = { share: small, most: () => share }
    // A firm tail goes before the target. It gives way to the budget, and to the next exchange: else the next call would compact again.
    yield { goal: between, retentions: first, ...beside }
    for (const goal of firm ? [roomy, between] : [roomy]) yield { goal, retentions: relaxed, ...beside }
    // What is left beside the parts that must stay is for the summary and for what comes next, in equal parts.
    const rest = (least: Tokens) => ({
      goal: budget,
      retentions: [bareRetention(policy, budget)],
      share: least,
      most: (free: Tokens): Tokens => Math.max(least, Math.min(share, free / 2)),
    })
    yield rest(small)
    // What no reply followed yet stays whole as long as the summary can still quote the user: the model has not seen it.
    if (original.used > budget) yield rest(requests)
  }
  for (const { goal, retentions, ...room } of plans()) {
    if (goal !== target && warnings.length === 0) warnings.push(`target of ${target} tokens is out of reach beside what must stay`)
    for (const retention of retentions) {
      yield
      const fitted = fit(shortened, retention, { ...room, goal: goal - excess })
      if (!fitted) continue
      const plan = summaryPlan(original, fitted, decision, firm && retention !== relaxed[0] ? [...warnings, less] : warnings)
      if (!plan.summary && plan.edits.length === original.edits.size) break
      if (isWorthIt(original, plan.tokens.after, decision) || original.used > usable) return plan
      break
    }
  }
  const action = base === original ? 'none' : 'prune'
  if (original.used <= budget) return unchanged(original, base, { ...decision, action }, ['too little can go'])
  const { roomy, requests } = outOfReach()
  // What no reply followed yet stays whole before a reply of which nobody said how long it is: that gets an eighth of the budget at least.
  const wide = usableOf({ ...input, maxOutput: input.maxOutput ?? input.limits?.maxOutput ?? budget >> 3 })
  if (original.used <= wide) return unchanged(original, base, { ...decision, action, usable: wide }, warnings)
  const whole = wide > budget && fit(shortened, bareRetention(policy, budget), { goal: wide - excess, share: requests, most: () => share })
  if (whole) return summaryPlan(original, whole, { ...decision, usable: wide }, warnings)
  const within = { budget: budget - excess, whole: share, requests }
  for (const goal of [roomy, budget]) {
    const tight = yield* fitTail(shortened, { ...within, goal: goal - excess })
    if (tight) return summaryPlan(original, tight, decision, [...warnings, less])
  }
  const culprit = culpritOf(shortened, within.budget)
  return unchanged(original, original, { ...decision, action: 'infeasible', culprit }, warnings)
}

/** Whether a compaction frees at least `trigger.minimumGain`; after a refusal, anything at all. */
export function isWorthIt({ total, input }: Context, after: Tokens, { reason }: TriggerDecision): boolean {
  const gain = reason === 'overflow' ? 0 : total * input.policy.trigger.minimumGain
  return total - after >= Math.max(1, gain)
}
