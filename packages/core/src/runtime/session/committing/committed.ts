import type { Checkpoint } from '../../../state/checkpoint.ts'
import { withCheckpoint } from '../../../state/grown.ts'
import type { CompactionState } from '../../../state/state.ts'
import { errorName } from '../../platform/error-name.ts'
import { type Memory, withState } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import type { Step } from '../summarizing/execute.ts'

/** How often in a row another process may be faster. After that our own checkpoint is kept, whatever others have stored. */
export const mostConflicts = 3

export interface Committed<M> {
  readonly memory: Memory<M>
  /** `conflict`: another process was faster, and its state is in `memory`. `here`: the checkpoint holds in this process only. `deleted`: so it does, as the conversation was deleted. */
  readonly kept: 'saved' | 'conflict' | 'here' | 'deleted'
}

/** What became of a write: tells it in events, and archives the checkpoint. */
export async function committed<M>(
  parts: SessionParts<M>,
  memory: Memory<M>,
  checkpoint: Checkpoint,
  next: CompactionState,
  result: 'saved' | 'conflict' | 'failed',
): Promise<Committed<M>> {
  const { id, version, covered } = checkpoint
  if (result === 'saved') parts.emit('compact.checkpoint_committed', 'info', { checkpoint: id, version, covered })
  else rejected(parts, result === 'conflict' ? 'other workers were always faster' : 'the storage failed')
  const { archive, effects } = parts
  const onRecord = archive && effects.wait('archive', () => archive.saveCheckpoint(parts.id, checkpoint, parts.clock.now(), parts.redaction))
  await onRecord?.catch((error: unknown) => {
    parts.emit('compact.archive_failed', 'warning', { what: 'checkpoint', reason: errorName(error) })
  })
  // What could not be stored still holds in this process. If the storage failed, the next call tries again, once.
  return result === 'saved' ? { memory: withState(memory, next), kept: result } : here(memory, { checkpoint }, result === 'failed' ? 1 : 0)
}

/** Adds the checkpoint of a step in this process only. @param until When nobody else is about to store a better one any more, in milliseconds since 1970. */
export function here<M>(memory: Memory<M>, { checkpoint }: Pick<Step, 'checkpoint'>, until = 0): Committed<M> {
  return {
    memory: { ...withState(memory, withCheckpoint(memory.state, checkpoint)), unstored: { ids: [...(memory.unstored?.ids ?? []), checkpoint.id], until } },
    kept: 'here',
  }
}

export function rejected<M>({ emit }: SessionParts<M>, reason: string): void {
  emit('compact.checkpoint_rejected', 'warning', { reason })
}
