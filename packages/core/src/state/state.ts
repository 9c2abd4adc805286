import { type Calibration, uncalibrated } from '../budget/calibrate.ts'
import type { TokenUsage } from '../budget/usage.ts'
import type { Tokens } from '../history/message.ts'
import { sumOf } from '../history/sum-of.ts'
import type { Checkpoint } from './checkpoint.ts'

/** All that a session remembers between calls, as JSON. A checkpoint is about as large as the summary that it shows: a quarter of the window with its record. */
export interface CompactionState {
  readonly format: 1
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[]
  readonly calibration: Calibration
  /** The newest prompt that a provider measured, and the history it was made of. */
  readonly anchor?: UsageAnchor
  readonly breaker: Breaker
  /** A compaction that was asked for and not done yet. Stored, so that a crash in between does not lose it. `said`: beginnings of what its conversation said, where others have the same id. */
  readonly pending?: PendingCompaction & { readonly said?: readonly string[] }
  /** Set with each write to a storage; states of before have none. `checkpoint`: the newest one then, as processes of before carry the field along unread. */
  readonly written?: { readonly at: number; readonly checkpoint: string | null }
  /** Ids of checkpoints that were taken back, the newest last: wherever one of them still stands, it is none. */
  readonly rewound?: readonly string[]
  /** The id that it had while it said less, where something of it was stored under that: it is deleted with it. */
  readonly continues?: string
  /** The conversation with this id was deleted. */
  readonly forgotten?: Forgotten
}

/** What stands where a conversation was deleted: no word of it, only by what it would be known again. */
interface Forgotten {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Fingerprints of beginnings of what was deleted: a history that begins like one of them is not stored under this id. */
  readonly said: readonly string[]
}

/** A compaction that somebody asked for. It is done before the next call. */
export interface PendingCompaction {
  /** Who asked: the agent loop, a person, or the model through its tool. */
  readonly by: 'loop' | 'user' | 'agent'
  readonly focus?: string
}

export interface UsageAnchor {
  /** Messages of the history that were sent, as shown by `checkpoint`; `fingerprint`: what they say, of another history nothing was measured. */
  readonly length: number
  readonly fingerprint?: string
  readonly checkpoint: string | null
  /** Model that measured it: another one counts otherwise. */
  readonly model: string | null
  /** Where it is served, as a hash. */
  readonly endpoint?: string | undefined
  /** Uncalibrated Tokens of all that was sent; absent: stored by a version that did not note it. */
  readonly estimate?: Tokens
  readonly usage: TokenUsage
}

/** Guards against paying again and again for nothing. */
interface Breaker {
  /** 0. Counted failed summaries once; a verdict on a model is not stored any more, and processes of before still read this field. */
  readonly failures: number
  /** Size of the context after the last compaction. */
  readonly sizeAfter?: Tokens
}

/** The state of a conversation that nothing is known about yet. */
export const initialState: CompactionState = { format: 1, checkpoints: [], calibration: uncalibrated, breaker: { failures: 0 } }

/** Checkpoints that were taken back and are remembered: as many as a state can have had, and those of others since. */
const mostRewound = 128

/** Characters of the texts that a state holds. */
export function stateSize({ checkpoints }: CompactionState): number {
  return sumOf(checkpoints, sizeOf)
}

/** Characters of the texts that a checkpoint holds. */
export function sizeOf({ summary, edits, kept, dropped }: Checkpoint): number {
  const texts = summary ? 2 * summary.text.length + summary.record.length : 0
  return texts + sumOf(edits, (edit) => edit.text.length + 80) + 6 * (kept.length + dropped.length)
}

/** The state without its last measurement: a refusal says that it is none of what is sent now. */
export function withoutAnchor(state: CompactionState): CompactionState {
  const { anchor: _refuted, ...rest } = state
  return rest
}

/** The state without the checkpoints from this one on. Originals are visible again. */
export function withoutCheckpoint(state: CompactionState, id: string | undefined): CompactionState {
  const at = state.checkpoints.findIndex((checkpoint) => checkpoint.id === id)
  if (at < 0) return state
  const gone = state.checkpoints.slice(at).map((checkpoint) => checkpoint.id)
  const rewound = [...(state.rewound ?? []), ...gone].slice(-mostRewound)
  return { ...withoutAnchor(state), checkpoints: state.checkpoints.slice(0, at), breaker: { failures: 0 }, rewound }
}

/** What another process stored, without what was taken back here and never reached it. */
export function withoutRewound(state: CompactionState, rewound: readonly string[] = []): CompactionState {
  return rewound.reduce((rest, id) => withoutCheckpoint(rest, id), state)
}

/** The state with a request for a compaction, or without one. */
export function withPending(state: CompactionState, pending: CompactionState['pending']): CompactionState {
  const { pending: _before, ...rest } = state
  return pending === undefined ? rest : { ...rest, pending }
}
