import type { CompactionState } from '@precis/core'
import { checkpointsToCarry } from '@precis/core/adapters'

/** What a thread remembers, in the graph's own state: hidden from the output, kept by the checkpointer. Written when there was a compaction. */
export interface ThreadState {
  readonly thread: string
  /** Id of the newest checkpoint. */
  readonly checkpoint: string
  /** Its body, where no storage of the host's has it. */
  readonly state?: CompactionState
}

/** @param stored - The host has a storage for us: the state of the graph holds a reference. Otherwise the newest checkpoint of each window: older ones stand in older states. */
export function knownIn(thread: string, state: CompactionState, stored: boolean): ThreadState | undefined {
  const newest = state.checkpoints.at(-1)
  if (newest === undefined) return undefined
  const { anchor: _measured, ...rest } = state
  return { thread, checkpoint: newest.id, ...(!stored && { state: { ...rest, checkpoints: checkpointsToCarry(state) } }) }
}

/** Threads kept in mind. */
const most = 1_000

/** The newest of something for each thread that was used lately. */
export function remembering<T>() {
  const all = new Map<string, T>()
  return {
    of: (thread: string): T | undefined => all.get(thread),
    set(thread: string, value: T): void {
      all.delete(thread)
      all.set(thread, value)
      if (all.size > most) all.delete(all.keys().next().value as string)
    },
  }
}
