import type { Edit } from './checkpoint.ts'
import {
  type Context,
  groupSize,
  initialRetention,
  membersOf,
  type PlanInput,
  partitionContext,
  type Regions,
  readContext,
  regionsOf,
  sourceRepairs,
  sum,
  usableOf,
  wrapping,
} from './context.ts'
import type { Infeasible } from './errors.ts'
import { resolveAmount } from './limits.ts'
import { isUserRequest, type Tokens } from './message.ts'
import type { Partition, Retention } from './partition.ts'
import type { CompactionPolicy } from './policy.ts'
import type { Repair } from './repair.ts'
import { mayShorten, replaceOutputs, shortenOutputs, viewOf } from './shorten.ts'
import { isBroken } from './state.ts'
import type { SummaryStyle } from './summary/style.ts'
import { decideTrigger, type TriggerDecision } from './trigger.ts'

/** The summary that a plan wants: data, no bodies. */
export interface SummaryOrder {
  readonly version: number
  readonly style: SummaryStyle
  /** false: made by code alone. */
  readonly askModel: boolean
  /** Most uncalibrated Tokens of the model's text. */
  readonly tokens: Tokens
  /** Most uncalibrated Tokens of text and record together. */
  readonly room: Tokens
  /** Most uncalibrated Tokens of the record alone. */
  readonly digest: Tokens
  /** Most of them for the user's own words. */
  readonly requests: Tokens
  readonly focus?: string
}

/**
 * What a compaction will do: plain JSON, indices into the history, never bodies (shortened outputs are the one exception: they are what will be sent).
 * Each index is in exactly one of `keep`, `summarise`, `drop` and `represented`.
 */
export interface CompactionPlan {
  readonly decision: TriggerDecision
  readonly keep: readonly number[]
  /** Outputs shown shortened; their messages are in `keep`. */
  readonly edits: readonly Edit[]
  /** What this plan's summary will replace. */
  readonly summarise: readonly number[]
  /** Left out, with a note in the summary that says so. */
  readonly drop: readonly number[]
  /** What earlier summaries already stand for. */
  readonly represented: readonly number[]
  readonly repairs: readonly Repair[]
  readonly summary?: SummaryOrder
  /** Calibrated. `after.summary` is the room given to the summary, of which it may use less. */
  readonly regions: { readonly before: Regions; readonly after: Regions }
  readonly tokens: { readonly before: Tokens; readonly after: Tokens }
  readonly retained: { readonly turns: number; readonly toolPairs: number }
  readonly warnings: readonly string[]
}

/** Least uncalibrated Tokens worth calling a summary. Source: shipping-agents §5.2. */
const smallestSummary = 128

/**
 * The one composition: what is shown now → is there need → shorten outputs, cheapest loss first → keep the newest, summarise the rest,
 * giving up retention step by step until it fits → if nothing else helps, drop; if that does not help either, say what is at fault.
 * Pure: the same input gives the same plan. A dry run is a plan that nobody executed.
 */
export function planCompaction(input: PlanInput): CompactionPlan {
  const context = readContext(input)
  const usable = usableOf(input)
  const decision = decideTrigger(input.policy.trigger, {
    used: context.used,
    usable,
    ...(input.asked !== undefined && { asked: input.asked }),
    ...(input.state.breaker.sizeAfter !== undefined && { sizeAfter: input.state.breaker.sizeAfter }),
  })
  if (decision.action === 'none' || context.visible.length === 0) return unchanged(context, { ...decision, action: 'none' }, [])

  const shortened = shortenOutputs(context, decision.target)
  const before = context.total
  if (shortened.total <= decision.target && isWorthIt(before, shortened.total, input, decision)) {
    return {
      ...unchanged(shortened, decision, []),
      regions: { before: regionsOf(context), after: regionsOf(shortened) },
      tokens: { before, after: shortened.total },
    }
  }
  return planSummary(context, shortened, decision, usable)
}

/** Share of the target that a summary of much needs: with less, what is forgotten is worth more than the end of a long output. Source: npm run evals, 0.35–0.65 tried. */
const decentShare = 0.5

/** Nothing kept but pins and the newest group. */
const bareRetention: Retention = { turns: 0, messages: 0, toolPairs: 0, tokens: 0, firstRequest: 0 }

/** Retention given up step by step: turns to 1, then tool steps to 1, then the tail itself. Source: sources "layered", row 7. */
function* relaxations(policy: CompactionPolicy, budget: Tokens): Generator<Retention> {
  let retention = initialRetention(policy, budget)
  yield retention
  while (retention.turns > 1) {
    retention = { ...retention, turns: Math.ceil(retention.turns / 2), messages: Math.ceil(retention.messages / 2) }
    yield retention
  }
  while (retention.toolPairs > 1) {
    retention = { ...retention, toolPairs: retention.toolPairs >> 1 }
    yield retention
  }
  while (retention.tokens > 400) {
    retention = { ...retention, toolPairs: 0, tokens: Math.floor(retention.tokens / 3) }
    yield retention
  }
  yield bareRetention
}

function planSummary(original: Context, shortened: Context, decision: TriggerDecision, usable: Tokens): CompactionPlan {
  const { input } = original
  const { policy } = input
  const budget = usable === Infinity ? original.used : usable
  const warnings: string[] = []
  // Overheads measured in excess of the estimate count against the target too.
  const excess = Math.max(0, original.used - original.total)
  const decent = Math.floor(decision.target * decentShare)
  for (const goal of decision.target < budget ? [decision.target, budget] : [budget]) {
    if (goal !== decision.target) warnings.push(`target of ${decision.target} tokens is out of reach: the parts that must stay are larger`)
    for (const retention of relaxations(policy, budget)) {
      const fitted = fit(shortened, retention, goal - excess, decent, goal === decision.target ? goal : decent)
      if (fitted === undefined) continue
      const plan = summaryPlan(original, fitted, decision, warnings)
      if (plan.summarise.length + plan.drop.length === 0 && plan.edits.length === original.edits.size) break
      if (isWorthIt(original.total, plan.tokens.after, input, decision) || original.used > usable) return plan
      break
    }
  }
  if (original.used <= budget) return unchanged(original, { ...decision, action: 'none' }, ['nothing that may be removed would free enough'])
  const tight = fitTail(shortened, budget - excess, decent)
  if (tight !== undefined) return summaryPlan(original, tight, decision, [...warnings, 'the newest exchange was shortened to fit'])
  return unchanged(original, { ...decision, action: 'infeasible', culprit: culpritOf(shortened, budget) }, warnings)
}

interface Fitted {
  readonly context: Context
  readonly partition: Partition
  readonly retention: Retention
  /** Calibrated Tokens for the summary. */
  readonly room: Tokens
  readonly drop: readonly number[]
}

/**
 * Whether one retention leaves room for a summary of the rest.
 *
 * @param decent Room (Tokens) below which a summary of much is not worth having; a small span needs less.
 * @param largest Most room it may take.
 */
function fit(context: Context, retention: Retention, goal: Tokens, decent: Tokens, largest: Tokens): Fitted | undefined {
  const partition = partitionContext(context, retention)
  if (partition.remainder.length === 0 && context.summary === 0) return context.total <= goal ? { context, partition, retention, room: 0, drop: [] } : undefined
  const kept = sum([...partition.pinned, ...partition.recent, ...partition.toolPairs].map((at) => groupSize(context, at)))
  const replaced = sum(partition.remainder.map((at) => groupSize(context, at))) + context.summary
  const least = leastRoom(context)
  const free = goal - context.overhead.total - kept
  const useful = Math.floor(replaced * 0.85)
  if (replaced <= least || free < Math.max(least, Math.min(decent, useful))) return undefined
  return { context, partition, retention, room: Math.max(least, Math.min(free, mostRoom(context, goal), largest, useful)), drop: [] }
}

function leastRoom(context: Context): Tokens {
  return Math.ceil(smallestSummary * context.input.state.calibration.factor)
}

function mostRoom({ input }: Context, goal: Tokens): Tokens {
  const usable = usableOf(input)
  const { tokens, digest } = input.policy.summary
  return Math.ceil(resolveAmount(tokens, usable === Infinity ? goal : usable) + resolveAmount(digest, usable === Infinity ? goal : usable))
}

/**
 * The last resort before giving up: outputs of the tail are shortened until a decent summary fits beside them; where that does not do, the tail goes
 * into the summary; then outputs are shortened until the least summary fits; then the tail is left out. Nothing pinned is touched.
 */
function fitTail(context: Context, goal: Tokens, decent: Tokens): Fitted | undefined {
  const partition = partitionContext(context, bareRetention)
  const tail = [...partition.recent, ...partition.pinned].flatMap((at) => context.groups[at] ?? [])
  const outputs = context
    .outputs()
    .filter((output) => mayShorten(context, output) && tail.some((group) => output.index >= group.start && output.index < group.end))
  const shortenFor = (room: Tokens): Fitted | undefined => {
    for (let tokens = Math.max(0, ...outputs.map((output) => output.tokens)); tokens > 30; tokens = Math.floor(tokens * 0.8)) {
      const long = outputs.filter((output) => output.tokens > tokens)
      const fitted = fit(
        replaceOutputs(
          context,
          long.map((output) => viewOf(context.input, output, tokens)),
        ),
        bareRetention,
        goal,
        room,
        goal,
      )
      if (fitted !== undefined) return fitted
    }
    return undefined
  }
  return shortenFor(decent) ?? fold(context, partition, goal, decent) ?? shortenFor(leastRoom(context)) ?? drop(context, partition, goal)
}

/** The tail goes into the summary too: its arguments or its own words are what is too large. */
function fold(context: Context, partition: Partition, goal: Tokens, decent: Tokens): Fitted | undefined {
  const folded = withoutTail(partition)
  const kept = sum(partition.pinned.map((at) => groupSize(context, at)))
  const free = goal - context.overhead.total - kept
  if (partition.recent.length === 0 || free < Math.max(leastRoom(context), decent)) return undefined
  return { context, partition: folded, retention: bareRetention, room: Math.min(free, mostRoom(context, goal)), drop: [] }
}

function drop(context: Context, partition: Partition, goal: Tokens): Fitted | undefined {
  const pinned = sum(partition.pinned.map((at) => groupSize(context, at)))
  const free = goal - context.overhead.total - pinned
  if (free < leastRoom(context) || partition.recent.length === 0) return undefined
  return { context, partition: withoutTail(partition), retention: bareRetention, room: free, drop: partition.recent }
}

function withoutTail(partition: Partition): Partition {
  return { ...partition, recent: [], remainder: [...partition.remainder, ...partition.recent].sort((a, b) => a - b) }
}

function summaryPlan(original: Context, fitted: Fitted, decision: TriggerDecision, warnings: readonly string[]): CompactionPlan {
  const { context, partition, retention, room } = fitted
  const { input } = context
  const { policy, state, checkpoint } = input
  const indicesOf = (groups: readonly number[]): readonly number[] => groups.flatMap((at) => membersOf(context, at))
  const keep = [...indicesOf(partition.pinned), ...indicesOf(partition.recent), ...indicesOf(partition.toolPairs)].sort((a, b) => a - b)
  const drop = indicesOf(fitted.drop)
  const summarise = indicesOf(partition.remainder).filter((index) => !drop.includes(index))
  const kept = new Set(keep)
  const edits = [...context.edits.values()].filter((edit) => kept.has(edit.index)).sort((a, b) => a.index - b.index)
  const { factor } = state.calibration
  const uncalibrated = (tokens: Tokens): Tokens => Math.floor(tokens / factor)
  const budget = decision.usable ?? original.used
  const roomFor = uncalibrated(room)
  const order: SummaryOrder = {
    version: (checkpoint?.version ?? 0) + 1,
    style: policy.summary.style,
    askModel: decision.action !== 'emergency' && !(isBroken(state.breaker) && decision.reason !== 'manual'),
    tokens: Math.min(uncalibrated(resolveAmount(policy.summary.tokens, budget)), Math.max(0, Math.floor((roomFor - wrapping) * 0.7))),
    room: roomFor,
    digest: uncalibrated(resolveAmount(policy.summary.digest, budget)),
    requests: uncalibrated(resolveAmount(policy.retain.userRequests, budget)),
    ...(input.focus !== undefined && { focus: input.focus }),
  }
  const before = regionsOf(original)
  const after = regionsOf(context, partition, room)
  return {
    decision,
    keep,
    edits,
    summarise,
    drop,
    represented: representedBy(input, context.visible),
    repairs: sourceRepairs(context).filter((repair) => kept.has(repair.index)),
    ...(summarise.length + drop.length > 0 && { summary: order }),
    regions: { before, after },
    tokens: { before: original.total, after: totalOf(after) },
    retained: { turns: retention.turns, toolPairs: retention.toolPairs },
    warnings,
  }
}

function unchanged(context: Context, decision: TriggerDecision, warnings: readonly string[]): CompactionPlan {
  const { retain } = context.input.policy
  const regions = regionsOf(context)
  return {
    decision,
    keep: context.visible,
    edits: [...context.edits.values()].sort((a, b) => a.index - b.index),
    summarise: [],
    drop: [],
    represented: representedBy(context.input, context.visible),
    repairs: sourceRepairs(context),
    regions: { before: regions, after: regions },
    tokens: { before: context.total, after: context.total },
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

function totalOf(regions: Regions): Tokens {
  return regions.system + regions.tools + regions.memory + regions.pinned + regions.summary + regions.history + regions.recent + regions.input
}

function isWorthIt(before: Tokens, after: Tokens, input: PlanInput, decision: TriggerDecision): boolean {
  if (decision.reason === 'overflow') return after < before
  return before - after >= before * input.policy.trigger.minimumGain
}

/** The part that is largest among those that must stay. */
function culpritOf(context: Context, budget: Tokens): Infeasible {
  const { system, tools, memory, total } = context.overhead
  const partition = partitionContext(context, bareRetention)
  const newest = context.messages.findLastIndex(isUserRequest)
  const request = newest < 0 ? 0 : (context.sizes[newest] as number)
  const pinned = sum(partition.pinned.map((at) => groupSize(context, at))) - request
  const parts: Infeasible[] = [
    { part: 'system', tokens: system, available: budget - (total - system) },
    { part: 'tools', tokens: tools, available: budget - (total - tools) },
    { part: 'memory', tokens: memory, available: budget - (total - memory) },
    { part: 'protected', tokens: pinned, available: budget - total },
    { part: 'message', tokens: request, available: budget - total - pinned, ...(newest >= 0 && { index: context.visible[newest] as number }) },
    { part: 'tail', tokens: sum(partition.recent.map((at) => groupSize(context, at))), available: budget - total - pinned - request },
  ]
  const worst = parts.reduce((most, part) => (part.tokens > most.tokens ? part : most))
  return { ...worst, available: Math.max(0, worst.available) }
}
