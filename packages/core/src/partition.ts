import type { Group } from './groups.ts'
import { isUserRequest, type Message, type Tokens } from './message.ts'
import type { RetainPolicy } from './policy.ts'

/** How much is kept verbatim, after any relaxing. */
export interface Retention {
  readonly turns: number
  readonly messages: number
  readonly toolPairs: number
  readonly tokens: Tokens
  /** Tokens up to which the first user request stays where it is. */
  readonly firstRequest: Tokens
}

/** The groups of a context by what may happen to them: indices into the list of groups, each group in exactly one list. */
export interface Partition {
  /** Never touched: roles and flags of the policy, barriers and all before them, work in flight, the newest user request, the first one while it fits. */
  readonly pinned: readonly number[]
  /** Verbatim tail. */
  readonly recent: readonly number[]
  /** Newest tool steps outside the tail. */
  readonly toolPairs: readonly number[]
  /** What a summary may replace. */
  readonly remainder: readonly number[]
}

/**
 * Walks from the newest group back. A group is recent while it lies in the last `turns` user turns or the last `messages` messages,
 * and the tail stays within `tokens`; the newest group always is, whatever its size.
 *
 * @param groups Groups still shown, in order.
 * @param tokensOf Tokens of one group as shown.
 */
export function partitionMessages(
  messages: readonly Message[],
  groups: readonly Group[],
  tokensOf: (group: Group) => Tokens,
  retain: RetainPolicy,
  retention: Retention,
): Partition {
  const pinned = pinnedGroups(messages, groups, tokensOf, retain, retention)
  const recent = new Set<number>()
  const pairs = new Set<number>()
  let turns = 0
  let seen = 0
  let spent = 0
  let steps = 0
  let open = true
  for (let at = groups.length - 1; at >= 0; at--) {
    const group = groups[at] as Group
    const tokens = tokensOf(group)
    const first = messages[group.start] as Message
    const wanted = turns < retention.turns || seen < retention.messages
    // What was just asked for has not been seen by the model yet.
    const newest = at === groups.length - 1
    open &&= newest || (wanted && spent + tokens <= retention.tokens)
    const step = group.end - group.start > 1
    if (pinned.has(at)) {
      // A pin inside the tail does not end it.
    } else if (open) {
      recent.add(at)
      spent += tokens
      if (step) steps++
    } else if (step && steps < retention.toolPairs && spent + tokens <= retention.tokens) {
      pairs.add(at)
      spent += tokens
      steps++
    }
    seen += group.end - group.start
    if (isUserRequest(first)) turns++
  }
  const all = groups.map((_, at) => at)
  return {
    pinned: all.filter((at) => pinned.has(at)),
    recent: all.filter((at) => recent.has(at)),
    toolPairs: all.filter((at) => pairs.has(at)),
    remainder: all.filter((at) => !pinned.has(at) && !recent.has(at) && !pairs.has(at)),
  }
}

function pinnedGroups(
  messages: readonly Message[],
  groups: readonly Group[],
  tokensOf: (group: Group) => Tokens,
  retain: RetainPolicy,
  retention: Retention,
): ReadonlySet<number> {
  const pinned = new Set<number>()
  const barrier = groups.findLastIndex((group) => group.barrier)
  let first: number | undefined
  let newest: number | undefined
  groups.forEach((group, at) => {
    if (at <= barrier || group.pending) pinned.add(at)
    for (let index = group.start; index < group.end; index++) {
      const message = messages[index] as Message
      if (message.protected === true || retain.roles.includes(message.role)) pinned.add(at)
      if (!isUserRequest(message)) continue
      first ??= at
      newest = at
    }
  })
  if (newest !== undefined) pinned.add(newest)
  if (first !== undefined && tokensOf(groups[first] as Group) <= retention.firstRequest) pinned.add(first)
  return pinned
}
