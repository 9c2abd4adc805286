import type { TokenMemo } from '../../budget/estimate.ts'
import type { CompactionReport } from '../../plan/report.ts'
import type { EventDraft } from '../telemetry/events.ts'
import type { CompactorParts } from './host/parts.ts'
import type { HistoryReader } from './reading/history-reader.ts'
import type { ReadingAhead } from './reading/read-ahead.ts'
import type { Renderer } from './reading/renderer.ts'
import type { KeptOutputs } from './stored/kept-outputs.ts'
import type { StateStore } from './stored/state-store.ts'
import type { Background } from './summarizing/background.ts'

/** What the steps of one session work with: the parts of its compactor, and what belongs to it alone. */
export interface SessionParts<M> extends CompactorParts<M> {
  readonly id: string
  readonly tokens: TokenMemo
  readonly store: StateStore
  readonly reader: HistoryReader<M>
  readonly render: Renderer<M>
  readonly background: Background
  readonly reading: ReadingAhead
  /** Whole outputs of its own in the store, where there is one. */
  readonly kept: KeptOutputs | undefined
  /** Tells the host of a compaction that no request waited for. */
  readonly report: (report: CompactionReport) => void
  /** Resolves when what is stored was read. */
  readonly ready: () => Promise<void>
  /** Does something between two requests, without anybody waiting for it. */
  readonly soon: (work: () => Promise<unknown>) => void
  readonly emit: (event: EventDraft['event'], severity: EventDraft['severity'], attributes: EventDraft['attributes']) => void
}
