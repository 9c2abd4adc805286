import type { CompactionState, Message } from '@precis/core'
import { checkpointsToCarry, withKnown } from '@precis/core/adapters'

/** What a thread remembers. */
export interface ThreadState {
  readonly thread: string
  /** Id of the newest checkpoint; empty where all were taken back. */
  readonly checkpoint: string
  /** Its body, where no storage of the host's has it. */
  readonly state?: CompactionState
}

/**
 * The same in the graph's own state: hidden from what `invoke` returns, kept by the checkpointer, written when there was a compaction. LangGraph's serializer keeps a
 * Map, and JSON does not write what is in one: streams of values and updates show a reference.
 */
export interface CarriedState extends Omit<ThreadState, 'state'> {
  readonly state?: ReadonlyMap<'body', CompactionState> | CompactionState
}

export function toGraph({ state, ...reference }: ThreadState): CarriedState {
  return { ...reference, ...(state !== undefined && { state: new Map([['body', state]]) }) }
}

/** Of a serializer that keeps no Map there comes a reference alone. */
export function fromGraph(carried: CarriedState | undefined): ThreadState | undefined {
  if (carried === undefined) return undefined
  const { state: found, ...reference } = carried
  const state = found instanceof Map ? (found.get('body') as CompactionState | undefined) : (found as CompactionState | undefined)
  return { ...reference, ...(state?.checkpoints !== undefined && { state }) }
}

/**
 * What a thread remembers of this history: agents that call each other share a thread, and each writes what is its own.
 *
 * @param stored - The host has a storage for us: the state of the graph holds a reference. Otherwise the newest checkpoint of each window: older ones stand in older states.
 * @param before - What stands there. Taken back since, it is written that nothing does.
 */
export function knownIn(
  thread: string,
  state: CompactionState,
  messages: readonly Message[],
  stored: boolean,
  before: ThreadState | undefined,
): ThreadState | undefined {
  const checkpoints = checkpointsToCarry(state, messages)
  const { id: checkpoint = '' } = checkpoints.at(-1) ?? {}
  if (checkpoint === '' && state.rewound?.includes(before?.checkpoint ?? '') !== true) return undefined
  const { anchor: _measured, ...rest } = state
  return { thread, checkpoint, ...(!stored && { state: { ...rest, checkpoints } }) }
}

/** What the graph's state says, with what this process knows besides. */
export function newestOf(carried: ThreadState | undefined, kept: ThreadState | undefined): ThreadState | undefined {
  if (carried?.state === undefined || kept?.state === undefined) return carried ?? kept
  return { ...kept, state: withKnown(carried.state, kept.state) }
}
