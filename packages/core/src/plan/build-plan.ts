import { type Amount, resolveAmount } from '../budget/limits.ts'
import { shareOf } from '../budget/share.ts'
import { isMarker, type Message, type Tokens } from '../history/message.ts'
import { sumOf } from '../history/sum-of.ts'
import { isHeld, keptGroups } from '../partition/partition.ts'
import type { SummaryAuthor } from '../policy/policy.ts'
import type { CompactionPlan, SummaryOrder } from './compaction-plan.ts'
import { type Context, editsOf, membersOf, type PlanInput, representedIn, sourceRepairs } from './context.ts'
import { withoutModel } from './failure.ts'
import { type Fitted, leastRoom } from './fit.ts'
import { tokensAround } from './read-context.ts'
import { regionsAfter, regionsOf } from './regions.ts'
import type { TriggerDecision } from './trigger.ts'

/** The plan of one fitted partition: what stays, what its summary replaces, and the order for that summary. */
export function summaryPlan(original: Context, fitted: Fitted, decision: TriggerDecision, warnings: readonly string[]): CompactionPlan {
  const { context, partition, retention } = fitted
  const { input } = context
  const leaves = partition.remainder.length > 0
  // A summary that only has to become smaller needs no model.
  const author = leaves ? authorOf(input, decision) : 'record'
  const keep = membersOf(context, keptGroups(partition))
  const remainder = membersOf(context, partition.remainder)
  const markers = remainder.filter((index) => isMarker(input.messages[index] as Message))
  const drop = author === 'notice' || !fitted.room ? remainder.filter((index) => !markers.includes(index)) : membersOf(context, fitted.drop)
  const summarize = remainder.filter((index) => !drop.includes(index))
  const kept = new Set(keep)
  // A notice takes no more room than it needs.
  const room = author === 'notice' ? Math.min(fitted.room, Math.max(leastRoom(context), context.summary)) : fitted.room
  const shrinks = !leaves && room < context.summary && original.used > (decision.usable ?? Infinity)
  const order = room && (remainder.length > markers.length || shrinks) ? orderOf(original, { ...fitted, room }, decision, author) : undefined
  const after = regionsAfter(context, partition, !order && room ? context.summary : room)
  return {
    decision,
    keep,
    edits: editsOf(context, kept),
    summarize,
    drop,
    represented: representedIn(context),
    repairs: sourceRepairs(context).filter((repair) => kept.has(repair.index)),
    ...(order && { summary: order }),
    regions: { before: regionsOf(original), after },
    tokens: { before: original.total, after: sumOf(Object.values(after)) },
    prefix: prefixOf(original, context, kept),
    retained: { turns: retention.turns, toolPairs: retention.toolPairs, pinned: membersOf(context, partition.pinned).length },
    warnings,
  }
}

function authorOf({ policy, summaryModelAway }: PlanInput, decision: TriggerDecision): SummaryAuthor {
  const { author, emergencyAuthor } = policy.summary
  if (author !== 'model') return author
  if (summaryModelAway && decision.reason !== 'manual') return withoutModel(policy.summary)
  return decision.action === 'emergency' ? emergencyAuthor : 'model'
}

/** What a token of a model's own words is worth beside one of the record: where there is little room, they say more in it. */
const besideRecord = 7 / 3

function orderOf(original: Context, { context, room }: Fitted, decision: TriggerDecision, author: SummaryAuthor): SummaryOrder {
  const { policy, state, checkpoint, focus = context.marker?.focus } = context.input
  const uncalibrated = (tokens: Tokens): Tokens => Math.floor(tokens / state.calibration.factor)
  const mostOf = (amount: Amount): Tokens => uncalibrated(resolveAmount(amount, decision.usable ?? original.used))
  const roomFor = uncalibrated(room)
  const record = author === 'notice' ? 0 : mostOf(policy.summary.record)
  return {
    version: (checkpoint?.version ?? 0) + 1,
    style: policy.summary.style,
    author,
    tokens: shareOf(roomFor - tokensAround(context.input), besideRecord, mostOf(policy.summary.tokens), record),
    room: roomFor,
    record,
    requests: mostOf(policy.retain.userRequests),
    ...(focus !== undefined && { focus }),
  }
}

/** Tokens in front of the first message that leaves, comes in other words, or makes way for a summary that was not there. @param kept - Absent: all stay. */
function prefixOf(before: Context, after: Context, kept?: ReadonlySet<number>): Tokens {
  let tokens = before.overhead.total
  if (before.summary && kept && kept.size < before.visible.length) return tokens
  for (const [at, index] of before.visible.entries()) {
    if (kept?.has(index) === false || before.sizes[at] !== after.sizes[at]) break
    tokens += before.sizes[at] as Tokens
  }
  return tokens
}

/** Nothing leaves; what is shown in other words in `after` is all that happens. */
export function unchanged(before: Context, after: Context, decision: TriggerDecision, warnings: readonly string[] = []): CompactionPlan {
  const { retain } = before.input.policy
  return {
    decision,
    keep: before.visible,
    edits: editsOf(after),
    summarize: [],
    drop: [],
    represented: representedIn(before),
    repairs: sourceRepairs(before),
    regions: { before: regionsOf(before), after: regionsOf(after) },
    tokens: { before: before.total, after: after.total },
    prefix: prefixOf(before, after),
    retained: { turns: retain.turns, toolPairs: retain.toolPairs, pinned: before.messages.filter((message) => isHeld(message, retain)).length },
    warnings,
  }
}
