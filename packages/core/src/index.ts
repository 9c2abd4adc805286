// The public surface, room by room: each imports only from those above it.

// History: what a conversation is

export type { Attachment, OpaqueOptions } from './history/attachment.ts'
export { readAttachment, readOpaque, readValue } from './history/attachment.ts'
export { withoutBinary } from './history/binary.ts'
export type { MessageChanges, MessageCodec } from './history/codec.ts'
export { fingerprint } from './history/fingerprint.ts'
export type { Group, ToolPair, ToolPairing } from './history/groups.ts'
export { groupMessages, pairToolCalls, safeCuts } from './history/groups.ts'
export { jsonText } from './history/json.ts'
export type {
  ApprovalPart,
  MarkerPart,
  MediaPart,
  Message,
  OpaquePart,
  Part,
  ReasoningPart,
  Role,
  TextPart,
  Tokens,
  ToolCallPart,
  ToolResultPart,
} from './history/message.ts'
export { isMarker, isUserRequest, textOf } from './history/message.ts'
export { neutralCodec } from './history/neutral-codec.ts'
export { summaryMark, withSummaryMark } from './history/summary-mark.ts'
export type { ToolDefinition } from './history/tool.ts'

// Errors

export type { Infeasible } from './errors.ts'
export { CompactionError, ConflictError, InsufficientBudgetError, InvalidConfigurationError, StorageError, TamperedError } from './errors.ts'

// Budget: what fits, what it costs, what a provider’s refusal teaches

export type { MediaCost } from './budget/attachment-cost.ts'
export { defaultMediaCost } from './budget/attachment-cost.ts'
export type { Calibration } from './budget/calibrate.ts'
export { calibrate, uncalibrated } from './budget/calibrate.ts'
export type { TokenEstimator } from './budget/estimate.ts'
export { builtInEstimator, createTokenMemo, estimateHistory, estimateMessage, sealedTokens } from './budget/estimate.ts'
export type { RefusedWindow } from './budget/learned-window.ts'
export type { Amount, ModelLimits, Threshold } from './budget/limits.ts'
export { requestedReply, resolveThreshold, usableInput } from './budget/limits.ts'
export type { ErrorClass, StatedNumbers } from './budget/overflow.ts'
export { classifyError } from './budget/overflow.ts'
export type { ReportedUsage, TokenUsage } from './budget/usage.ts'
export { countedPrompt, normalizeUsage, promptTokens } from './budget/usage.ts'
export type { ErrorPattern } from './budget/wordings.ts'

// Privacy: what must not leave the process

export { redactValue } from './privacy/redact-value.ts'
export type { Finding, PatternLike, RedactionRule, Redactor, SecretFinder } from './privacy/redactor.ts'
export { redactorOf } from './privacy/redactor.ts'
export { personalRules, secretRules } from './privacy/rules.ts'
export type { LineMatcher } from './privacy/safe-pattern.ts'

// Record: what code notes of a span, without a model

export { condense, excerptsByName } from './record/excerpts/condense.ts'
export type { ExcerptSource, Excerpts } from './record/excerpts/excerpts.ts'
export type { FactOptions, RecordEntry } from './record/facts/facts.ts'
export { extractFacts } from './record/facts/facts.ts'
export type { Passage, PassageOptions, PassageSource } from './record/names/name-index.ts'
export { namesIn } from './record/names/names.ts'
export type { HistoryRecord, RecordOptions } from './record/record.ts'
export { recordOf } from './record/record.ts'

// Policy: thresholds, presets, as plain data

export { mergePolicy, validatePolicy } from './policy/merge.ts'
export type {
  CompactionPolicy,
  CostPolicy,
  PolicyOverrides,
  Prices,
  PrunePolicy,
  RetainPolicy,
  Rung,
  RungName,
  SummaryAuthor,
  SummaryPolicy,
  SummaryPrompt,
  SummaryStyle,
  ToolPolicy,
  ToolShape,
  TriggerPolicy,
} from './policy/policy.ts'
export { rungs, summaryStyles, toolShapes } from './policy/policy.ts'
export type { PresetName } from './policy/presets/index.ts'
export { presets } from './policy/presets/index.ts'
export { toolPolicy } from './policy/tool-policy.ts'

// Summary: what a model is asked to write, and what is accepted

export type { AcceptanceLimits, FinishReason, SummaryRejection } from './summary/accept.ts'
export { acceptSummary } from './summary/accept.ts'
export type { ParsedSummary } from './summary/parse.ts'
export { parseSummary } from './summary/parse.ts'
export { renderSummary } from './summary/render.ts'
export type { SummaryBrief, SummaryRequest } from './summary/request.ts'
export { buildSummaryRequest } from './summary/request.ts'
export { requiredSections } from './summary/style.ts'
export type { Summarizer } from './summary/summarizer.ts'
export type { Summary, SummaryQuality } from './summary/summary.ts'
export type { RoleWeights } from './summary/transcript.ts'

// State: checkpoints, stored as JSON

export type { Checkpoint, Edit, EditKind, Shown } from './state/checkpoint.ts'
export { project } from './state/checkpoint.ts'
export { checkKey, keySegment } from './state/keys.ts'
export { parseState } from './state/parse-state.ts'
export { newestValid } from './state/placed.ts'
export type { Asked, TriggerReason } from './state/reason.ts'
export type { CompactionState, PendingCompaction } from './state/state.ts'
export { initialState } from './state/state.ts'

// Partition: what stays whole, what is broken

export type { Embedder } from './partition/embedder.ts'
export type { Partition, PartitionRules, Retention } from './partition/partition.ts'
export { partitionMessages } from './partition/partition.ts'
export type { Repair } from './partition/repair.ts'
export { missingResultText, repairHistory } from './partition/repair.ts'
export type { PartitionRule } from './partition/rule.ts'
export type { Topic, Vector } from './partition/semantic.ts'

// Prune: shorter views of outputs and arguments

export { shortenArguments } from './prune/arguments.ts'
export type { CustomRung, OutputToShorten } from './prune/custom-rung.ts'
export type { ViewLimits } from './prune/view.ts'
export { viewOutput } from './prune/view.ts'

// Plan: the decision, and the context that follows from it

export type { Rendering } from './plan/apply.ts'
export { applyPlan } from './plan/apply.ts'
export type { CompactionPlan, SummaryOrder } from './plan/compaction-plan.ts'
export type { Overhead, PlanInput, Regions } from './plan/context.ts'
export type { Rewrite, RewriteCost } from './plan/cost.ts'
export { rewriteCost } from './plan/cost.ts'
export type { SummaryFailure } from './plan/failure.ts'
export type { Remembered } from './plan/layers.ts'
export { planCompaction } from './plan/plan.ts'
export type { ProviderSide } from './plan/provider-side.ts'
export { providerSide } from './plan/provider-side.ts'
export type { CompactionReport, RecallReceipt, Spent } from './plan/report.ts'
export { renderReport } from './plan/report.ts'
export type { TriggerDecision, TriggerInput } from './plan/trigger.ts'
export { decideTrigger } from './plan/trigger.ts'

// Recall: what a model can look up of what left its context

export type { RecallMode, RecallOption } from './recall/offer.ts'
export { recallTool } from './recall/recall-tool.ts'

// Runtime: everything asynchronous

export { createCompactor } from './runtime/compactor/compactor.ts'
export type { Compactor, CompactorOptions } from './runtime/compactor/compactor-types.ts'
export type { ForgetOptions, Forgot } from './runtime/deletion/forget.ts'
export type { Collected, GcOptions } from './runtime/deletion/gc.ts'
export type { RetentionPeriod } from './runtime/deletion/retention.ts'
export type { Clock } from './runtime/platform/clock.ts'
export type { RecallRound } from './runtime/recall/answer-look-ups.ts'
export type { RecallAnswers } from './runtime/recall/look-ups.ts'
export type { RedactorOptions } from './runtime/redactor.ts'
export { createRedactor } from './runtime/redactor.ts'
export { answerRefusals } from './runtime/session/answer-refusals.ts'
export type { Guard } from './runtime/session/host/guard.ts'
export { lexicalEmbedder } from './runtime/session/host/lexical-embedder.ts'
export type { Directives } from './runtime/session/host/parts.ts'
export type { BackgroundJob, BackgroundQueue } from './runtime/session/host/queue.ts'
export type { BackgroundCompaction, CompactionSession, ModelCall, Prepared } from './runtime/session/session-types.ts'
export type { Archive } from './runtime/storage/archive.ts'
export { createArchive } from './runtime/storage/archive.ts'
export type { ArchiveRepair } from './runtime/storage/archive-index.ts'
export type { ArchiveOptions, ArchiveRedaction } from './runtime/storage/archive-text.ts'
export type { ArchivedCheckpoint, ArchivedSession } from './runtime/storage/archived.ts'
export { checkedStorage } from './runtime/storage/checked-storage.ts'
export type { StorageDriver } from './runtime/storage/driver.ts'
export { encryptedStorage, rotateEncryption } from './runtime/storage/encrypted-storage.ts'
export type { EncryptedStorageOptions, EncryptionKey, WebCryptoKey } from './runtime/storage/encryption-key.ts'
export { memoryStorage } from './runtime/storage/memory-storage.ts'
export type { OutputGcOptions, OutputLine, SaveOptions, ToolOutputRef, ToolOutputStore } from './runtime/storage/output-store.ts'
export type { Rotation } from './runtime/storage/rotate-encryption.ts'
export type { ToolOutputStoreOptions } from './runtime/storage/tool-outputs.ts'
export { createToolOutputStore } from './runtime/storage/tool-outputs.ts'
export { createEmitter } from './runtime/telemetry/emitter.ts'
export type { CompactionEvent, EventName } from './runtime/telemetry/events.ts'
export type { Exporter } from './runtime/telemetry/exporter.ts'
export type { CompactionTrace } from './runtime/telemetry/trace.ts'
export { openTelemetryTrace } from './runtime/telemetry/trace.ts'
export type { OpenTelemetryTracer, TraceAttributes } from './runtime/telemetry/tracer.ts'
