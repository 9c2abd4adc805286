import { readableMessage } from '../binary.ts'
import type { PlanInput } from '../context.ts'
import { resolveAmount } from '../limits.ts'
import { isUserRequest, type Message } from '../message.ts'
import type { CompactionPlan } from '../plan.ts'
import type { Embedder } from '../ports.ts'
import { selectRelated, topicOf } from '../semantic.ts'

/** What of the span that a plan would summarise speaks of the newest request: indices; none when the embedder fails. Its texts are those of `input.messages`. */
export async function relatedTo(plan: CompactionPlan, input: PlanInput, embedder: Embedder, signal: AbortSignal | undefined): Promise<ReadonlySet<number>> {
  const { messages, policy, tokens } = input
  const { semantic } = policy.retain
  const newest = messages.findLastIndex(isUserRequest)
  if (semantic === undefined || newest < 0) return new Set()
  try {
    const texts = [...plan.summarise, newest].map((index) => topicOf(readableMessage(messages[index] as Message)))
    const vectors = await embedder.embed(texts, signal)
    const query = vectors.at(-1)
    if (query === undefined || vectors.length !== texts.length) return new Set()
    const topics = plan.summarise.map((index, at) => ({ index, vector: vectors[at] ?? [], tokens: tokens.of(messages[index] as Message) }))
    const limit = resolveAmount(semantic.tokens, plan.decision.usable ?? plan.decision.used)
    return new Set(selectRelated(topics, query, { clusters: semantic.clusters, tokens: limit }))
  } catch {
    signal?.throwIfAborted()
    return new Set()
  }
}
