import type { Group } from '../history/groups.ts'
import { isMarker, isUserRequest, type Message, type Tokens } from '../history/message.ts'
import type { RetainPolicy } from '../policy/policy.ts'

/** How much is kept verbatim, after any relaxing. */
export interface Retention {
  readonly turns: number
  readonly messages: number
  readonly toolPairs: number
  readonly tokens: Tokens
  /** Tokens for older groups that speak of what is asked now. */
  readonly related: Tokens
  /** Tokens up to which the first user request stays where it is. */
  readonly firstRequest: Tokens
  /** Tokens up to which the newest user request does. */
  readonly newestRequest: Tokens
}

/** The groups of a context by what may happen to them: indices into the list of groups, each group in exactly one list. */
export interface Partition {
  /** Never touched: roles and flags of the policy, barriers and all before them, work in flight, the newest user request, the first one while it fits. */
  readonly pinned: readonly number[]
  /** Verbatim tail. */
  readonly recent: readonly number[]
  /** Newest tool steps outside the tail. */
  readonly toolPairs: readonly number[]
  /** Older groups that speak of what is asked now. */
  readonly related: readonly number[]
  /** What a summary may replace. */
  readonly remainder: readonly number[]
}

type Place = keyof Partition

/** What decides whether a group stays. */
export interface PartitionRules {
  readonly retain: RetainPolicy
  readonly retention: Retention
  /** Calls of this tool are never summarized. */
  readonly isPinnedTool: (tool: string) => boolean | undefined
  /** The host wants these to stay, or a document is among them. */
  readonly isKept?: ((messages: readonly Message[]) => boolean | undefined) | undefined
  /** The message at this position speaks of what is asked now. */
  readonly isRelated: (at: number) => boolean | undefined
}

/**
 * Walks from the newest group back. A group is recent while it lies in the last `turns` user turns or the last `messages` messages,
 * and the tail stays within `tokens`; what no reply followed yet always is, whatever its size, and at least the newest group.
 *
 * @param groups Groups still shown, in order.
 * @param tokensOf Tokens of one group as shown.
 * @returns Indices into `groups`, ascending; each group in exactly one list.
 */
export function partitionMessages(
  messages: readonly Message[],
  groups: readonly Group[],
  tokensOf: (group: Group) => Tokens,
  rules: PartitionRules,
): Partition {
  const { retention } = rules
  const places = placesOfPins(messages, groups, tokensOf, rules)
  let relatedTokens = 0
  let turns = 0
  let seen = 0
  let spent = 0
  let steps = 0
  let open = true
  const newestGroup = groups.findLastIndex((group) => !isMarkerGroup(messages, group))
  const unseen = Math.min(newestGroup, firstUnseen(messages, groups))
  for (let at = newestGroup; at >= 0; at--) {
    const group = groups[at] as Group
    const first = messages[group.start] as Message
    if (isMarkerGroup(messages, group)) continue
    const tokens = tokensOf(group)
    const wanted = turns < retention.turns || seen < retention.messages
    const newest = at >= unseen
    open &&= newest || (wanted && spent + tokens <= retention.tokens)
    const step = group.end - group.start > 1
    if (places[at] === 'pinned') {
      // A pin inside the tail does not end it.
    } else if (open) {
      places[at] = 'recent'
      spent += tokens
      if (step) steps++
    } else if (step && steps < retention.toolPairs && spent + tokens <= retention.tokens) {
      places[at] = 'toolPairs'
      spent += tokens
      steps++
    } else if (retention.related > 0 && relatedTokens + tokens <= retention.related && someIn(messages, group, (_, index) => rules.isRelated(index))) {
      places[at] = 'related'
      relatedTokens += tokens
    }
    seen += group.end - group.start
    if (isUserRequest(first)) turns++
  }
  const partition: Record<Place, number[]> = { pinned: [], recent: [], toolPairs: [], related: [], remainder: [] }
  places.forEach((place, at) => {
    partition[place].push(at)
  })
  return partition
}

/** The groups that stay. */
export function keptGroups({ pinned, recent, toolPairs, related }: Partition): readonly number[] {
  return [...pinned, ...recent, ...toolPairs, ...related]
}

/** The first group that no reply followed yet: the model has not seen what its calls returned. Without any reply, behind the last group. */
export function firstUnseen(messages: readonly Message[], groups: readonly Group[]): number {
  const reply = messages.findLastIndex((message) => message.role === 'assistant' && !message.summary)
  const at = groups.findLastIndex((group) => group.start <= reply)
  if (at < 0) return groups.length
  return (groups[at] as Group).end - 1 > reply ? at : at + 1
}

/** Whether a message itself says that it stays: protected, or of a role that does. */
export function isHeld(message: Message, { roles }: RetainPolicy): boolean {
  return message.protected === true || roles.includes(message.role)
}

/** Whether a message of the group is such. */
function someIn(messages: readonly Message[], group: Group, isSuch: (message: Message, index: number) => boolean | undefined): boolean {
  for (let index = group.start; index < group.end; index++) if (isSuch(messages[index] as Message, index)) return true
  return false
}

/** Nothing but a request for a compaction: done with once it was met. */
function isMarkerGroup(messages: readonly Message[], group: Group): boolean {
  return !someIn(messages, group, (message) => !isMarker(message))
}

function placesOfPins(
  messages: readonly Message[],
  groups: readonly Group[],
  tokensOf: (group: Group) => Tokens,
  { retain, retention, isPinnedTool, isKept }: PartitionRules,
): Place[] {
  const barrier = groups.findLastIndex((group) => group.barrier)
  let first: number | undefined
  let newest: number | undefined
  const isPinned = (message: Message): boolean => isHeld(message, retain) || message.parts.some((part) => part.type === 'tool-call' && isPinnedTool(part.tool))
  const places = groups.map((group, at): Place => {
    if (someIn(messages, group, isUserRequest)) {
      first ??= at
      newest = at
    }
    const stays = at <= barrier || group.pending || isKept?.(messages.slice(group.start, group.end)) || someIn(messages, group, isPinned)
    return stays ? 'pinned' : 'remainder'
  })
  if (newest !== undefined && tokensOf(groups[newest] as Group) <= retention.newestRequest) places[newest] = 'pinned'
  if (first !== undefined && tokensOf(groups[first] as Group) <= retention.firstRequest) places[first] = 'pinned'
  return places
}
