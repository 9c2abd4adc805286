// What a host may replace: each port stands in the room that uses it, and all are listed here.

export type { TokenEstimator } from '../budget/estimate.ts'
export type { MessageChanges, MessageCodec } from '../history/codec.ts'
export type { Embedder } from '../partition/embedder.ts'
export type { Redactor } from '../privacy/redactor.ts'
export type { Summarizer } from '../summary/summarizer.ts'
export type { Clock } from './clock.ts'
export type { BackgroundJob, BackgroundQueue } from './session/queue.ts'
export type { StorageDriver } from './storage/driver.ts'
export type { Exporter } from './telemetry/exporter.ts'
export type { CompactionTrace, TraceAttributes } from './telemetry/trace.ts'
