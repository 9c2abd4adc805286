import { resolveAmount } from '../budget/limits.ts'
import { shareOf } from '../budget/share.ts'
import type { Infeasible } from '../errors.ts'
import { instructs, isUserRequest, type Message, type Tokens } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import { keptGroups, type Partition, type Retention } from '../partition/partition.ts'
import type { CompactionPolicy } from '../policy/policy.ts'
import type { Candidate, VisibleOutput } from '../prune/outputs.ts'
import { type Context, membersOf, sizeOf, usableOf } from './context.ts'
import { tokensAround } from './read-context.ts'
import { regionsAfter } from './regions.ts'
import { initialRetention, keptBy, partitionContext } from './retain.ts'
import { keepMedia, replace, viewsTogether, viewsWithin } from './shorten.ts'
import { visibleOutputs } from './visible.ts'

/** Uncalibrated Tokens below which a text is not worth calling a summary; with the lines that usually stand around it, these are 128. */
const smallestSummary = 86

/** The least that can be kept: pins and the newest group. */
export function bareRetention(policy: CompactionPolicy, budget: Tokens): Retention {
  const { newestRequest } = initialRetention(policy, budget)
  return { turns: 0, messages: 0, toolPairs: 0, tokens: 0, related: 0, firstRequest: 0, newestRequest }
}

/** Retention given up step by step: what is related, turns to 1 (messages, where no turns are wanted), then tool steps to 1, then the tail itself. See docs/systems.md, "layered" 7. */
export function relaxations(policy: CompactionPolicy, budget: Tokens): readonly Retention[] {
  let retention = initialRetention(policy, budget)
  const steps = [retention]
  const give = (up: Partial<Retention>): void => {
    retention = { ...retention, ...up }
    steps.push(retention)
  }
  while (retention.related > 0) give({ related: retention.related >> 1 })
  while (retention.turns > 1 || (retention.turns === 0 && retention.messages > 1)) {
    give({ turns: Math.ceil(retention.turns / 2), messages: Math.ceil(retention.messages / 2) })
  }
  while (retention.toolPairs > 1) give({ toolPairs: retention.toolPairs >> 1 })
  while (retention.tokens > 400) give({ toolPairs: 0, tokens: Math.floor(Math.min(retention.tokens, budget) / 3) })
  const bare = bareRetention(policy, budget)
  return [...steps, { ...bare, firstRequest: retention.firstRequest }, bare]
}

/** A partition that leaves room for its summary. */
export interface Fitted {
  readonly context: Context
  readonly partition: Partition
  readonly retention: Retention
  /** Calibrated Tokens for the summary. 0: there is none. */
  readonly room: Tokens
  /** Groups of the remainder that the summary does not speak of. */
  readonly drop: readonly number[]
}

/** Where a compaction is to come out, and what its summary has of that. Calibrated Tokens. */
export interface Aim {
  /** Size of the whole context at most. */
  readonly goal: Tokens
  /** Room that the summary must have, unless it cannot use as much. 0: there need not be a summary. */
  readonly share: Tokens
  /** Most room that it may take of what is free. */
  readonly most: (free: Tokens) => Tokens
}

/** What stays under one retention, with a summary of the rest. @returns undefined where the summary would not have its share. */
export function fit(context: Context, retention: Retention, { goal, share, most }: Aim): Fitted | undefined {
  const partition = partitionContext(context, retention)
  const fitted = { context, partition, retention, drop: [] }
  if (!partition.remainder.length && !context.summary) return context.total <= goal ? { ...fitted, room: 0 } : undefined
  const kept = sizeOf(context, keptGroups(partition))
  const replaced = sizeOf(context, partition.remainder) + context.summary
  const least = share && leastRoom(context)
  const free = goal - context.overhead.total - kept
  const useful = mostUseful(replaced)
  if (replaced <= least || free < Math.max(least, Math.min(share, useful))) return undefined
  return { ...fitted, room: Math.max(least, Math.floor(Math.min(free, mostRoom(context, goal), most(free), useful))) }
}

/** What stays of a context when nothing is kept but pins and the newest group. */
function barePartition(context: Context, budget: Tokens): Partition {
  return partitionContext(context, bareRetention(context.input.policy, budget))
}

/** Calibrated Tokens of what cannot leave the context, and of the smallest summary of the rest. */
export function mustStay(context: Context, budget: Tokens): Tokens {
  return context.overhead.total + sizeOf(context, keptGroups(barePartition(context, budget))) + leastRoom(context)
}

/** The context with the newest half of its attachments, or the newest quarter, and so on, until what must stay fits. The context itself where one attachment is still too much. */
export function* withFewerMedia(context: Context, budget: Tokens): Pieces<Context> {
  let lighter = context
  for (let keep = context.shownMedia.length; mustStay(lighter, budget) > budget; keep >>= 1) {
    if (!keep) return context
    lighter = yield* keepMedia(lighter, keep)
  }
  return lighter
}

/**
 * Calibrated Tokens of a summary that still quotes the first and the newest request, where these do not stay as messages: what the user said goes before
 * what a tool returned. At most the policy's `retain.userRequests`.
 *
 * @param carried Source indices of messages that are no longer shown, and whose requests the summary quotes as well.
 */
export function roomForRequests(context: Context, budget: Tokens, carried: readonly number[] = []): Tokens {
  const { messages, visible, sizes, input } = context
  const kept = new Set(membersOf(context, barePartition(context, budget).pinned))
  const ends = new Set([messages.findIndex(isUserRequest), context.newestRequest])
  const leaves = sumOf(ends, (at) => (kept.has(visible[at] as number) ? 0 : (sizes[at] ?? 0)))
  const left = carried.map((index) => input.messages[index] as Message)
  const quoted = leaves + (sumOf(left.filter(isUserRequest), input.tokens.of) * input.state.calibration.factor) / shareOfRequests
  return leastRoom(context) + Math.ceil(Math.min(resolveAmount(input.policy.retain.userRequests, budget), quoted) * quotation)
}

/** Share (0–1) of a record that the user's requests may take. */
const shareOfRequests = 0.5

/** How much larger a quotation is than the message: it has a label, and a text cut in two is estimated a little higher. */
const quotation = 1.1

/** Most Tokens of a summary: one that is hardly shorter than what it replaces would be of no use. */
function mostUseful(replaced: Tokens): Tokens {
  return Math.floor(replaced * 0.85)
}

export function leastRoom({ input }: Context): Tokens {
  return Math.ceil((smallestSummary + tokensAround(input)) * input.state.calibration.factor)
}

function mostRoom({ input }: Context, goal: Tokens): Tokens {
  const usable = usableOf(input)
  const whole = usable === Infinity ? goal : usable
  const { tokens, record } = input.policy.summary
  return Math.ceil(resolveAmount(tokens, whole) + resolveAmount(record, whole))
}

/** Uncalibrated Tokens below which no output is shortened. */
const leastOutput = 30

/** How much a token of the summary is worth, compared with a token of the messages that stay, while their outputs are shortened. Source: npm run evals, 1 to 4 tried. */
const besideShortened = 1.5

/**
 * The last resort before giving up: outputs of the tail are shortened together until the summary has its share beside them, or the one it has beside whole messages;
 * what takes no more than its summary would stays. Where that does not do, the tail goes into the summary; then outputs are shortened until the least summary fits;
 * then the tail is left out. Nothing pinned is touched. With `alone`, what stays goes without a summary.
 *
 * In Tokens: `goal` to come out at, `budget` of the whole, `whole` the share of a summary beside messages that stay whole, `requests` what it needs to quote the user.
 */
export function* fitTail(
  context: Context,
  { goal, budget, whole, requests }: { readonly goal: Tokens; readonly budget: Tokens; readonly whole: Tokens; readonly requests: Tokens },
): Pieces<Fitted | undefined> {
  const bare = bareRetention(context.input.policy, budget)
  const partition = barePartition(context, budget)
  const isKept = keptBy(context, partition)
  const outputs = visibleOutputs(context).filter((output) => output.mayShorten && isKept(output.index))
  const { factor } = context.input.state.calibration
  const sizeShown = (some: readonly VisibleOutput[]): Tokens => Math.ceil(sumOf(some, (output) => output.shown) * factor)
  const recent = sizeOf(context, partition.recent)
  const free = goal - context.overhead.total - sizeOf(context, partition.pinned)
  const replaced = sizeOf(context, partition.remainder) + context.summary
  const useful = mostUseful(replaced)
  const all = [...partition.remainder, ...partition.recent].sort((a, b) => a - b)
  const shortenFor = function* (room: Tokens): Pieces<Fitted | undefined> {
    // What takes no more than its summary would stays as it is.
    const staysWhole = replaced <= room
    const space = free - recent + sizeShown(outputs) - (staysWhole ? replaced : Math.min(room, useful))
    let newest = 0
    const older = outputs.findLastIndex(({ shown }) => {
      newest += shown
      return newest > Math.min(space, goal * newestShare)
    })
    const rest = outputs.slice(0, older + 1)
    const left = space - sizeShown(outputs.slice(older + 1))
    const fitWith = function* (views: readonly Candidate[]): Pieces<Fitted | undefined> {
      const shorter = yield* replace(context, views)
      if (!staysWhole) return fit(shorter, bare, { goal, share: room, most: () => room && goal })
      if (shorter.total > goal) return undefined
      return { context: shorter, partition: { ...partition, recent: all, remainder: [] }, retention: bare, room: context.summary, drop: [] }
    }
    let fitted = left > rest.length * 60 ? yield* fitWith(yield* viewsTogether(context, rest, Math.floor((left * 0.99) / factor))) : undefined
    // Each output gets the same limit, from all the room there is downwards until they fit together.
    for (let tokens = space / factor; !fitted && tokens > leastOutput; tokens *= 0.8) {
      fitted = yield* fitWith(yield* viewsWithin(context, outputs, Math.floor(tokens)))
    }
    if (!room) fitted ??= yield* fitWith(yield* viewsWithin(context, outputs, leastOutput))
    return fitted
  }
  // Outputs are not what is too large, but arguments or words of the tail itself: so the tail is summarized too.
  const withoutTail = (least: Tokens, drop: readonly number[]): Fitted | undefined => {
    if (!partition.recent.length || free < Math.max(leastRoom(context), least)) return undefined
    return { context, partition: { ...partition, recent: [], remainder: all }, retention: bare, room: Math.min(free, mostRoom(context, goal)), drop }
  }
  if (context.input.alone) {
    // A conversation without a summary begins with its user.
    return context.messages.find((message, at) => isKept(at) && !instructs(message))?.role === 'user' ? yield* shortenFor(0) : undefined
  }
  const share = Math.max(leastRoom(context), whole, shareOf(goal, besideShortened, useful, goal - free + recent))
  return (
    (yield* shortenFor(share)) ??
    (yield* shortenFor(whole)) ??
    withoutTail(whole, []) ??
    (yield* shortenFor(requests)) ??
    (yield* shortenFor(leastRoom(context))) ??
    withoutTail(0, partition.recent)
  )
}

/** Share (0–1) of the goal up to which the newest outputs stay whole. */
const newestShare = 0.15

/** The part that is largest among those that must stay, outputs as short as they become, and what the others and the least summary leave of the budget. */
export function culpritOf(context: Context, budget: Tokens): Infeasible {
  const { messages, sizes } = context
  const { system, pinned, recent: tail, input: message, ...others } = regionsAfter(context, barePartition(context, budget), leastRoom(context))
  // Where a model is wrapped, its instructions come as messages of the history: they count as the system prompt.
  const instructions = sumOf(sizes.filter((_, at) => instructs(messages[at] as Message)))
  const parts = Object.entries({ ...others, system: system + instructions, protected: pinned - instructions, tail, message })
  const [part, tokens] = parts.sort((a, b) => b[1] - a[1])[0] as [Infeasible['part'], Tokens]
  const available = Math.max(0, tokens + budget - sumOf(parts, ([, size]) => size))
  return { part, tokens, available, ...(part === 'message' && { index: context.visible[context.newestRequest] as number }) }
}
