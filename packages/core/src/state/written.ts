import { isRecord } from '../history/json.ts'
import type { CompactionState } from './state.ts'

/** The state as it is written, with the time of that. */
export function withWritten(state: CompactionState, at: number): CompactionState {
  return { ...state, written: { at, checkpoint: state.checkpoints.at(-1)?.id ?? null } }
}

/** The state as it is worked with. */
export function withoutWritten(state: CompactionState): CompactionState {
  const { written: _when, ...rest } = state
  return rest
}

/**
 * When a stored state was written, in milliseconds since 1970. Undefined where nobody knows: an older version wrote it, or carried the time along with a checkpoint of its own.
 */
export function writtenAt({ written, checkpoints }: CompactionState): number | undefined {
  if (!isRecord(written) || typeof written.at !== 'number') return undefined
  return written.checkpoint === (checkpoints.at(-1)?.id ?? null) ? written.at : undefined
}
