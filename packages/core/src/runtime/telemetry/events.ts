import { omitUndefined } from '../../history/omit-undefined.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'

/** Every event there is, and when it is sent; docs/recipes.md shows this list. Source of the names: docs/systems.md, "layered" 9. */
export type EventName =
  | 'compact.token_estimate' // before each call: tokens of the context by region
  | 'compact.trigger_decision' // before each call: what is done, why, and the levels that decided it
  | 'compact.policy_applied' // a plan changes the context: what is kept, tokens before and planned
  | 'compact.pruned_messages' // messages leave or are shown shorter: how many of each
  | 'compact.summary_created' // a summary is ready: author, style, tokens, what it lacks
  | 'compact.summary_rejected' // an answer of the summarizer did not pass: why
  | 'compact.checkpoint_committed' // a compaction is stored
  | 'compact.checkpoint_rejected' // a compaction was not stored or is not used: another process was first, the history changed, the storage failed
  | 'compact.fallback' // something else is used than was asked for: an author, the next call instead of a queue
  | 'compact.repaired' // calls without results and the like were mended in what is sent, by kind
  | 'compact.recovered' // a provider refused a prompt, and a smaller one was made
  | 'compact.recalled' // the model looked up what had left: rounds, tokens
  | 'compact.scheduled' // a compaction was asked for: by the loop, a person or the agent
  | 'compact.background_ready' // a summary made ahead of need is there, and stored next
  | 'compact.archive_failed' // a transcript or a compaction could not be archived
  | 'compact.output_store_failed' // a tool output could not be stored whole
  | 'compact.effect_late' // a storage, archive or the like did not answer in time and was skipped
  | 'compact.state_set_aside' // a stored state could not be read: kept under another key, begun anew
  | 'compact.fault' // an error inside Précis: the call went on without it
  | 'compact.redaction_disabled' // the host switched redaction off
  | 'compact.events_dropped' // an exporter lags: its oldest events were given up
  | 'compact.finished' // something was done to the context: outcome, strategy, tokens before and after, rounds since the request, milliseconds
  | 'compact.continued' // the first reply after a compaction: the agent goes on

/** What happened, in numbers and names. Never message text. */
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
const named: ReadonlySet<string> = new Set('action after author by checkpoint from model outcome parent reason strategy style summarizer to what'.split(' '))

/** Characters of such a name. */
const longestName = 200

/** What of an event's attributes may leave the process: numbers, flags, and names on the list. */
export function exportable(attributes: CompactionEvent['attributes'], redact: (text: string) => string = (text) => text): CompactionEvent['attributes'] {
  const kept = Object.entries(attributes).filter(([name, value]) => typeof value !== 'string' || named.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, typeof value === 'string' ? redact(value).slice(0, longestName) : value]))
}

/** What a decision depended on, for those who read its events. */
export interface TriggerFacts {
  /** Tokens at which a compaction begins, and kept free beside the reply. */
  readonly hard: number
  readonly buffer: number
  readonly model: string
  readonly window: number
  /** Share (0–1) of the last billed prompt that came from the provider's cache; undefined before one was billed. */
  readonly cacheHit: number | undefined
}

/** The events that a decision gives rise to, in order. */
export function eventsOf(plan: CompactionPlan, trigger: TriggerFacts): readonly EventDraft[] {
  const { decision, regions, tokens } = plan
  const scale = tokens.before === 0 ? 1 : decision.used / tokens.before
  const events: EventDraft[] = [
    {
      event: 'compact.token_estimate',
      severity: 'info',
      attributes: { used: decision.used, usable: decision.usable ?? 0, ...regions.before, ...omitUndefined({ cache_hit: trigger.cacheHit }) },
    },
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
        'policy.trigger_pct': decision.usable === null ? 0 : Number((trigger.hard / decision.usable).toFixed(4)),
        'policy.buffer': trigger.buffer,
        kept: plan.keep.length,
        'kept.pinned': plan.retained.pinned,
        'kept.recent_turns': plan.retained.turns,
        'kept.tool_pairs': plan.retained.toolPairs,
        summary_tokens: regions.after.summary,
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
