import { readForFingerprint } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'
import { measureContext } from '../../plan/shorten.ts'
import { isForgotten } from '../../state/forgotten.ts'
import { inSlices } from '../platform/slices.ts'
import { laidOnCut } from './committing/laid-on-cut.ts'
import { inputOf } from './measuring/measure.ts'
import type { Memory } from './memory.ts'
import { read, readInPieces } from './read.ts'
import type { SessionParts } from './session-parts.ts'

/** A history as it is shown by what was compacted before; the history itself where that is all of it. */
export function view<M>(parts: SessionParts<M>, memory: Memory<M>, history: readonly M[]): readonly M[] {
  const { source, messages } = read(parts, history)
  if (!isForgotten(memory.state, messages)) laidOnCut(parts, memory.state.checkpoints, messages)
  const input = inputOf(parts, memory, messages, {})
  const context = parts.render(source, input.checkpoint, measureContext(input))
  return context === source ? history : context
}

/** A history as it is read, with all that will be asked of it. */
export async function readWhole<M>(parts: SessionParts<M>, history: readonly M[]): Promise<readonly Message[]> {
  const { messages } = await inSlices(readInPieces(parts, history))
  await inSlices(readForFingerprint(messages))
  return messages
}
