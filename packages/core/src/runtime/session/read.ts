import type { Message } from '../../history/message.ts'
import { finished, type Pieces } from '../../history/pieces.ts'
import type { SessionParts } from './session-parts.ts'

/** A history as one call found it: what the caller gave, the full history behind it, and the reading of that. */
export interface Read<M> {
  readonly given: readonly M[]
  readonly source: readonly M[]
  readonly messages: readonly Message[]
}

export function* readInPieces<M>({ reader }: SessionParts<M>, given: readonly M[]): Pieces<Read<M>> {
  const source = reader.source(given)
  return { given, source, messages: yield* reader.read(source) }
}

/** `readInPieces` at once. */
export function read<M>(parts: SessionParts<M>, given: readonly M[]): Read<M> {
  return finished(readInPieces(parts, given))
}
