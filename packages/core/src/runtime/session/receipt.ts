import type { Tokens } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { sumOf } from '../../history/sum-of.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import type { Measured, PlanInput, Regions } from '../../plan/context.ts'
import { rewriteCost } from '../../plan/cost.ts'
import { type CompactionReport, nothingSpent, type Spent } from '../../plan/report.ts'

/** The part of an execution that a receipt tells of. */
interface Executed {
  readonly spent: Spent
  readonly left: Pick<CompactionReport['messages'], 'summarized' | 'dropped'>
}

export interface Done {
  readonly plan: CompactionPlan
  /** The plan's input once the plan is carried out. */
  readonly input: Pick<PlanInput, 'policy'> & Partial<Pick<PlanInput, 'checkpoint' | 'warm'>>
  readonly measured: Pick<Measured, 'total' | 'regions'>
  readonly outcome: CompactionReport['outcome']
  readonly warnings: readonly string[]
  /** What was executed; undefined when nothing was. */
  readonly step?: Executed
  /** What its summary stands for, where it wrote one. */
  readonly replaced?: CompactionReport['replaced']
  /** Milliseconds. */
  readonly duration: number
}

export function reportOf({ plan, input, measured, outcome, warnings, step, replaced, duration }: Done): CompactionReport {
  const { checkpoint, warm = false } = input
  const { prices } = input.policy.cost
  // The decision was made by what the provider measured, the plan by estimates: these are scaled, so that all numbers of a receipt are comparable.
  const { used: before, usable: budget } = plan.decision
  const scale = plan.tokens.before === 0 ? 1 : before / plan.tokens.before
  const after = Math.round((step === undefined ? plan.tokens.after : measured.total) * scale)
  const prefix = Math.round(plan.prefix * scale)
  const { spent = nothingSpent, left = { summarized: 0, dropped: 0 } }: Partial<Executed> = step ?? {}
  const rewrite = { before, after, prefix, summaryPrompt: spent.prompt, summaryReply: spent.reply, warm }
  const summary = checkpoint?.summary
  return {
    plan,
    outcome,
    tokens: { before, after, budget },
    regions: { before: scaledTo(plan.regions.before, before), after: scaledTo(measured.regions, after) },
    messages: { kept: plan.keep.length, edited: plan.edits.length, ...left },
    ...omitUndefined({ checkpoint: checkpoint?.id, replaced }),
    spent,
    ...(prices !== undefined && step !== undefined && { cost: rewriteCost(prices, rewrite) }),
    compression: before === 0 ? 1 : after / before,
    cacheable: after === 0 ? 1 : Math.min(1, prefix / after),
    ...(summary !== undefined && { quality: { ...summary.quality, missing: summary.missing } }),
    prunedCallIds: plan.edits.map((edit) => edit.callId).filter(Boolean),
    warnings,
    duration,
  }
}

/** Regions in proportion, so that together they are `total`; what rounding leaves goes to the largest. */
function scaledTo(regions: Regions, total: Tokens): Regions {
  const names = Object.keys(regions) as (keyof Regions)[]
  const sum = sumOf(names, (name) => regions[name])
  if (sum === total || sum === 0) return regions
  const scaled = Object.fromEntries(names.map((name) => [name, Math.floor((regions[name] * total) / sum)])) as Record<keyof Regions, Tokens>
  const largest = names.reduce((most, name) => (scaled[name] > scaled[most] ? name : most))
  return { ...scaled, [largest]: scaled[largest] + total - sumOf(names, (name) => scaled[name]) }
}
