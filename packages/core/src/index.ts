// Messages and money

export type { Rendering } from './apply.ts'
export { applyPlan } from './apply.ts'
export type { Attachment, OpaqueOptions } from './attachment.ts'
export { readAttachment, readOpaque, readValue } from './attachment.ts'
export { withoutBinary } from './binary.ts'
export type { Calibration, RefusedWindow } from './calibrate.ts'
export { calibrate, calibrateByRatio, learnWindow, uncalibrated } from './calibrate.ts'
// Show
export type { Checkpoint, Edit, EditKind, Shown } from './checkpoint.ts'
export { newestValid, project } from './checkpoint.ts'
export { condense } from './condense.ts'
export type { Overhead, PlanInput, Regions } from './context.ts'
export type { Rewrite, RewriteCost } from './cost.ts'
export { isWorthRewriting, rewriteCost } from './cost.ts'
export type { Digest, DigestEntry, DigestOptions } from './digest.ts'
export { digest } from './digest.ts'
// Errors and events
export type { Infeasible } from './errors.ts'
export { CompactionError, ConflictError, InsufficientBudgetError, InvalidConfigurationError, StorageError, TamperedError } from './errors.ts'
export type { MediaCost, TokenEstimator } from './estimate.ts'
export { builtInEstimator, createTokenMemo, defaultMediaCost, estimateHistory, estimateMessage, mediaTokens, sealedTokens } from './estimate.ts'
export type { CompactionEvent, EventName } from './events.ts'
export type { FactOptions } from './facts.ts'
export { extractFacts } from './facts.ts'
export type { Attempt, SummaryFailure } from './failure.ts'
export { planAfterFailure } from './failure.ts'
export { fingerprint } from './fingerprint.ts'
// What belongs together, what is broken
export type { Group, ToolPair, ToolPairing } from './groups.ts'
export { groupMessages, pairToolCalls, safeCuts } from './groups.ts'
export { jsonText } from './json.ts'
export { checkKey, keySegment } from './keys.ts'
export type { Amount, ModelLimits, Threshold } from './limits.ts'
export { requestedReply, resolveAmount, resolveThreshold, usableInput } from './limits.ts'
export { mergePolicy, validatePolicy } from './merge-policy.ts'
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
} from './message.ts'
export { isMarker, isUserRequest, textOf } from './message.ts'
export type { Passage, PassageOptions, PassageSource } from './name-index.ts'
// Ports and effects
export { neutralCodec } from './neutral.ts'
export type { ErrorClass, ErrorPattern, StatedNumbers } from './overflow.ts'
export { classifyError } from './overflow.ts'
export { parseState } from './parse-state.ts'
export type { Partition, PartitionRules, Retention } from './partition.ts'
export { partitionMessages } from './partition.ts'
export { selectPassages } from './passages.ts'
export type { CompactionPlan, SummaryOrder } from './plan.ts'
export { planCompaction } from './plan.ts'
// Policy
export type {
  CompactionPolicy,
  CostPolicy,
  PolicyOverrides,
  Prices,
  PrunePolicy,
  RetainPolicy,
  Rung,
  SummaryAuthor,
  SummaryPolicy,
  ToolPolicy,
  ToolShape,
  TriggerPolicy,
} from './policy.ts'
export { toolPolicy } from './policy.ts'
export type {
  BackgroundJob,
  BackgroundQueue,
  Clock,
  CompactionTrace,
  Embedder,
  Exporter,
  MessageChanges,
  MessageCodec,
  StorageDriver,
  Summarizer,
  TraceAttributes,
} from './ports.ts'
export type { PresetName } from './presets/index.ts'
export { presets } from './presets/index.ts'
// Shorten, record, summarise
export { shortenArguments } from './prune/arguments.ts'
export type { ViewLimits } from './prune/view.ts'
export { viewOutput } from './prune/view.ts'
export type { Finding, PatternLike, RedactionRule, Redactor, SecretFinder } from './redact.ts'
export { redactorOf } from './redact.ts'
export { redactValue } from './redact-value.ts'
export { personalRules, secretRules } from './redaction-rules.ts'
export type { Remembered } from './remember.ts'
export type { Repair } from './repair.ts'
export { missingResultText, repairHistory } from './repair.ts'
export type { CompactionReport } from './report.ts'
export { renderReport } from './report.ts'
export { answerRefusals } from './runtime/answer-refusals.ts'
export type { Archive, ArchivedCheckpoint, ArchivedSession, ArchiveOptions, ArchiveRedaction } from './runtime/archive.ts'
export { createArchive } from './runtime/archive.ts'
export type { ArchiveRepair } from './runtime/archive-index.ts'
export { checkedStorage } from './runtime/checked-storage.ts'
export type { Compactor, CompactorOptions } from './runtime/compactor.ts'
export { createCompactor } from './runtime/compactor.ts'
export { createEmitter } from './runtime/emitter.ts'
export type { EncryptedStorageOptions, EncryptionKey, Rotation } from './runtime/encrypted-storage.ts'
export { encryptedStorage, rotateEncryption } from './runtime/encrypted-storage.ts'
export type { Guard } from './runtime/guard.ts'
export { lexicalEmbedder } from './runtime/lexical-embedder.ts'
export { memoryStorage } from './runtime/memory-storage.ts'
export type { RedactorOptions } from './runtime/redactor.ts'
export { createRedactor } from './runtime/redactor.ts'
export type { BackgroundCompaction, CompactionSession, ModelCall, Prepared } from './runtime/session-types.ts'
export { digestSummarizer } from './runtime/summarise.ts'
export type { OutputLine, SaveOptions, ToolOutputRef, ToolOutputStore, ToolOutputStoreOptions } from './runtime/tool-outputs.ts'
export { createToolOutputStore } from './runtime/tool-outputs.ts'
export { compactContextTool } from './runtime/tools.ts'
export type { OpenTelemetryTracer } from './runtime/trace.ts'
export { openTelemetryTrace } from './runtime/trace.ts'
export type { LineMatcher } from './safe-pattern.ts'
export { safePattern } from './safe-pattern.ts'
export { namesIn } from './salience.ts'
export type { Topic, Vector } from './semantic.ts'
export { lexicalVectors, selectRelated, topicOf } from './semantic.ts'
export type { CompactionState, PendingCompaction } from './state.ts'
export { initialState } from './state.ts'
export type { AcceptanceLimits, FinishReason, SummaryRejection } from './summary/accept.ts'
export { acceptSummary } from './summary/accept.ts'
export type { Grounding, Source } from './summary/ground.ts'
export { groundSummary, sourceOf } from './summary/ground.ts'
export type { ParsedSummary, Summary, SummaryQuality } from './summary/parse.ts'
export { parseSummary } from './summary/parse.ts'
export { renderHandoff, renderSummary, summaryMark } from './summary/render.ts'
export type { SummaryBrief, SummaryRequest } from './summary/request.ts'
export { buildMergeRequest, buildPrefixRequest, buildSummaryRequest, chunkTranscript } from './summary/request.ts'
export type { SummaryStyle } from './summary/style.ts'
export { requiredSections, summaryStyles } from './summary/style.ts'
export type { RoleWeights } from './summary/transcript.ts'
export { renderTranscript } from './summary/transcript.ts'
export type { ToolDefinition } from './tool.ts'
// Decide
export type { Asked, TriggerDecision, TriggerInput, TriggerReason } from './trigger.ts'
export { decideTrigger } from './trigger.ts'
export type { ReportedUsage, TokenUsage } from './usage.ts'
export { countedPrompt, normalizeUsage, promptTokens } from './usage.ts'
export { joinPassages } from './windows.ts'
