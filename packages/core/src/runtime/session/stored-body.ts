import { mapInPieces } from '../../history/pieces.ts'
import { storable } from '../../state/forgotten.ts'
import type { CompactionState } from '../../state/state.ts'
import { withWritten } from '../../state/written.ts'
import { inSlices } from '../platform/slices.ts'

/** A state as JSON, one checkpoint after another: a summary may be a megabyte. */
export async function storedBody(state: CompactionState, now: number): Promise<string> {
  const { checkpoints, ...rest } = withWritten(storable(state, now), now)
  const bodies = await inSlices(mapInPieces(checkpoints, (one) => JSON.stringify(one)))
  return `{"checkpoints":[${bodies.join()}],${JSON.stringify(rest).slice(1)}`
}
