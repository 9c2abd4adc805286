// Messages and money
export type { ApprovalPart, MediaPart, Message, OpaquePart, Part, ReasoningPart, Role, TextPart, Tokens, ToolCallPart, ToolResultPart } from './message.ts'
export { isUserRequest, textOf } from './message.ts'
export type { Amount, ModelLimits, Threshold } from './limits.ts'
export { resolveAmount, resolveThreshold, usableInput } from './limits.ts'
export type { ReportedUsage, TokenUsage } from './usage.ts'
export { normalizeUsage, promptTokens } from './usage.ts'
export type { TokenEstimator } from './estimate.ts'
export { builtInEstimator, createTokenMemo, estimateHistory, estimateMessage, mediaTokens } from './estimate.ts'
export type { Calibration } from './calibrate.ts'
export { calibrate, learnWindow, uncalibrated } from './calibrate.ts'

// Policy
export type { CompactionPolicy, PolicyOverrides, PrunePolicy, RetainPolicy, SummaryPolicy, ToolPolicy, ToolShape, TriggerPolicy } from './policy.ts'
export { mergePolicy, validatePolicy } from './policy.ts'
export { presets } from './presets/index.ts'

// What belongs together, what is broken
export type { Group, ToolPair, ToolPairing } from './groups.ts'
export { groupMessages, pairToolCalls, safeCuts } from './groups.ts'
export type { Repair } from './repair.ts'
export { missingResultText, repairHistory } from './repair.ts'

// Decide
export type { TriggerDecision, TriggerInput, TriggerReason } from './trigger.ts'
export { decideTrigger } from './trigger.ts'
export type { Partition, Retention } from './partition.ts'
export { partitionMessages } from './partition.ts'
export type { CompactionPlan, Overhead, PlanInput, Regions, SummaryOrder } from './plan.ts'
export { planCompaction } from './plan.ts'
export type { Attempt, SummaryFailure } from './failure.ts'
export { planAfterFailure } from './failure.ts'

// Shorten, record, summarise
export type { Passage, PassageOptions, PassageSource } from './condense.ts'
export { condense, joinPassages, selectPassages } from './condense.ts'
export { viewOutput } from './prune/view.ts'
export type { Digest, DigestEntry, DigestOptions } from './digest.ts'
export { digest } from './digest.ts'
export { extractFacts } from './facts.ts'
export type { SummaryStyle } from './summary/style.ts'
export { requiredSections } from './summary/style.ts'
export type { SummaryBrief, SummaryRequest } from './summary/request.ts'
export { buildMergeRequest, buildSummaryRequest, chunkTranscript } from './summary/request.ts'
export { renderTranscript } from './summary/transcript.ts'
export type { ParsedSummary, Summary } from './summary/parse.ts'
export { parseSummary } from './summary/parse.ts'
export type { AcceptanceLimits, FinishReason, SummaryRejection } from './summary/accept.ts'
export { acceptSummary } from './summary/accept.ts'
export { renderSummary, summaryMark } from './summary/render.ts'

// Show
export type { Rendering } from './apply.ts'
export { applyPlan } from './apply.ts'
export type { Checkpoint, Edit, Shown } from './checkpoint.ts'
export { fingerprint, newestValid, project } from './checkpoint.ts'
export type { CompactionState } from './state.ts'
export { initialState, parseState } from './state.ts'

// Errors and events
export type { ErrorClass, ErrorPattern } from './overflow.ts'
export { classifyError } from './overflow.ts'
export type { Infeasible } from './errors.ts'
export { CompactionError, ConflictError, InsufficientBudgetError, InvalidConfigurationError } from './errors.ts'
export type { CompactionEvent, EventName } from './events.ts'
export type { CompactionReport } from './report.ts'
export { renderReport } from './report.ts'
export type { RedactionRule, Redactor } from './redact.ts'
export { createRedactor, secretRules } from './redact.ts'

// Ports and effects
export type { Clock, Exporter, MessageCodec, StorageDriver, Summarizer } from './ports.ts'
export type { Compactor, CompactorOptions } from './runtime/compactor.ts'
export { createCompactor } from './runtime/compactor.ts'
export type { CompactionSession, ModelCall, Prepared } from './runtime/session.ts'
export { digestSummarizer } from './runtime/summarise.ts'
export { memoryStorage } from './runtime/memory-storage.ts'
export { createEmitter } from './runtime/emitter.ts'
