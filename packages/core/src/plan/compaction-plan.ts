import type { Tokens } from '../history/message.ts'
import type { Repair } from '../partition/repair.ts'
import type { SummaryAuthor, SummaryStyle } from '../policy/policy.ts'
import type { Edit } from '../state/checkpoint.ts'
import type { Regions } from './context.ts'
import type { TriggerDecision } from './trigger.ts'

/** The summary that a plan wants: data, no bodies. */
export interface SummaryOrder {
  readonly version: number
  readonly style: SummaryStyle
  readonly author: SummaryAuthor
  /** Most uncalibrated Tokens of the model's text. */
  readonly tokens: Tokens
  /** Most uncalibrated Tokens of all that is sent for it: text, record, and what stands around them. */
  readonly room: Tokens
  /** Most uncalibrated Tokens of the record alone. */
  readonly record: Tokens
  /** Most of them for the user's own words. */
  readonly requests: Tokens
  readonly focus?: string
}

/**
 * What a compaction will do: plain JSON, indices into the history, never bodies (shortened outputs are the one exception: they are what will be sent).
 * Each index is in exactly one of `keep`, `summarize`, `drop` and `represented`.
 */
export interface CompactionPlan {
  readonly decision: TriggerDecision
  readonly keep: readonly number[]
  /** What is shown in other words; its messages are in `keep`. */
  readonly edits: readonly Edit[]
  /** What this plan's summary will replace. */
  readonly summarize: readonly number[]
  /** Left out, with a note in the summary that says so; without a summary where there is no room for one. */
  readonly drop: readonly number[]
  /** What earlier summaries already stand for. */
  readonly represented: readonly number[]
  readonly repairs: readonly Repair[]
  readonly summary?: SummaryOrder
  /** Calibrated. `after.summary` is the room given to the summary, of which it may use less. */
  readonly regions: { readonly before: Regions; readonly after: Regions }
  readonly tokens: { readonly before: Tokens; readonly after: Tokens }
  /** Calibrated Tokens in front of the first change: what the provider's prompt cache still serves. */
  readonly prefix: Tokens
  /** How much was to be kept, after any giving up; `pinned`: messages that nothing may touch. */
  readonly retained: { readonly turns: number; readonly toolPairs: number; readonly pinned: number }
  readonly warnings: readonly string[]
}
