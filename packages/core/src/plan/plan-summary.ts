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

/** How much a token of the summary is worth, compared with a token of the messages that stay whole: the same. Source: npm run evals, 0.5 to 1.9 tried. */
const besideWhole = 1

/** The warning of a plan that keeps less than the policy's `retain` asks for. */
const less = 'less stays than `retain`'

/**
 * The plan that keeps the newest messages and has the others summarized. Tries one aim after another, from the policy's target to whatever fits the budget, and for
 * each aim one retention after another, from all that the policy wants kept to the bare minimum; the first that fits is the plan.
 *
 * @param original The context as it is shown now.
 * @param base The same with as many attachments as a request may carry: this is sent where the plan is to do nothing more.
 * @param pruned The context with its outputs shortened: this is what is divided into kept and summarized.
 */
export function* planSummary(original: Context, base: Context, pruned: Context, decision: TriggerDecision): Pieces<CompactionPlan> {
  const { input } = original
  const { policy } = input
  const { firm } = policy.retain
  const budget = decision.usable ?? original.used
  const relaxed = relaxations(policy, budget)
  const shortened = yield* withFewerMedia(yield* shortenNewest(pruned), budget)
  const warnings: string[] = []
  // What the provider counted beyond our estimate takes room as well: each goal is lowered by it.
  const excess = Math.max(0, original.used - original.total)
  const { target } = decision
  // No limit for either part yet: `fit` knows how much a summary can use, as that depends on what is kept.
  const share = shareOf(target, besideWhole, original.total, original.total)
  // A function, as it takes a while and is needed only where the target is out of reach.
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
    // With `retain.firm` the tail stays whole even if the target is missed. It is cut only where the context would not fit at all, or would leave no room for the next
    // exchange, so that the next call had to compact again.
    yield { goal: between, retentions: first, ...beside }
    for (const goal of firm ? [roomy, between] : [roomy]) yield { goal, retentions: relaxed, ...beside }
    // Only what must stay is kept. Half of the room beside it is the summary's, the other half is left for what comes next.
    const rest = (least: Tokens) => ({
      goal: budget,
      retentions: [bareRetention(policy, budget)],
      share: least,
      most: (free: Tokens): Tokens => Math.max(least, Math.min(share, free / 2)),
    })
    yield rest(small)
    // The model has not seen the newest outputs yet: before they are cut, the summary shrinks to the room in which it can still quote the user.
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
      if (isWorthIt(original, plan.tokens.after, decision) || original.used > budget) return plan
      break
    }
  }
  const action = base === original ? 'none' : 'prune'
  if (original.used <= budget) return unchanged(original, base, { ...decision, action }, ['too little can go'])
  const { roomy, requests } = outOfReach()
  // Where nobody said how long the reply may be, it can do with an eighth of the budget: rather that than cut outputs that the model has not seen.
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

/** Whether a compaction frees at least the share `trigger.minimumGain` of the context; after a refusal, any token will do. @param after - Size that it leads to. */
export function isWorthIt({ total, input }: Context, after: Tokens, { reason }: TriggerDecision): boolean {
  const gain = reason === 'overflow' ? 0 : total * input.policy.trigger.minimumGain
  return total - after >= Math.max(1, gain)
}
