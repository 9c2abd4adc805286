import { resolveAmount } from '../../budget/limits.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { planInPieces } from '../../plan/plan.ts'
import { redactedInPieces } from '../../privacy/redact-message.ts'
import { isForgotten } from '../../state/forgotten.ts'
import { renderHandoff } from '../../summary/render.ts'
import { inSlices } from '../platform/slices.ts'
import { laidOnCut } from './committing/laid-on-cut.ts'
import { hostLines } from './host/host-lines.ts'
import { inputOf, type Request } from './measuring/measure.ts'
import type { Memory } from './memory.ts'
import { read } from './read.ts'
import type { SessionParts } from './session-parts.ts'
import { summarize } from './summarizing/summarize.ts'

/** Most Tokens that a handoff may carry into a new conversation. */
const handoffSize = 16_000

/** The first message of a new conversation: everything in one summary, by the full model, as nothing of this one goes along. */
export async function handoff<M>(
  parts: SessionParts<M>,
  memory: Memory<M>,
  history: readonly M[],
  request: Request,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { policy, estimator, redaction } = parts
  const { focus } = request
  const { messages } = read(parts, history)
  if (!isForgotten(memory.state, messages)) laidOnCut(parts, memory.state.checkpoints, messages)
  const input = inputOf(parts, memory, messages, {}, request)
  const plan = await inSlices(planInPieces(input), signal)
  const represented = new Set(plan.represented)
  const everything = input.messages.map((_, index) => index).filter((index) => !represented.has(index))
  const size = Math.min(plan.decision.usable ?? handoffSize, handoffSize)
  const order = {
    version: 1,
    style: policy.summary.style,
    author: policy.summary.author,
    tokens: Math.max(400, resolveAmount(policy.summary.tokens, size)),
    room: size,
    record: Math.floor(size / 4),
    requests: Math.floor(size / 8),
    ...omitUndefined({ focus }),
  }
  const { summary } = await summarize({
    messages: await inSlices(redactedInPieces(input.messages, parts.redaction.redacted()), signal),
    plan: { ...plan, summarize: everything, drop: [] },
    order,
    previous: input.checkpoint?.summary,
    ...omitUndefined({ gone: input.checkpoint?.gone }),
    policy: { ...policy, summary: { ...policy.summary, request: 'serialized' } },
    summarizer: parts.fullSummarizer,
    estimator,
    window: plan.decision.usable ?? plan.decision.used,
    redact: redaction.withhold,
    redactPrompt: redaction.redact,
    directives: order.author === 'model' ? await hostLines(parts, parts.id, focus, signal) : [],
    most: policy.summary.deadline,
    signal,
  })
  return renderHandoff(summary, focus)
}
