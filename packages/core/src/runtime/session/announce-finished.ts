import { isUserRequest, type Message } from '../../history/message.ts'
import type { PlanInput } from '../../plan/context.ts'
import type { CompactionReport } from '../../plan/report.ts'
import type { EventDraft } from '../telemetry/events.ts'
import type { SessionParts } from './session-parts.ts'

/** Says once that something was done. Loaded with what does it. */
export function announceFinished<M>({ emitter, id }: SessionParts<M>, report: CompactionReport, { messages }: PlanInput): void {
  emitter.emit(id, [finishedEvent(report, messages)])
}

function finishedEvent(report: CompactionReport, messages: readonly Message[]): EventDraft {
  const { outcome, tokens, duration, plan, replaced, checkpoint, spent } = report
  const asked = messages.findLastIndex(isUserRequest)
  return {
    event: 'compact.finished',
    severity: outcome === 'degraded' || outcome === 'emergency' ? 'warning' : 'info',
    attributes: {
      outcome,
      tokens_before: tokens.before,
      tokens_after: tokens.after,
      ...(replaced !== undefined && { compression: replaced.ratio }),
      strategy:
        outcome === 'emergency' ? outcome : plan.summary === undefined ? 'prune' : plan.summary.author === 'model' ? plan.summary.style : plan.summary.author,
      // Rounds of calls since the request: 0 before the first.
      turn: messages.filter(({ role, parts }, at) => at > asked && role === 'assistant' && parts.some((part) => part.type === 'tool-call')).length,
      duration_ms: duration,
      ...(checkpoint !== undefined && { checkpoint }),
      ...(spent.calls > 0 && { summary_calls: spent.calls, summary_prompt: spent.prompt, summary_reply: spent.reply }),
    },
  }
}
