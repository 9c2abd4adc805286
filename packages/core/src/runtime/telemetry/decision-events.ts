import { promptTokens } from '../../budget/usage.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import { type PlanInput, windowOf } from '../../plan/context.ts'
import { levels } from '../../plan/trigger.ts'
import type { EventDraft } from './events.ts'

/** The events that a decision gives rise to, in order, with what it depended on. Loaded where somebody listens. */
export function decisionEvents(plan: CompactionPlan, input: PlanInput): readonly EventDraft[] {
  const { decision, edits, summarize, drop, regions, repairs, retained, tokens } = plan
  const { action, reason, used, usable, target } = decision
  const { trigger } = input.policy
  const [kept, changed] = [plan.keep.length, edits.length + summarize.length + drop.length]
  const hard = usable === null ? 0 : levels(trigger, usable, windowOf(input)).hard
  const billed = input.state.anchor?.usage
  const prompt = billed && promptTokens(billed)
  const events: EventDraft[] = [
    {
      event: 'compact.token_estimate',
      severity: 'info',
      attributes: { used, usable: usable ?? 0, ...regions.before, ...(prompt && { cache_hit: billed.cacheRead / prompt }) },
    },
    {
      event: 'compact.trigger_decision',
      severity: action === 'infeasible' ? 'high' : action === 'emergency' ? 'warning' : 'info',
      attributes: {
        action,
        reason,
        model: input.model ?? '',
        t_est: used,
        max: input.limits?.contextWindow ?? 0,
        used,
        hard,
        target,
        'policy.trigger_pct': usable === null ? 0 : Number((hard / usable).toFixed(4)),
        'policy.buffer': trigger.buffer,
        kept,
        'kept.pinned': retained.pinned,
        'kept.recent_turns': retained.turns,
        'kept.tool_pairs': retained.toolPairs,
        summary_tokens: regions.after.summary,
        pruned_count: changed,
      },
    },
  ]
  if (repairs.length > 0) events.push({ event: 'compact.repaired', severity: 'warning', attributes: countKinds(repairs) })
  if (action === 'none' || action === 'infeasible') return events
  const scale = tokens.before === 0 ? 1 : used / tokens.before
  events.push({
    event: 'compact.policy_applied',
    severity: 'info',
    attributes: { turns: retained.turns, tool_pairs: retained.toolPairs, tokens_before: used, tokens_planned: Math.round(tokens.after * scale) },
  })
  if (changed > 0) {
    events.push({
      event: 'compact.pruned_messages',
      severity: drop.length > 0 ? 'warning' : 'info',
      attributes: { kept, edited: edits.length, summarized: summarize.length, dropped: drop.length },
    })
  }
  return events
}

function countKinds(repairs: readonly { readonly kind: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind } of repairs) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
