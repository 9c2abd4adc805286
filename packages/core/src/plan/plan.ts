import { type Amount, replyReserve, resolveAmount } from '../budget/limits.ts'
import { shareOf } from '../budget/share.ts'
import { InvalidConfigurationError } from '../errors.ts'
import { isMarker, type Message, type Tokens } from '../history/message.ts'
import { omitUndefined } from '../history/omit-undefined.ts'
import type { Retention } from '../partition/partition.ts'
import type { Repair } from '../partition/repair.ts'
import type { CompactionPolicy, SummaryAuthor, SummaryStyle } from '../policy/policy.ts'
import type { Edit } from '../state/checkpoint.ts'
import type { Asked } from '../state/reason.ts'
import { type Context, editsOf, membersOf, type PlanInput, type Regions, regionsOf, sourceRepairs, sum, tokensAround, usableOf } from './context.ts'
import { isWorthRewriting } from './cost.ts'
import { bareRetention, culpritOf, type Fitted, fit, fitTail, leastRoom, type Most, mustStay, relaxations, roomForRequests } from './fit.ts'
import { goalsBetween } from './goals.ts'
import { withinRequest } from './request-limits.ts'
import { readShown, shortenOutputs } from './shorten.ts'
import { decideTrigger, type TriggerDecision } from './trigger.ts'

/** The summary that a plan wants: data, no bodies. */
export interface SummaryOrder {
  readonly version: number
  readonly style: SummaryStyle
  readonly author: SummaryAuthor
  /** Most uncalibrated Tokens of the model's text. */
  readonly tokens: Tokens
  /** Most uncalibrated Tokens of all that is sent for it: text, record, and what stands around them. */
  readonly room: Tokens
  /** Most uncalibrated Tokens of the record alone. */
  readonly record: Tokens
  /** Most of them for the user's own words. */
  readonly requests: Tokens
  readonly focus?: string
}

/**
 * What a compaction will do: plain JSON, indices into the history, never bodies (shortened outputs are the one exception: they are what will be sent).
 * Each index is in exactly one of `keep`, `summarize`, `drop` and `represented`.
 */
export interface CompactionPlan {
  readonly decision: TriggerDecision
  readonly keep: readonly number[]
  /** What is shown in other words; its messages are in `keep`. */
  readonly edits: readonly Edit[]
  /** What this plan's summary will replace. */
  readonly summarize: readonly number[]
  /** Left out, with a note in the summary that says so. */
  readonly drop: readonly number[]
  /** What earlier summaries already stand for. */
  readonly represented: readonly number[]
  readonly repairs: readonly Repair[]
  readonly summary?: SummaryOrder
  /** Calibrated. `after.summary` is the room given to the summary, of which it may use less. */
  readonly regions: { readonly before: Regions; readonly after: Regions }
  readonly tokens: { readonly before: Tokens; readonly after: Tokens }
  /** Calibrated Tokens in front of the first change: what the provider's prompt cache still serves. */
  readonly prefix: Tokens
  readonly retained: { readonly turns: number; readonly toolPairs: number }
  readonly warnings: readonly string[]
}

/**
 * The one composition: what is shown now → is there need → shorten outputs, cheapest loss first → keep the newest, summarize the rest,
 * giving up retention step by step until it fits → if nothing else helps, drop; if that does not help either, say what is at fault.
 * Pure: the same input gives the same plan. A dry run is a plan that nobody executed.
 */
export function planCompaction(input: PlanInput): CompactionPlan {
  const { policy } = input
  if (input.limits === undefined && policy.trigger.unknownLimits === 'error' && input.asked === undefined) {
    throw new InvalidConfigurationError(
      'limits',
      input.model ?? null,
      'no limits are known for this model: give them, or set trigger.unknownLimits to "no-trigger"',
    )
  }
  const plan = planWithin(input)
  const reply = replyReserve(input.limits ?? {}, policy.trigger.outputCap, input.maxOutput)
  const isAll = reply >= (input.limits?.contextWindow || Infinity)
  if (plan.decision.action !== 'infeasible') return isAll ? { ...plan, warnings: [...plan.warnings, tooLong(reply, input)] } : plan
  for (const maxOutput of smallerReplies(input, reply)) {
    const smaller = planWithin({ ...input, maxOutput })
    if (smaller.decision.action === 'infeasible') continue
    const decision = { ...smaller.decision, reason: plan.decision.reason }
    return { ...smaller, decision, warnings: [...smaller.warnings, tooLong(reply, input)] }
  }
  return plan
}

const tooLong = (reply: Tokens, { limits }: PlanInput): string =>
  `a reply of ${reply} tokens does not fit into the window of ${limits?.contextWindow} beside what must stay: the provider has to shorten it`

/** What is left for a reply that does not fit beside what must stay: the agent goes on with a shorter one rather than not at all. */
function smallerReplies({ limits, ceiling }: PlanInput, reply: Tokens): readonly Tokens[] {
  if (limits === undefined || ceiling !== undefined) return []
  return [4, 16].map((part) => Math.floor(limits.contextWindow / part)).filter((tokens) => tokens > 0 && tokens < reply)
}

function planWithin(input: PlanInput): CompactionPlan {
  const { policy } = input
  const shown = readShown(input)
  const { context, over } = withinRequest(shown)
  const usable = usableOf(input)
  const asked = input.asked ?? (shown.marker === undefined ? (over > 1 ? 'bytes' : undefined) : 'marker')
  const decision = decideTrigger(policy.trigger, {
    used: context.used,
    usable,
    ...omitUndefined({ asked, sizeAfter: input.state.breaker.sizeAfter }),
  })
  if (context.visible.length === 0) return unchanged(shown, shown, { ...decision, action: 'none' }, [])
  if (decision.action === 'none') return maintained(shown, context, decision)

  // Bytes over the limit are brought down in proportion: texts are most of them once the attachments are gone.
  const target = over > 1 ? Math.min(decision.target, Math.floor((context.total / over) * 0.8)) : decision.target
  const aimed = target === decision.target ? decision : { ...decision, target }
  // What would be rewritten by the next call is rewritten now, as the prompt's beginning changes anyway.
  const shortened = shortenOutputs(shortenOutputs(context, policy.prune.maintain, 0), policy.prune.ladder, target)
  const plan =
    !wantsSummary(asked, input.focus) && shortened.total <= target && isWorthIt(shown.total, shortened.total, policy, aimed)
      ? unchanged(shown, shortened, aimed, [])
      : planSummary(shown, context, shortened, aimed, usable)
  return asked === 'marker' ? withoutMarkers(plan, input.messages) : plan
}

/** Somebody asked for a summary, not only for room. */
function wantsSummary(asked: Asked | undefined, focus: string | undefined): boolean {
  return asked === 'agent' || asked === 'marker' || asked === 'background' || (asked === 'manual' && focus !== undefined)
}

/** A marker is done with, whatever came of it: nothing to free is an answer too. */
function withoutMarkers(plan: CompactionPlan, messages: readonly Message[]): CompactionPlan {
  const markers = plan.keep.filter((index) => isMarker(messages[index] as Message))
  if (markers.length === 0) return plan
  const action = plan.decision.action === 'none' ? 'prune' : plan.decision.action
  return {
    ...plan,
    decision: { ...plan.decision, action },
    keep: plan.keep.filter((index) => !markers.includes(index)),
    summarize: [...plan.summarize, ...markers].sort((a, b) => a - b),
    repairs: plan.repairs.filter((repair) => !markers.includes(repair.index)),
  }
}

/** Below the trigger: attachments beyond what a request may carry go, and the rungs of maintenance run where they pay. */
function maintained(shown: Context, context: Context, decision: TriggerDecision): CompactionPlan {
  const pruned = shortenOutputs(context, shown.input.policy.prune.maintain, 0)
  if (pruned.edits.size === shown.edits.size && pruned.total === shown.total) return unchanged(shown, shown, decision, [])
  const reason = context.total === shown.total ? 'maintenance' : 'bytes'
  const plan = unchanged(shown, pruned, { ...decision, action: 'prune', reason }, [])
  return reason === 'bytes' || paysOff(plan, shown.input) ? plan : unchanged(shown, shown, decision, [])
}

/** Whether a plan that nobody needs yet may be carried out now, by what it costs and saves. */
export function paysOff({ tokens, prefix, summary }: CompactionPlan, { policy, idle = Infinity }: PlanInput): boolean {
  const call = { summaryPrompt: summary === undefined ? 0 : tokens.before - tokens.after, summaryReply: summary?.tokens ?? 0 }
  return isWorthRewriting(policy.cost, { ...tokens, prefix, ...call, warm: idle < policy.cost.cacheTtl })
}

/** What a token of a summary and its record is worth beside one of all that stays whole. Source: npm run evals, 0.5 to 1.9 tried. */
const besideWhole = 1

/**
 * @param original As shown now. @param base The same, within the request's other limits: what is sent when nothing else is done.
 */
function planSummary(original: Context, base: Context, shortened: Context, decision: TriggerDecision, usable: Tokens): CompactionPlan {
  const { input } = original
  const { policy } = input
  const budget = usable === Infinity ? original.used : usable
  const warnings: string[] = []
  // Overheads measured in excess of the estimate count against the target too.
  const excess = Math.max(0, original.used - original.total)
  const { target } = decision
  // Either could use as much as there is; what a summary cannot use is found per retention.
  const share = shareOf(target, besideWhole, original.total, original.total)
  /** Looked at only where the target is out of reach. */
  const outOfReach = () => {
    const floor = mustStay(shortened, budget) + excess
    return { floor, requests: roomForRequests(shortened, budget), ...goalsBetween(original, { floor, target, budget }) }
  }
  const plans = function* (): Generator<{ readonly goal: Tokens; readonly retentions: Iterable<Retention>; readonly share: Tokens; readonly most: Most }> {
    if (target < budget) yield { goal: target, retentions: relaxations(policy, budget), share, most: () => target }
    const { between, roomy, floor, requests } = outOfReach()
    const small = Math.max(requests, Math.min(share, Math.max(0, between - floor) / 2))
    for (const goal of [between, roomy]) yield { goal, retentions: relaxations(policy, budget), share: small, most: () => share }
    // What is left beside the parts that must stay is for the summary and for what comes next, in equal parts.
    const most = (free: Tokens): Tokens => Math.max(requests, Math.min(share, free / 2))
    const bare = [bareRetention(policy, budget)]
    yield { goal: budget, retentions: bare, share: small, most }
    // What no reply followed yet stays whole as long as the summary can still quote the user: the model has not seen it.
    if (original.used > budget) yield { goal: budget, retentions: bare, share: requests, most }
  }
  for (const { goal, retentions, share: least, most } of plans()) {
    if (goal !== target && warnings.length === 0) warnings.push(`target of ${target} tokens is out of reach: the parts that must stay are larger`)
    for (const retention of retentions) {
      const fitted = fit(shortened, retention, goal - excess, least, most)
      if (fitted === undefined) continue
      const plan = summaryPlan(original, fitted, decision, warnings)
      if (plan.summary === undefined && plan.edits.length === original.edits.size) break
      if (isWorthIt(original.total, plan.tokens.after, policy, decision) || original.used > usable) return plan
      break
    }
  }
  if (original.used <= budget) {
    const action = base === original ? 'none' : 'prune'
    return unchanged(original, base, { ...decision, action }, ['nothing that may be removed would free enough'])
  }
  const { roomy, requests } = outOfReach()
  const limits = { budget: budget - excess, whole: share, requests }
  const tight = fitTail(shortened, { ...limits, goal: roomy - excess }) ?? fitTail(shortened, { ...limits, goal: budget - excess })
  if (tight !== undefined) return summaryPlan(original, tight, decision, [...warnings, 'the newest exchange was shortened to fit'])
  return unchanged(original, original, { ...decision, action: 'infeasible', culprit: culpritOf(shortened, budget) }, warnings)
}

function summaryPlan(original: Context, fitted: Fitted, decision: TriggerDecision, warnings: readonly string[]): CompactionPlan {
  const { context, partition, retention } = fitted
  const { input } = context
  const { checkpoint } = input
  const leaves = partition.remainder.length + fitted.drop.length > 0
  // A summary that only has to become smaller needs no model.
  const author = leaves ? authorOf(input, decision) : 'record'
  const indicesOf = (groups: readonly number[]): readonly number[] => groups.flatMap((at) => membersOf(context, at))
  const keep = indicesOf([...partition.pinned, ...partition.recent, ...partition.toolPairs, ...partition.related]).toSorted((a, b) => a - b)
  const remainder = indicesOf(partition.remainder)
  const markers = remainder.filter((index) => isMarker(input.messages[index] as Message))
  const drop = author === 'notice' ? remainder.filter((index) => !markers.includes(index)) : indicesOf(fitted.drop)
  const summarize = remainder.filter((index) => !drop.includes(index))
  const kept = new Set(keep)
  // A notice takes no more room than it needs.
  const room = author === 'notice' ? Math.min(fitted.room, Math.max(leastRoom(context), context.summary)) : fitted.room
  const shrinks = !leaves && room < context.summary && original.used > (decision.usable ?? Infinity)
  const order = summarize.length - markers.length + drop.length > 0 || shrinks ? orderOf(original, { ...fitted, room }, decision, author) : undefined
  const after = regionsOf(context, partition, order === undefined ? context.summary : room)
  return {
    decision,
    keep,
    edits: editsOf(context, kept),
    summarize,
    drop,
    represented: representedBy(input, context.visible),
    repairs: sourceRepairs(context).filter((repair) => kept.has(repair.index)),
    ...omitUndefined({ summary: order }),
    regions: { before: regionsOf(original), after },
    tokens: { before: original.total, after: sum(Object.values(after)) },
    prefix: prefixOf(original, context, kept, checkpoint?.summary !== undefined),
    retained: { turns: retention.turns, toolPairs: retention.toolPairs },
    warnings,
  }
}

function authorOf({ policy, summaryModelAway }: PlanInput, decision: TriggerDecision): SummaryAuthor {
  const { author, emergencyAuthor } = policy.summary
  if (author !== 'model') return author
  const isAway = summaryModelAway === true && decision.reason !== 'manual'
  return decision.action === 'emergency' || isAway ? emergencyAuthor : 'model'
}

/** What a token of a model's own words is worth beside one of the record: where there is little room, they say more in it. */
const besideRecord = 7 / 3

function orderOf(original: Context, { context, room }: Fitted, decision: TriggerDecision, author: SummaryAuthor): SummaryOrder {
  const { policy, state, checkpoint, focus } = context.input
  const uncalibrated = (tokens: Tokens): Tokens => Math.floor(tokens / state.calibration.factor)
  const mostOf = (amount: Amount): Tokens => uncalibrated(resolveAmount(amount, decision.usable ?? original.used))
  const roomFor = uncalibrated(room)
  const asked = focus ?? context.marker?.focus
  const record = author === 'notice' ? 0 : mostOf(policy.summary.record)
  return {
    version: (checkpoint?.version ?? 0) + 1,
    style: policy.summary.style,
    author,
    tokens: shareOf(roomFor - tokensAround(context.input), besideRecord, mostOf(policy.summary.tokens), record),
    room: roomFor,
    record,
    requests: mostOf(policy.retain.userRequests),
    ...omitUndefined({ focus: asked }),
  }
}

/** Tokens in front of the first message that leaves, comes in other words, or makes way for a summary that was not there. */
function prefixOf(before: Context, after: Context, kept: ReadonlySet<number>, summaryThere: boolean): Tokens {
  let tokens = before.overhead.total
  if (summaryThere && kept.size < before.visible.length) return tokens
  for (const [at, index] of before.visible.entries()) {
    if (!kept.has(index) || before.sizes[at] !== after.sizes[at]) break
    tokens += before.sizes[at] as Tokens
  }
  return tokens
}

/** Nothing leaves; what is shown in other words in `after` is all that happens. */
function unchanged(before: Context, after: Context, decision: TriggerDecision, warnings: readonly string[]): CompactionPlan {
  const { retain } = before.input.policy
  const regions = regionsOf(before)
  return {
    decision,
    keep: before.visible,
    edits: editsOf(after),
    summarize: [],
    drop: [],
    represented: representedBy(before.input, before.visible),
    repairs: sourceRepairs(before),
    regions: { before: regions, after: after === before ? regions : regionsOf(after) },
    tokens: { before: before.total, after: after.total },
    prefix: after === before ? before.total - before.summary : prefixOf(before, after, new Set(before.visible), false),
    retained: { turns: retain.turns, toolPairs: retain.toolPairs },
    warnings,
  }
}

function representedBy(input: PlanInput, visible: readonly number[]): readonly number[] {
  const { checkpoint } = input
  if (checkpoint === undefined) return []
  const shown = new Set(visible)
  return Array.from({ length: checkpoint.covered }, (_, index) => index).filter((index) => !shown.has(index))
}

function isWorthIt(before: Tokens, after: Tokens, policy: CompactionPolicy, decision: TriggerDecision): boolean {
  const gain = decision.reason === 'overflow' ? 0 : before * policy.trigger.minimumGain
  return before - after >= Math.max(1, gain)
}
