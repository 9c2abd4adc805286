import type { Measured, PlanInput } from '../context.ts'
import { rewriteCost } from '../cost.ts'
import type { EventDraft } from '../events.ts'
import { isUserRequest } from '../message.ts'
import type { CompactionPlan } from '../plan.ts'
import type { CompactionReport } from '../report.ts'
import type { Step } from './execute.ts'

export interface Done {
  readonly plan: CompactionPlan
  /** As it is after what was done. */
  readonly input: PlanInput
  readonly measured: Measured
  readonly outcome: CompactionReport['outcome']
  readonly warnings: readonly string[]
  /** What was executed; undefined when nothing was. */
  readonly step: Step | undefined
  /** The provider still had the last prompt in its cache. */
  readonly warm: boolean
  /** Milliseconds. */
  readonly duration: number
}

export function reportOf({ plan, input, measured, outcome, warnings, step, warm, duration }: Done): CompactionReport {
  const { checkpoint } = input
  const { prices } = input.policy.cost
  const before = step === undefined ? measured.total : plan.tokens.before
  const after = measured.total
  const rewrite = { before, after, prefix: plan.prefix, summaryPrompt: step?.spent.prompt ?? 0, summaryReply: step?.spent.reply ?? 0, warm }
  const summary = checkpoint?.summary
  return {
    plan,
    outcome,
    tokens: { before, after, budget: plan.decision.usable },
    regions: { before: plan.regions.before, after: measured.regions },
    messages: { kept: plan.keep.length, edited: plan.edits.length, summarised: plan.summarise.length, dropped: plan.drop.length },
    ...(checkpoint !== undefined && { checkpoint: checkpoint.id }),
    spent: step?.spent ?? { prompt: 0, reply: 0 },
    ...(prices !== undefined && step !== undefined && { cost: rewriteCost(prices, rewrite) }),
    compression: before === 0 ? 1 : after / before,
    cacheable: after === 0 ? 1 : Math.min(1, plan.prefix / after),
    ...(summary !== undefined && { quality: { ...summary.quality, missing: summary.missing } }),
    prunedCallIds: plan.edits.map((edit) => edit.callId).filter((callId) => callId !== ''),
    warnings,
    duration,
  }
}

/** Said once, when something was done. */
export function finishedEvent(report: CompactionReport, { messages }: PlanInput): EventDraft {
  const { outcome, tokens, duration } = report
  return {
    event: 'compact.finished',
    severity: outcome === 'degraded' || outcome === 'emergency' ? 'warning' : 'info',
    attributes: {
      outcome,
      tokens_before: tokens.before,
      tokens_after: tokens.after,
      duration_ms: duration,
      turn: messages.filter(isUserRequest).length,
    },
  }
}
