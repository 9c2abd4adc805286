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
  | 'compact.finished' // something was done to the context: outcome, strategy, tokens before and after, rounds since the request, milliseconds, checkpoint, what its summary cost
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
export function exportable(attributes: CompactionEvent['attributes'], redact: (text: string) => string): CompactionEvent['attributes'] {
  const kept = Object.entries(attributes).filter(([name, value]) => typeof value !== 'string' || named.has(name))
  return withNames(Object.fromEntries(kept), (name) => redact(name).slice(0, longestName))
}

/** Attributes with each of their texts changed. */
export function withNames(attributes: CompactionEvent['attributes'], change: (text: string) => string): CompactionEvent['attributes'] {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value]))
}
