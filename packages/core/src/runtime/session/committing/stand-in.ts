import type { Memory } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import { committed, rejected } from './committed.ts'

/**
 * Stores what could not be stored, or stood in for a summary that nobody wrote in its time: other processes go on with it too. A storage that fails again is not asked
 * again.
 *
 * @returns undefined where another process has stored something meanwhile.
 */
export async function storeStandIn<M>(parts: SessionParts<M>, memory: Memory<M>): Promise<Memory<M> | undefined> {
  const { state } = memory
  const checkpoint = state.checkpoints.at(-1)
  const { unstored: _tried, ...settled } = memory
  const result = checkpoint === undefined ? 'failed' : await parts.store.save(state)
  if (result === 'saved' && checkpoint !== undefined) return (await committed(parts, settled, checkpoint, state, result)).memory
  rejected(parts, result === 'conflict' ? 'another worker was faster' : 'the storage failed')
  return result === 'conflict' ? undefined : { ...memory, unstored: { ids: memory.unstored?.ids ?? [], until: 0 } }
}
