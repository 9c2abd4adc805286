import type { TokenEstimator } from '../../../budget/estimate.ts'
import type { Message, Tokens } from '../../../history/message.ts'
import type { CompactionPlan, SummaryOrder } from '../../../plan/compaction-plan.ts'
import type { CompactionPolicy } from '../../../policy/policy.ts'
import type { Redactor } from '../../../privacy/redactor.ts'
import type { Gone } from '../../../state/checkpoint.ts'
import type { Summarizer } from '../../../summary/summarizer.ts'
import type { Summary } from '../../../summary/summary.ts'

/** What a summary is made from: the order, the messages it stands for, and who writes it. */
export interface SummarizeInput {
  /** As they may leave the process: redacted before anything is cut, quoted or counted. */
  readonly messages: readonly Message[]
  readonly plan: CompactionPlan
  readonly order: SummaryOrder
  readonly previous: Summary | undefined
  /** Messages that the summary so far speaks for, and that nobody hands over any more. */
  readonly gone?: Gone
  /** Messages that left the context before without being summarized. */
  readonly dropped?: readonly number[]
  readonly policy: CompactionPolicy
  /** Lines of the host for this request, behind those of the policy. */
  readonly directives?: readonly string[]
  readonly summarizer: Summarizer
  readonly estimator: TokenEstimator
  /** Tokens of the window that the summarizer may use when it states none. */
  readonly window: Tokens
  /** For texts that are stored; one that it fails for is left out. */
  readonly redact: Redactor
  /** For what a model is asked: one that it fails for is not sent. */
  readonly redactPrompt: Redactor
  readonly signal: AbortSignal | undefined
  /** Milliseconds for all attempts together; 0 where there is no time to ask. */
  readonly most: number
  /** The messages as last sent, up to the last one that is summarized, and their calibrated Tokens: what a request may ride on. */
  readonly prefix?: { readonly messages: readonly unknown[]; readonly tokens: Tokens }
}
