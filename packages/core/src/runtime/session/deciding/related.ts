import { resolveAmount } from '../../../budget/limits.ts'
import { CompactionError } from '../../../errors.ts'
import { readableMessage } from '../../../history/binary.ts'
import { isUserRequest, type Message } from '../../../history/message.ts'
import { selectRelated, topicOf } from '../../../partition/semantic.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import type { PlanInput } from '../../../plan/context.ts'
import { redactedInPieces } from '../../../privacy/redact-message.ts'
import { errorName } from '../../platform/error-name.ts'
import { inSlices } from '../../platform/slices.ts'
import type { SessionParts } from '../session-parts.ts'

/** What of the span that a plan would summarize speaks of the newest request: indices; none when the embedder fails. It is shown texts as they may leave. */
export async function relatedTo<M>(
  { embedder, redaction, effects, emit }: SessionParts<M>,
  plan: CompactionPlan,
  { messages: whole, policy, tokens }: PlanInput,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<number>> {
  const messages = await inSlices(redactedInPieces(whole, redaction.redacted()), signal)
  const { semantic } = policy.retain
  const newest = messages.findLastIndex(isUserRequest)
  if (semantic === undefined || embedder === undefined || newest < 0) return new Set()
  try {
    const texts = [...plan.summarize, newest].map((index) => topicOf(readableMessage(messages[index] as Message)))
    const vectors = await effects.wait('embedder', (either) => embedder.embed(texts, either), signal, 1 / 2)
    const query = vectors.at(-1)
    if (query === undefined || vectors.length !== texts.length || !vectors.every((vector) => Object.values(vector).every(Number.isFinite)))
      throw new CompactionError('expected a vector of numbers for each text')
    const topics = plan.summarize.map((index, at) => ({ index, vector: vectors[at] ?? [], tokens: tokens.of(messages[index] as Message) }))
    const limit = resolveAmount(semantic.tokens, plan.decision.usable ?? plan.decision.used)
    return new Set(selectRelated(topics, query, { clusters: semantic.clusters, tokens: limit }))
  } catch (error) {
    signal?.throwIfAborted()
    if (effects.isLate('embedder')) return new Set()
    emit('compact.fallback', 'warning', { from: 'embedder', to: 'newest', reason: errorName(error) })
    const why = CompactionError.isInstance(error) ? error.message : errorName(error)
    effects.note(`the embedder ${embedder.name} failed, so nothing that is related stays for it (retain.semantic): ${why}`)
    return new Set()
  }
}
