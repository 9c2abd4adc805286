import type { Calibration } from '../../../budget/calibrate.ts'
import type { TokenEstimator } from '../../../budget/estimate.ts'
import type { ModelLimits } from '../../../budget/limits.ts'
import type { ErrorPattern } from '../../../budget/wordings.ts'
import type { MessageCodec } from '../../../history/codec.ts'
import type { Embedder } from '../../../partition/embedder.ts'
import type { PartitionRule } from '../../../partition/rule.ts'
import type { CompactionPolicy, ToolPolicy } from '../../../policy/policy.ts'
import type { CustomRung } from '../../../prune/custom-rung.ts'
import type { Summarizer } from '../../../summary/summarizer.ts'
import type { Breakers } from '../../breaker.ts'
import type { Effects } from '../../effects.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Archive } from '../../storage/archive.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import type { ToolOutputStore } from '../../storage/output-store.ts'
import type { Emitter } from '../../telemetry/emitter.ts'
import type { CompactionTrace } from '../../telemetry/trace.ts'
import type { ModelRules } from './model-rules.ts'
import type { BackgroundQueue } from './queue.ts'
import type { Redaction } from './redaction.ts'

/** What a host wants a summary to know that only it knows: the branch, the goals of the day. One line each. */
export type Directives = (about: { readonly session: string; readonly focus?: string }) => readonly string[] | Promise<readonly string[]>

/** What one session works with: none of it is waited for without limit. */
export interface CompactorParts<M> extends GivenParts<M> {
  readonly effects: Effects
}

/** Options of a compactor with every default in place. */
export interface GivenParts<M> {
  readonly codec: MessageCodec<M>
  /** Of a model; "" for one without a name. */
  readonly limitsOf: (model: string) => ModelLimits | undefined
  readonly policy: CompactionPolicy
  /** Policy and estimator for a model; those beside it are for a model without a name. */
  readonly rulesFor: (model: string | undefined) => ModelRules
  readonly directives: Directives | undefined
  readonly rungs: readonly CustomRung[] | undefined
  readonly rules: readonly PartitionRule[] | undefined
  readonly tools: Readonly<Record<string, ToolPolicy>> | undefined
  readonly summarizer: Summarizer
  /** For what a person asked for: a compaction by hand or with a focus, a handoff. */
  readonly fullSummarizer: Summarizer
  readonly estimator: TokenEstimator
  readonly embedder: Embedder | undefined
  readonly storage: StorageDriver
  readonly archive: Pick<Archive<M>, 'saveTranscript' | 'saveCheckpoint' | 'recallTool' | 'forget'> | undefined
  readonly outputs: Pick<ToolOutputStore, 'keep' | 'save' | 'gc' | 'tools'> | undefined
  readonly redaction: Redaction
  /** false: the host switched it off. */
  readonly redacts: boolean
  /** false: summaries are written by code alone, and cost nothing. */
  readonly paid: boolean
  readonly breakers: Breakers
  /** What conversations of this process learned of a model where it is served. */
  readonly learned: Map<string, Calibration>
  readonly errorPatterns: readonly ErrorPattern[] | undefined
  readonly clock: Clock
  readonly emitter: Emitter
  readonly trace: CompactionTrace | undefined
  readonly queue: BackgroundQueue | undefined
}
