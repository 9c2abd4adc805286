import { isUserRequest } from '../../../history/message.ts'
import type { PlanInput } from '../../../plan/context.ts'
import type { CompactionReport } from '../../../plan/report.ts'
import type { SessionParts } from '../session-parts.ts'

/** Says once that something was done. Loaded with what does it. */
export function announceFinished<M>({ emit }: SessionParts<M>, report: CompactionReport, { messages }: PlanInput): void {
  const { outcome, tokens, duration, plan, replaced, checkpoint, spent } = report
  const asked = messages.findLastIndex(isUserRequest)
  emit('compact.finished', outcome === 'degraded' || outcome === 'emergency' ? 'warning' : 'info', {
    outcome,
    tokens_before: tokens.before,
    tokens_after: tokens.after,
    ...(replaced && { compression: replaced.ratio }),
    strategy: outcome === 'emergency' ? outcome : !plan.summary ? 'prune' : plan.summary.author === 'model' ? plan.summary.style : plan.summary.author,
    // Rounds of calls since the request: 0 before the first.
    turn: messages.filter(({ role, parts }, at) => at > asked && role === 'assistant' && parts.some((part) => part.type === 'tool-call')).length,
    duration_ms: duration,
    ...(checkpoint !== undefined && { checkpoint }),
    ...(spent.calls > 0 && { summary_calls: spent.calls, summary_prompt: spent.prompt, summary_reply: spent.reply }),
  })
}
