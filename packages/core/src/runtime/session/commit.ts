import type { Message } from '../../history/message.ts'
import type { Checkpoint } from '../../state/checkpoint.ts'
import { alsoForgotten, isForgotten, saidIn } from '../../state/forgotten.ts'
import type { CompactionState } from '../../state/state.ts'
import { withCheckpoint } from '../../state/state.ts'
import { errorName } from '../error-name.ts'
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
  return adopted(memory, await parts.store.changed())
}

/** A stored state in the place of the one in memory; undefined where there is none. */
export function adopted<M>(memory: Memory<M>, stored: CompactionState | undefined): Memory<M> | undefined {
  return stored && restored(memory, deletedHere(stored, memory, memory.state.checkpoints))
}

/** What a process held of a conversation that turns out to be deleted is part of what was deleted. */
function deletedHere<M>(stored: CompactionState, { state, last }: Memory<M>, checkpoints: readonly Checkpoint[]): CompactionState {
  if (stored.forgotten === undefined || stored.forgotten.at === state.forgotten?.at) return stored
  return alsoForgotten(stored, [...saidIn(checkpoints), ...(last === undefined ? [] : [last.fingerprint])])
}

export interface Committed<M> {
  readonly memory: Memory<M>
  /** `conflict`: another process was faster, and its state is in `memory`. `here`: the checkpoint holds in this process only; `deleted`: as the conversation was deleted. */
  readonly kept: 'saved' | 'conflict' | 'here' | 'deleted'
}

/**
 * Adds the checkpoint of a step to the state, in memory and in the storage, over the version that was read.
 * @param yielding - When another process was faster its state is taken over instead.
 */
export async function commit<M>(
  parts: SessionParts<M>,
  memory: Memory<M>,
  { checkpoint }: Step,
  messages: readonly Message[],
  yielding: boolean,
): Promise<Committed<M>> {
  const { state } = memory
  const next = withCheckpoint(state, checkpoint)
  if (isForgotten(state, messages)) {
    rejected(parts, 'the conversation was deleted')
    return { memory: withState(memory, alsoForgotten(next, [checkpoint.fingerprint])), kept: 'deleted' }
  }
  const result = await parts.store.save(next)
  if (result === 'conflict' && yielding) {
    rejected(parts, 'another worker was faster')
    const found = deletedHere(await loaded(parts, memory), memory, next.checkpoints)
    // It was deleted while we were at it: what we put on record meanwhile goes too.
    if (found.forgotten?.at !== state.forgotten?.at) await parts.archive?.forget(parts.id).catch(() => {})
    return { memory: withState(memory, { ...found, calibration: state.calibration }), kept: result }
  }
  const { id, version, covered } = checkpoint
  if (result === 'saved') parts.emit('compact.checkpoint_committed', 'info', { checkpoint: id, version, covered })
  else rejected(parts, result === 'conflict' ? 'other workers were always faster' : 'the storage failed')
  await parts.archive?.saveCheckpoint(parts.id, checkpoint, parts.clock.now(), parts.redaction).catch((error: unknown) => {
    parts.emit('compact.archive_failed', 'warning', { what: 'checkpoint', reason: errorName(error) })
  })
  // Not stored is not lost: it holds here, and the next one is stored over what is there then.
  return result === 'saved' ? { memory: withState(memory, next), kept: result } : here(memory, { checkpoint })
}

/** Adds the checkpoint of a step in this process only. @param until When nobody else is about to store a better one any more, in milliseconds since 1970. */
export function here<M>(memory: Memory<M>, { checkpoint }: Pick<Step, 'checkpoint'>, until = 0): Committed<M> {
  return { memory: { ...withState(memory, withCheckpoint(memory.state, checkpoint)), unstored: { id: checkpoint.id, until } }, kept: 'here' }
}

export function rejected<M>({ emit }: SessionParts<M>, reason: string): void {
  emit('compact.checkpoint_rejected', 'warning', { reason })
}
