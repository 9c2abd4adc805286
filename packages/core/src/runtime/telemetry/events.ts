import type { CompactionPlan } from '../../plan/plan.ts'

export type EventName =
  | 'compact.token_estimate'
  | 'compact.trigger_decision'
  | 'compact.policy_applied'
  | 'compact.pruned_messages'
  | 'compact.summary_created'
  | 'compact.summary_rejected'
  | 'compact.checkpoint_committed'
  | 'compact.checkpoint_rejected'
  | 'compact.fallback'
  | 'compact.repaired'
  | 'compact.recovered'
  | 'compact.recalled'
  | 'compact.scheduled'
  | 'compact.background_ready'
  | 'compact.archive_failed'
  | 'compact.output_store_failed'
  | 'compact.effect_late'
  | 'compact.state_set_aside'
  | 'compact.fault'
  | 'compact.redaction_disabled'
  | 'compact.events_dropped'
  | 'compact.finished'

/** What happened, in numbers and names. Never message text. Names: docs/systems.md, "layered" 9. */
export interface CompactionEvent {
  readonly event: EventName
  /** ISO 8601, UTC. */
  readonly ts: string
  readonly session_id: string
  readonly severity: 'info' | 'warning' | 'high'
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

/** An event before the runtime stamps it with time and session. */
export type EventDraft = Pick<CompactionEvent, 'event' | 'severity' | 'attributes'>

/** Attributes that may be texts: names of things, of our own making or of the host's configuration. Any other text is left out before an event leaves. */
const named: ReadonlySet<string> = new Set('action after author by checkpoint from model outcome parent reason style summarizer to what'.split(' '))

/** Characters of such a name. */
const longestName = 200

/** What of an event's attributes may leave the process: numbers, flags, and names on the list. */
export function exportable(attributes: CompactionEvent['attributes'], redact: (text: string) => string = (text) => text): CompactionEvent['attributes'] {
  const kept = Object.entries(attributes).filter(([name, value]) => typeof value !== 'string' || named.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, typeof value === 'string' ? redact(value).slice(0, longestName) : value]))
}

/** The events that a decision gives rise to, in order. */
export function eventsOf(plan: CompactionPlan, trigger: { readonly hard: number; readonly model: string; readonly window: number }): readonly EventDraft[] {
  const { decision, regions, tokens } = plan
  const scale = tokens.before === 0 ? 1 : decision.used / tokens.before
  const events: EventDraft[] = [
    { event: 'compact.token_estimate', severity: 'info', attributes: { used: decision.used, usable: decision.usable ?? 0, ...regions.before } },
    {
      event: 'compact.trigger_decision',
      severity: decision.action === 'infeasible' ? 'high' : decision.action === 'emergency' ? 'warning' : 'info',
      attributes: {
        action: decision.action,
        reason: decision.reason,
        model: trigger.model,
        t_est: decision.used,
        max: trigger.window,
        used: decision.used,
        hard: trigger.hard,
        target: decision.target,
        kept: plan.keep.length,
        pruned_count: plan.edits.length + plan.summarize.length + plan.drop.length,
      },
    },
  ]
  if (plan.repairs.length > 0) events.push({ event: 'compact.repaired', severity: 'warning', attributes: countKinds(plan.repairs) })
  if (decision.action === 'none' || decision.action === 'infeasible') return events
  events.push({
    event: 'compact.policy_applied',
    severity: 'info',
    attributes: {
      turns: plan.retained.turns,
      tool_pairs: plan.retained.toolPairs,
      tokens_before: decision.used,
      tokens_planned: Math.round(tokens.after * scale),
    },
  })
  if (plan.edits.length + plan.summarize.length + plan.drop.length > 0) {
    events.push({
      event: 'compact.pruned_messages',
      severity: plan.drop.length > 0 ? 'warning' : 'info',
      attributes: { kept: plan.keep.length, edited: plan.edits.length, summarized: plan.summarize.length, dropped: plan.drop.length },
    })
  }
  return events
}

function countKinds(repairs: readonly { readonly kind: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind } of repairs) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
