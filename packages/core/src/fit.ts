import { type Context, groupSize, initialRetention, partitionContext, sum, tokensAround, usableOf } from './context.ts'
import type { Infeasible } from './errors.ts'
import { resolveAmount } from './limits.ts'
import { isUserRequest, type Tokens } from './message.ts'
import type { Partition, Retention } from './partition.ts'
import type { CompactionPolicy } from './policy.ts'
import type { VisibleOutput } from './prune/outputs.ts'
import { mayShorten, replace, viewOf, viewsTogether, visibleOutputs } from './shorten.ts'

/** Least uncalibrated Tokens worth calling a summary, without what stands around it: 128 with the usual lines. Source: shipping-agents §5.2. */
const smallestSummary = 86

/** Nothing kept but pins and the newest group. */
function bareRetention(policy: CompactionPolicy, budget: Tokens): Retention {
  const { newestRequest } = initialRetention(policy, budget)
  return { turns: 0, messages: 0, toolPairs: 0, tokens: 0, related: 0, firstRequest: 0, newestRequest }
}

/** Retention given up step by step: turns to 1, then tool steps to 1, then the tail itself. Source: sources "layered", row 7. */
export function* relaxations(policy: CompactionPolicy, budget: Tokens): Generator<Retention> {
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
  if (retention.related > 0) {
    retention = { ...retention, related: 0 }
    yield retention
  }
  while (retention.tokens > 400) {
    retention = { ...retention, toolPairs: 0, tokens: Math.floor(retention.tokens / 3) }
    yield retention
  }
  const bare = bareRetention(policy, budget)
  yield { ...bare, firstRequest: retention.firstRequest }
  yield bare
}

/** A partition that leaves room for its summary. */
export interface Fitted {
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
export function fit(context: Context, retention: Retention, goal: Tokens, decent: Tokens, largest: Tokens): Fitted | undefined {
  const partition = partitionContext(context, retention)
  if (partition.remainder.length === 0 && context.summary === 0) return context.total <= goal ? { context, partition, retention, room: 0, drop: [] } : undefined
  const kept = sum([...partition.pinned, ...partition.recent, ...partition.toolPairs, ...partition.related].map((at) => groupSize(context, at)))
  const replaced = sum(partition.remainder.map((at) => groupSize(context, at))) + context.summary
  const least = leastRoom(context)
  const free = goal - context.overhead.total - kept
  const useful = mostUseful(replaced)
  if (replaced <= least || free < Math.max(least, Math.min(decent, useful))) return undefined
  return { context, partition, retention, room: Math.max(least, Math.min(free, mostRoom(context, goal), largest, useful)), drop: [] }
}

/** A summary takes less than what it replaces. */
function mostUseful(replaced: Tokens): Tokens {
  return Math.floor(replaced * 0.85)
}

export function leastRoom({ input }: Context): Tokens {
  return Math.ceil((smallestSummary + tokensAround(input)) * input.state.calibration.factor)
}

function mostRoom({ input }: Context, goal: Tokens): Tokens {
  const usable = usableOf(input)
  const { tokens, digest } = input.policy.summary
  return Math.ceil(resolveAmount(tokens, usable === Infinity ? goal : usable) + resolveAmount(digest, usable === Infinity ? goal : usable))
}

/**
 * The last resort before giving up: outputs of the tail are shortened until a generous summary fits beside them, or a decent one; where that does not do, the tail goes
 * into the summary; then outputs are shortened until the least summary fits; then the tail is left out. Nothing pinned is touched.
 */
export function fitTail(context: Context, goal: Tokens, decent: Tokens): Fitted | undefined {
  const bare = bareRetention(context.input.policy, goal)
  const partition = partitionContext(context, bare)
  const tail = [...partition.recent, ...partition.pinned].flatMap((at) => context.groups[at] ?? [])
  const outputs = visibleOutputs(context).filter(
    (output) => mayShorten(context, output) && tail.some((group) => output.index >= group.start && output.index < group.end),
  )
  const { factor } = context.input.state.calibration
  const shown = Math.ceil(sum(outputs.map((output) => output.shown)) * factor)
  const fixed = sum([...partition.pinned, ...partition.recent].map((at) => groupSize(context, at))) - shown
  const replaced = sum(partition.remainder.map((at) => groupSize(context, at))) + context.summary
  const shortenFor = (room: Tokens): Fitted | undefined => {
    const space = goal - context.overhead.total - fixed - Math.min(room, mostUseful(replaced))
    const rest = olderThan(outputs, Math.min(space, goal * newestShare))
    const whole = Math.ceil(sum(outputs.slice(rest.length).map((output) => output.shown)) * factor)
    if (space - whole > rest.length * 60) {
      const together = fit(replace(context, viewsTogether(context, rest, Math.floor(((space - whole) * 0.99) / factor))), bare, goal, room, goal)
      if (together !== undefined) return together
    }
    for (let tokens = Math.max(0, ...outputs.map((output) => output.tokens)); tokens > 30; tokens = Math.floor(tokens * 0.8)) {
      const long = outputs.filter((output) => output.tokens > tokens)
      const fitted = fit(
        replace(
          context,
          long.map((output) => viewOf(context, output, tokens)),
        ),
        bare,
        goal,
        room,
        goal,
      )
      if (fitted !== undefined) return fitted
    }
    return undefined
  }
  const generous = Math.max(decent, Math.floor(goal * generousShare))
  return (
    shortenFor(generous) ??
    shortenFor(decent) ??
    withoutTail(context, partition, bare, goal, decent, []) ??
    shortenFor(leastRoom(context)) ??
    withoutTail(context, partition, bare, goal, 0, partition.recent)
  )
}

/** Share of the goal that a summary beside shortened outputs is given where that can be had. Source: npm run evals, 0.5–0.8 tried. */
const generousShare = 0.6
/** Share of the goal up to which the newest outputs stay whole. */
const newestShare = 0.15

/** The outputs before the newest ones that together take at most so many tokens. */
function olderThan(outputs: readonly VisibleOutput[], tokens: Tokens): readonly VisibleOutput[] {
  let end = outputs.length
  for (let used = 0; end > 0; end--) {
    used += (outputs[end - 1] as VisibleOutput).shown
    if (used > tokens) break
  }
  return outputs.slice(0, end)
}

/**
 * The tail goes into the summary too: its arguments or its own words are what is too large.
 *
 * @param least Room (Tokens) below which it is not done.
 * @param drop Groups of it that the summary says nothing of.
 */
function withoutTail(context: Context, partition: Partition, retention: Retention, goal: Tokens, least: Tokens, drop: readonly number[]): Fitted | undefined {
  const pinned = sum(partition.pinned.map((at) => groupSize(context, at)))
  const free = goal - context.overhead.total - pinned
  if (partition.recent.length === 0 || free < Math.max(leastRoom(context), least)) return undefined
  const remainder = [...partition.remainder, ...partition.recent].sort((a, b) => a - b)
  return { context, partition: { ...partition, recent: [], remainder }, retention, room: Math.min(free, mostRoom(context, goal)), drop }
}

/** The part that is largest among those that must stay. */
export function culpritOf(context: Context, budget: Tokens): Infeasible {
  const { system, tools, memory, total } = context.overhead
  const partition = partitionContext(context, bareRetention(context.input.policy, budget))
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
