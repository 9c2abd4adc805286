import { resolveAmount } from '../budget/limits.ts'
import { isUserRequest, type Message, type Tokens } from '../history/message.ts'
import { keptGroups, type Partition, partitionMessages, type Retention } from '../partition/partition.ts'
import type { CompactionPolicy, ToolPolicy } from '../policy/policy.ts'
import { toolPolicy } from '../policy/tool-policy.ts'
import { type Context, groupSize, membersOf, usableOf } from './context.ts'

/** The rules for one tool, its own declaration included. */
export function rulesFor({ input: { policy, tools } }: Context, tool: string): ToolPolicy {
  return toolPolicy(policy.prune, tool, tools)
}

/** A request stays for the sake of its document up to this share (0–1) of the usable window: the rest is for the conversation about it. */
const mostDocument = 0.6
/** Older ones stay too while all of them together are within this share. */
const mostTogether = 0.35

/** What of a context stays whole under one retention, by the policy and the tools' own rules. Groups, not messages. */
export function partitionContext(context: Context, retention: Retention): Partition {
  const { input, visible, sizes } = context
  const first = visible.indexOf(input.messages.findIndex(isUserRequest))
  let spent = input.alone ? Infinity : 0
  // User requests with a document stay, as no record could quote it.
  const documents = new Set<Message>()
  for (const { index, media } of context.shownMedia.toReversed()) {
    const message = input.messages[index] as Message
    const size = sizes[visible.indexOf(index)] as Tokens
    if (media.mediaType.startsWith('image/') || !isUserRequest(message) || documents.has(message)) continue
    if (spent + size >= usableOf(input) * (spent ? mostTogether : mostDocument)) continue
    documents.add(message)
    spent += size
  }
  const { rules } = input
  const keeps = (messages: readonly Message[]) => messages.some((message) => documents.has(message)) || rules?.some((rule) => rule.keeps(messages))
  return partitionMessages(context.messages, context.groups, (group) => groupSize(context, group), {
    retain: input.policy.retain,
    // Only the first request of the session is worth its place; once summarized, the next one does not inherit it.
    retention: { ...retention, firstRequest: first < 0 ? 0 : retention.firstRequest },
    isPinnedTool: (tool) => rulesFor(context, tool).pinned,
    isKept: documents.size > 0 || rules ? keeps : undefined,
    isRelated: (at) => input.related?.has(visible[at] as number),
  })
}

/** What would stay whole of a context as it is. */
export function usualPartition(context: Context): Partition {
  const { input, total } = context
  return partitionContext(context, initialRetention(input.policy, Math.max(1, Math.min(usableOf(input), total))))
}

/** Whether the message at a position stays. */
export function keptBy(context: Context, partition: Partition): (at: number) => boolean {
  const kept = new Set(membersOf(context, keptGroups(partition)))
  return (at) => kept.has(context.visible[at] as number)
}

/** What the policy wants to keep, before anything is given up. */
export function initialRetention({ retain }: CompactionPolicy, budget: Tokens): Retention {
  return {
    turns: retain.turns,
    messages: retain.messages,
    toolPairs: retain.toolPairs,
    tokens: retain.firm ? Infinity : resolveAmount(retain.tokens, budget),
    related: retain.semantic ? resolveAmount(retain.semantic.tokens, budget) : 0,
    firstRequest: resolveAmount(retain.userRequests, budget),
    newestRequest: retain.newestRequest ? resolveAmount(retain.newestRequest, budget) : Infinity,
  }
}
