import type { Tokens } from '../history/message.ts'
import type { SummaryQuality } from '../summary/summary.ts'
import type { CompactionPlan } from './compaction-plan.ts'
import type { Regions } from './context.ts'
import type { RewriteCost } from './cost.ts'

/** One round in which a model looked up what had left its context; or what came back by itself with a message that asked about it. */
export interface RecallReceipt {
  /** Number of the round within its model call, from 1 on; 0 where nothing was looked up. */
  readonly round: number
  readonly lookUps: number
  /** Passages and pages that were found, and Tokens of all that was shown. */
  readonly shown: number
  readonly tokens: Tokens
}

/** Tokens that models read and wrote, and in how many calls that were answered. */
export interface Spent {
  readonly prompt: Tokens
  readonly reply: Tokens
  readonly calls: number
}

export const nothingSpent: Spent = { prompt: 0, reply: 0, calls: 0 }

/** For adapters: what two have come to. */
export function bothSpent(one: Spent, other: Spent): Spent {
  return { prompt: one.prompt + other.prompt, reply: one.reply + other.reply, calls: one.calls + other.calls }
}

/** The receipt of one call of the session: what was decided, what became of it. JSON, no bodies. */
export interface CompactionReport {
  readonly plan: CompactionPlan
  /** `projected`: an earlier compaction still holds. `degraded`: done, but not the way the policy wanted. */
  readonly outcome: 'unchanged' | 'projected' | 'pruned' | 'summarized' | 'degraded' | 'emergency'
  /** By the measure that decided: what the provider counted for the last prompt and an estimate of what came since, where there is one. `budget`: the largest prompt that leaves room for the reply; null when unlimited or unknown. */
  readonly tokens: { readonly before: Tokens; readonly after: Tokens; readonly budget: Tokens | null }
  readonly regions: { readonly before: Regions; readonly after: Regions }
  readonly messages: { readonly kept: number; readonly edited: number; readonly summarized: number; readonly dropped: number }
  readonly checkpoint?: string
  /** What the summary cost; zeros where no model was asked. */
  readonly spent: Spent
  /** Where the policy has prices: what this rewrite costs and saves. */
  readonly cost?: RewriteCost
  /** What the new summary stands for, itself, and how many times it is smaller. */
  readonly replaced?: { readonly before: Tokens; readonly after: Tokens; readonly ratio: number }
  /** Tokens of the context after ÷ before; 1 when nothing was done. */
  readonly compression: number
  /** Share (0–1) of the new context that the provider's prompt cache can still serve. */
  readonly cacheable: number
  /** Of the summary that is shown. */
  readonly quality?: SummaryQuality & { readonly missing: readonly string[] }
  /** Calls whose outputs the model no longer sees whole: read caches keyed by call must forget them. */
  readonly prunedCallIds: readonly string[]
  /** The round of look-ups whose answers this request carries, or what came back with its newest message. */
  readonly recall?: RecallReceipt
  readonly warnings: readonly string[]
  /** The conversation: its id, or what it is known by where nobody named it. */
  readonly session?: string
  /** The model of the call, where the call says it. */
  readonly model?: string
  /** Milliseconds. */
  readonly duration: number
}

/** The receipt as a person reads it: why, how much, what became of what. Plain text, one fact a line. */
export function renderReport(report: CompactionReport): string {
  const { plan, tokens, messages } = report
  const gain = tokens.before > 0 ? Math.round((1 - tokens.after / tokens.before) * 100) : 0
  const alone = report.outcome === 'summarized' && !report.spent.calls ? ' without a model' : ''
  const lines = [
    `${report.outcome}${alone} (${plan.decision.reason}): ${format(tokens.before)} → ${format(tokens.after)} tokens` +
      `${gain > 0 ? `, ${gain} % freed` : ''}${tokens.budget === null ? '' : `, budget ${format(tokens.budget)}`}, ${Math.round(report.duration)} ms`,
    `messages: ${messages.kept} kept, ${messages.edited} shortened, ${messages.summarized} summarized, ${messages.dropped} dropped`,
    'region      before →     after (tokens)',
  ]
  for (const [name, before] of Object.entries(report.regions.before)) {
    const after = report.regions.after[name as keyof Regions]
    const label = { history: 'older', input: 'request' }[name] ?? name
    if (before + after > 0) lines.push(`${label.padEnd(8)} ${format(before).padStart(9)} → ${format(after).padStart(9)}`)
  }
  if (report.cost) {
    const { without, with: now, summary, paysBackAfter } = report.cost
    const pays = paysBackAfter === null ? 'never pays back' : paysBackAfter === 0 ? 'pays at once' : `pays back after ${paysBackAfter} calls`
    lines.push(`cost of the next prompt ${without.toFixed(4)} → ${now.toFixed(4)}, summary ${summary.toFixed(4)}: ${pays}`)
  }
  const unsupported = report.quality?.unsupported ?? []
  if (unsupported.length > 0) lines.push(`unverified in the summary: ${unsupported.slice(0, 5).join(', ')}`)
  if (report.recall) {
    const { round, lookUps, shown, tokens: read } = report.recall
    lines.push(`look-ups, round ${round}: ${lookUps} asked, ${shown} passages, ${format(read)} tokens`)
  }
  for (const warning of report.warnings) lines.push(`note: ${warning}`)
  return lines.join('\n')
}

function format(tokens: Tokens): string {
  return Math.round(tokens).toLocaleString('en')
}
