import type { Checkpoint } from '../../state/checkpoint.ts'
import type { CompactionEvent } from '../telemetry/events.ts'

/** One compaction on record: the summary with its version, and which messages it stands for. */
export interface ArchivedCheckpoint extends Checkpoint {
  /** Milliseconds since 1970. */
  readonly at: number
}

/** One session as it is on record. `M` is the framework’s message. */
export interface ArchivedSession<M> {
  /** The newest transcript: every message that was there before the last compaction. */
  readonly messages: readonly M[]
  /** Oldest first. */
  readonly checkpoints: readonly ArchivedCheckpoint[]
  readonly events: readonly CompactionEvent[]
  /** Keys of what cannot be read; absent where all is well. A transcript ends before the first of its segments that is among them. `repair` makes a damaged index anew. */
  readonly damaged?: readonly string[]
}
