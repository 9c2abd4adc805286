import type { CompactionState } from '../../state/state.ts'
import { withCheckpoint } from '../../state/state.ts'
import { errorName } from './decide.ts'
import type { Step } from './execute.ts'
import { type Memory, restored, withState } from './memory.ts'
import type { SessionParts } from './session-parts.ts'

/** What is stored, or what is known where the storage does not say. What cannot be read is said. */
export async function loaded<M>(parts: SessionParts<M>, memory: Memory<M>): Promise<CompactionState> {
  const { state, problem, aside } = await parts.store.load()
  if (problem !== undefined) {
    rejected(parts, problem)
    parts.effects.note(aside === undefined ? problem : `${problem}; its bytes are kept under ${aside}`)
    if (aside !== undefined) parts.emit('compact.state_set_aside', 'warning', { to: aside })
  }
  return state ?? memory.state
}

/** What another process has stored since; undefined when nothing. Only where storage is shared does that ever happen. */
export async function takenOver<M>(parts: SessionParts<M>, memory: Memory<M>): Promise<Memory<M> | undefined> {
  const stored = await parts.store.changed()
  return stored && restored(memory, stored)
}

export interface Committed<M> {
  readonly memory: Memory<M>
  /** `conflict`: another process was faster, and its state is in `memory`. `here`: the checkpoint holds in this process only. */
  readonly kept: 'saved' | 'conflict' | 'here'
}

/**
 * Adds the checkpoint of a step to the state, in memory and in the storage, over the version that was read.
 * @param yielding - When another process was faster its state is taken over instead.
 */
export async function commit<M>(parts: SessionParts<M>, memory: Memory<M>, { checkpoint }: Step, yielding: boolean): Promise<Committed<M>> {
  const { state } = memory
  const next = withCheckpoint(state, checkpoint)
  const result = await parts.store.save(next)
  if (result === 'conflict' && yielding) {
    rejected(parts, 'another worker was faster')
    return { memory: withState(memory, { ...(await loaded(parts, memory)), calibration: state.calibration }), kept: result }
  }
  const { id, version, covered } = checkpoint
  if (result === 'saved') parts.emit('compact.checkpoint_committed', 'info', { checkpoint: id, version, covered })
  else rejected(parts, result === 'conflict' ? 'other workers were always faster' : 'the storage failed')
  const redaction = { redact: parts.redact, ...(parts.personal !== undefined && { personal: parts.personal }) }
  await parts.archive?.saveCheckpoint(parts.id, checkpoint, parts.clock.now(), redaction).catch((error: unknown) => {
    parts.emit('compact.archive_failed', 'warning', { what: 'checkpoint', reason: errorName(error) })
  })
  // Not stored is not lost: it holds here, and the next one is stored over what is there then.
  return { memory: withState(memory, next), kept: result === 'saved' ? 'saved' : 'here' }
}

/** Adds the checkpoint of a step in this process only: somebody else is about to store a better one. */
export function here<M>(memory: Memory<M>, { checkpoint }: Step): Committed<M> {
  return { memory: withState(memory, withCheckpoint(memory.state, checkpoint)), kept: 'here' }
}

export function rejected<M>({ emit }: SessionParts<M>, reason: string): void {
  emit('compact.checkpoint_rejected', 'warning', { reason })
}
